// Tells which signals were sent to this process's whole group.
//
// A signal to the group reaches the program, too, and must not be passed on to it a second time. No
// signal says to whom it was sent. So a child of this process, which has all signals blocked, waits
// in the group: what was sent to the group is pending there.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace mallard::profile {

class group_witness {
 public:
  // Call it before other threads start. Without room for another process it sees nothing.
  group_witness();
  ~group_witness();
  group_witness(const group_witness&) = delete;
  group_witness& operator=(const group_witness&) = delete;

  // Returns: a bit for each signal that the group got since this one began, the lowest for
  // signal 1.
  std::uint64_t pending() const;

 private:
  pid_t pid_;  // -1: there is no room
};

}  // namespace mallard::profile
