// Purpose: the memory that `mallard record` shares with the recorded programs.
#pragma once

#include <cstdint>
#include <string>

#include "recorder/session.hpp"

namespace mallard::profile {

class session_memory {
 public:
  // Throws std::system_error.
  session_memory();
  ~session_memory();
  session_memory(const session_memory&) = delete;
  session_memory& operator=(const session_memory&) = delete;

  recorder::session& operator*() const { return *session_; }
  recorder::session* operator->() const { return session_; }
  recorder::process_slot& process(std::uint32_t i) const;
  recorder::thread_slot& thread(std::uint32_t i) const;

  // A path by which another process finds the memory, valid as long as this process lives.
  std::string path() const;
  // The number of live processes whose environment names the recording.
  std::uint32_t processes_told() const;
  // Whether the process with this number has taken a slot.
  bool has_process(std::uint32_t pid) const;
  // Returns the memory of all threads to the system. A process may keep it mapped after its
  // recording.
  void give_back() const;
  // Frees the slot of an ended thread for others and zeroes it.
  void recycle_thread(std::uint32_t i) const;

 private:
  int file_;
  recorder::session* session_;
};

// Sets the mode of the session that the process belongs to, or that it records. Throws
// std::runtime_error, with one line, if there is none or it cannot be reached.
void set_recording(int pid, recorder::recording mode);

// The memory's path in the environment of a process; empty: it was not started recorded.
std::string path_of_recorded(int pid);

// Whether a recording is attached to the process just now, which was not started for one.
bool is_attached_to(int pid);

}  // namespace mallard::profile
