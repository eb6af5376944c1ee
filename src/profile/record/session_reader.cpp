#include "profile/record/session_reader.hpp"

#include <linux/membarrier.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "preload/stack_walk.hpp"
#include "process/process.hpp"
#include "profile/attach/process_memory.hpp"
#include "profile/record/program_check.hpp"
#include "profile/trace/lacks.hpp"

namespace mallard::profile {
namespace {

namespace fs = std::filesystem;
using recorder::slot_state;

std::vector<std::string> split(std::string_view words) {
  std::vector<std::string> out;
  while (!words.empty()) {
    const std::size_t end = std::min(words.find('\0'), words.size());
    out.emplace_back(words.substr(0, end));
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return out;
}

std::vector<std::uint64_t> cache_sizes() {
  std::vector<std::uint64_t> out;
  for (const int which : {_SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL2_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE}) {
    const long bytes = sysconf(which);
    if (bytes > 0) out.push_back(static_cast<std::uint64_t>(bytes));
  }
  return out;
}

}  // namespace

session_reader::session_reader(const session_memory& memory, const ticks_clock& clock, naming names,
                               std::function<void(trace_writer&)> finishing)
    : memory_(&memory), clock_(&clock), names_(std::move(names)), finisher_(std::move(finishing)) {
  // The program itself is checked before it is started.
  if (names_.command.empty()) return;
  std::error_code ignored;
  programs_.insert(fs::canonical(check_program(names_.command.front()).file, ignored).string());
}

void session_reader::open_first() {
  first_ = std::make_unique<process_recording>(
      file_name(names_.first_pid, names_.command),
      info_of(names_.first_pid, static_cast<std::uint64_t>(getpid()), names_.command,
              names_.begins_late),
      *clock_);
  files_.insert(first_->file());
}

process_info session_reader::info_of(std::uint64_t pid, std::uint64_t parent,
                                     std::vector<std::string> command, bool begins_late) const {
  const recorder::session_options& options = (*memory_)->options;
  process_info out;
  out.pid = pid;
  out.parent = parent;
  out.started = clock_->started();
  out.clock_ps = clock_->reading_ps();
  out.command = std::move(command);
  out.recorder = "mallard record";
  out.unwinder =
      options.unwind == recorder::unwinding::frame_pointers ? "frame pointers" : "frame tables";
  out.stack_depth = preload::stack_walk::frames_of_cut;
  out.sample_stacks = options.sample_stacks;
  out.cpu_sample_ns = std::uint64_t{options.cpu_period_us} * 1000;
  out.page_bytes = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  if (const long line = sysconf(_SC_LEVEL1_DCACHE_LINESIZE); line > 0) {
    out.line_bytes = static_cast<std::uint64_t>(line);
  }
  out.cache_bytes = cache_sizes();
  utsname machine{};
  if (uname(&machine) == 0) out.architecture = machine.machine;
  if (begins_late) out.not_recorded = {the_start};
  return out;
}

// mallard.NAME.PID.trace, or the user's choice, to which all processes but the first add their
// number. A process that starts another program in its place has another trace.
std::string session_reader::file_name(std::uint64_t pid,
                                      const std::vector<std::string>& command) const {
  fs::path wanted = names_.output;
  const bool is_first = pid == names_.first_pid && files_.empty();
  if (wanted.empty()) {
    std::string program = command.empty() ? "" : command.front();
    // A server may have written a title over its command: the program and what it does.
    if (find_program(program).empty()) program.resize(std::min(program.find(' '), program.size()));
    const std::string name = fs::path(program).filename().string();
    wanted = "mallard." + (name.empty() ? "program" : name) + "." + std::to_string(pid) + ".trace";
  } else if (!is_first) {
    const std::string extension = wanted.extension().string();
    wanted.replace_extension("." + std::to_string(pid) + extension);
  }
  fs::path out = wanted;
  for (int n = 2; files_.contains(out.string()); ++n) {
    out = wanted;
    std::string numbered = std::to_string(n).insert(0, 1, '.');
    out.replace_extension(numbered += wanted.extension().string());
  }
  return out.string();
}

process_recording* session_reader::recording_of(std::uint32_t index,
                                                const recorder::thread_slot& thread) {
  if (const auto found = open_.find(index); found != open_.end()) {
    return found->second.recording.get();
  }
  const recorder::process_slot& slot = memory_->process(index);
  // A process that executes another program gets a new slot and keeps its number. We may see the
  // newer slot first; the older one must be opened before it.
  if (!slot.foreign) open_earlier(slot);
  for (const auto& [other, process] : open_) {
    if (process.recording != nullptr && process.recording->pid() == slot.pid && !slot.foreign) {
      open_.at(other).end = {clock_->at(slot.started), end_kind::replaced, 0};
      end_process(other);
      break;
    }
  }
  std::unique_ptr<process_recording> made;
  if (first_ != nullptr && slot.pid == names_.first_pid) {
    made = std::move(first_);
  } else {
    made = open(slot, thread);
  }
  return (open_[index].recording = std::move(made)).get();
}

// Opens what the same process recorded as an earlier program, if we have not seen that yet.
void session_reader::open_earlier(const recorder::process_slot& than) {
  const std::uint32_t used = (*memory_)->threads_used.load(std::memory_order_acquire);
  for (std::uint32_t i = 0; i < used; ++i) {
    if ((*memory_)->threads[i].load(std::memory_order_acquire) != slot_state::in_use) continue;
    const recorder::thread_slot& thread = memory_->thread(i);
    const recorder::process_slot& slot = memory_->process(thread.process);
    if (slot.pid == than.pid && !slot.foreign && slot.started < than.started &&
        !open_.contains(thread.process)) {
      recording_of(thread.process, thread);
    }
  }
}

// Opens the trace of a process other than the first; null if it cannot be written.
std::unique_ptr<process_recording> session_reader::open(const recorder::process_slot& slot,
                                                        const recorder::thread_slot& thread) {
  // The first message of a process is its command.
  std::vector<std::string> command;
  const std::uint64_t tail = thread.tail.load(std::memory_order_relaxed);
  const std::uint64_t* const message = thread.ring + thread.read_at;
  if (thread.head.load(std::memory_order_acquire) != tail &&
      recorder::kind_of(*message) == recorder::message::command) {
    command = split(text_of(message));
  }
  try {
    auto made = std::make_unique<process_recording>(
        file_name(slot.pid, command), info_of(slot.pid, slot.parent, command, slot.begins_inside),
        *clock_);
    files_.insert(made->file());
    return made;
  } catch (const std::system_error& problem) {
    recorded_process lost;
    lost.pid = slot.pid;
    lost.error = problem.what();
    done_.push_back(lost);
    return nullptr;
  }
}

bool session_reader::take() {
  bool more = false;
  const std::uint32_t used = (*memory_)->threads_used.load(std::memory_order_acquire);
  for (std::uint32_t i = 0; i < used; ++i) {
    if ((*memory_)->threads[i].load(std::memory_order_acquire) != slot_state::in_use) continue;
    recorder::thread_slot& slot = memory_->thread(i);
    if (slot.head.load(std::memory_order_acquire) == slot.tail.load(std::memory_order_relaxed)) {
      continue;
    }
    process_recording* const process = recording_of(slot.process, slot);
    if (process == nullptr) {  // its trace cannot be written, but it must not wait for us
      slot.tail.store(slot.head.load());
      continue;
    }
    if (process->take(i, slot, memory_->process(slot.process)) > recorder::first_ring_words / 4) {
      more = true;
    }
  }
  return more;
}

bool session_reader::is_alive(std::uint32_t process) const {
  const recorder::process_slot& slot = memory_->process(process);
  if (slot.foreign) return true;
  // Its end is told by end_first(), which knows how it ended.
  if (slot.pid == names_.first_pid) return first_end_.time == 0;
  if (kill(static_cast<pid_t>(slot.pid), 0) != 0 && errno == ESRCH) return false;
  return !process::has_ended(static_cast<pid_t>(slot.pid));
}

void session_reader::end_thread(std::uint32_t index) {
  recorder::thread_slot& slot = memory_->thread(index);
  if (const auto found = open_.find(slot.process);
      found != open_.end() && found->second.recording != nullptr) {
    found->second.recording->take(index, slot, memory_->process(slot.process));
    found->second.recording->end_thread(index, slot, clock_->now());
  }
  memory_->recycle_thread(index);
}

void session_reader::end_process(std::uint32_t index) {
  const std::uint32_t used = (*memory_)->threads_used.load(std::memory_order_acquire);
  for (std::uint32_t i = 0; i < used; ++i) {
    if ((*memory_)->threads[i].load(std::memory_order_acquire) == slot_state::in_use &&
        memory_->thread(i).process == index) {
      end_thread(i);
    }
  }
  const auto found = open_.find(index);
  if (found != open_.end()) {
    end_info end = found->second.end;
    if (found->second.recording != nullptr) {
      if (end.how == end_kind::unknown && found->second.recording->pid() == names_.first_pid) {
        end = first_end_;
      }
      if (end.time == 0) {
        end.time = clock_->now();
        if (!memory_->process(index).foreign && is_alive(index)) end.how = end_kind::went_on;
      }
      found->second.recording->refuse(memory_->process(index).refused.load());
      finish(std::move(found->second.recording), end);
    }
    open_.erase(found);
  }
  memory_->process(index).state.store(slot_state::free, std::memory_order_release);
}

void session_reader::sample_resident() {
  const std::uint64_t now = clock_->now();
  if (first_) first_->sample_resident(now);
  for (auto& [index, one] : open_) {
    if (one.recording) one.recording->sample_resident(now);
  }
}

void session_reader::reap() {
  std::map<std::uint32_t, bool> alive;
  const std::uint32_t used = (*memory_)->threads_used.load(std::memory_order_acquire);
  for (std::uint32_t i = 0; i < used; ++i) {
    if ((*memory_)->threads[i].load(std::memory_order_acquire) != slot_state::in_use) continue;
    recorder::thread_slot& slot = memory_->thread(i);
    const recorder::process_slot& process = memory_->process(slot.process);
    if (process.foreign) continue;
    recording_of(slot.process, slot);
    const auto [at, fresh] = alive.try_emplace(slot.process, true);
    if (fresh) at->second = is_alive(slot.process);
    const bool there =
        at->second && (syscall(SYS_tgkill, process.pid, slot.tid, 0) == 0 || errno != ESRCH);
    if (!there) end_thread(i);
  }
  std::vector<std::uint32_t> gone;
  for (const auto& [index, process] : open_) {
    const auto known = alive.find(index);
    if (known != alive.end() ? !known->second : !is_alive(index)) gone.push_back(index);
  }
  for (const std::uint32_t index : gone) end_process(index);
  // These processes have recorded nothing yet, and maybe never will.
  for_each_process([&](std::uint32_t index, const recorder::process_slot& slot) {
    look_at_program(slot.program);
    if (!open_.contains(index) && !is_alive(index) && !has_threads(index)) end_process(index);
  });
}

template <class Do>
void session_reader::for_each_process(Do act) {
  const std::uint32_t used = (*memory_)->processes_used.load(std::memory_order_acquire);
  for (std::uint32_t i = 0; i < used; ++i) {
    recorder::process_slot& slot = memory_->process(i);
    if (slot.state.load(std::memory_order_acquire) == slot_state::in_use) act(i, slot);
  }
}

// Whether the process has threads with unread events; opens it if so.
bool session_reader::has_threads(std::uint32_t process) {
  const std::uint32_t used = (*memory_)->threads_used.load(std::memory_order_acquire);
  for (std::uint32_t i = 0; i < used; ++i) {
    if ((*memory_)->threads[i].load(std::memory_order_acquire) != slot_state::in_use ||
        memory_->thread(i).process != process) {
      continue;
    }
    recording_of(process, memory_->thread(i));
    return true;
  }
  return false;
}

void session_reader::look_at_program(const std::string& file) {
  if (file.empty() || !programs_.insert(file).second) return;
  if (check_program(file).what == obstacle::own_malloc) with_own_malloc_.insert(file);
}

void session_reader::signal_all(int signal) const {
  for (const auto& [index, one] : open_) {
    const recorder::process_slot& slot = memory_->process(index);
    if (!slot.foreign && is_alive(index)) kill(static_cast<pid_t>(slot.pid), signal);
  }
}

void session_reader::end_first(const end_info& end) {
  first_end_ = end;
}

void session_reader::flush() {
  for (auto& [index, one] : open_) {
    if (one.recording != nullptr) one.recording->flush();
  }
}

void session_reader::finish(std::unique_ptr<process_recording> ended, const end_info& end) {
  ended_.events += ended->events();
  ended_.bytes += ended->bytes();
  ++ended_.processes;
  // A trace ends with its recording: how the process ended later says nothing about its blocks.
  const bool ended_later = over_at_ != 0 && end.time > over_at_;
  finisher_.add(std::move(ended), ended_later ? end_info{over_at_, end_kind::went_on, 0} : end);
}

// Waits until no thread writes: the slots' memory goes away, and processes may go on without us.
void session_reader::wait_for_writers() const {
  constexpr int most_looks = 5000;
  syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
  const std::uint32_t used = (*memory_)->threads_used.load(std::memory_order_acquire);
  for (std::uint32_t i = 0; i < used; ++i) {
    if ((*memory_)->threads[i].load(std::memory_order_acquire) != slot_state::in_use) continue;
    const recorder::thread_slot& slot = memory_->thread(i);
    if (memory_->process(slot.process).foreign || !is_alive(slot.process)) continue;
    const process_memory memory(static_cast<pid_t>(memory_->process(slot.process).pid));
    bool busy = true;
    for (int looks = 0; busy && looks < most_looks; ++looks) {
      if (!memory.read(slot.busy_at, &busy, sizeof busy)) busy = false;
      if (busy) usleep(1000);
    }
  }
}

// Whether a process that was there when the recording ended did more, or still may. Who did the
// unrecorded operations is not known.
bool session_reader::ran_on(std::uint32_t process) const {
  const bool is_there = !memory_->process(process).foreign && is_alive(process);
  return is_there || (*memory_)->unrecorded.load() != 0;
}

void session_reader::finish(bool cuts_off) {
  wait_for_writers();
  take();
  for_each_process(
      [&](std::uint32_t, const recorder::process_slot& slot) { look_at_program(slot.program); });
  for (auto& [index, one] : open_) {
    if (cuts_off && over_at_ == 0 && one.recording != nullptr && ran_on(index)) {
      one.recording->leave_unfinished();
    }
  }
  while (!open_.empty()) end_process(open_.begin()->first);
  if (first_ != nullptr) finish(std::move(first_), first_end_);
  for (recorded_process& one : finisher_.take()) done_.push_back(std::move(one));
}

record_totals session_reader::totals() const {
  record_totals out = ended_;
  for (const auto& [index, one] : open_) {
    if (one.recording == nullptr) continue;
    out.events += one.recording->events();
    out.bytes += one.recording->bytes();
  }
  out.processes += open_.size();
  return out;
}

}  // namespace mallard::profile
