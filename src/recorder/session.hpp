// Purpose: the layout of the memory shared by `mallard record` and the library in the recorded
// programs, and the messages in it. The memory is one anonymous file of `mallard record`. Each
// recorded process maps it once, when it starts, and keeps no descriptor.
//
//   session        one: what is to be recorded, and whether it is recorded now
//   process_slot   one for each process (a new one after fork and exec)
//   thread_slot    one for each thread: a ring of messages with one writer and one reader, and room
//                  for the thread's own use
//
// If a thread ends or a process is killed, its messages are still in the memory, and the reader
// takes them. Only the reader frees a slot.
#pragma once

#include <elf.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "preload/session.hpp"

namespace mallard::recorder {

inline constexpr preload::session_kind session_kind{0x3130'6365'724c'414dU, "mallard-record",
                                                    "MALLARD_RECORD"};

inline constexpr std::uint32_t most_processes = 4096;
inline constexpr std::uint32_t most_threads = 2048;  // at the same time
inline constexpr std::size_t first_ring_words = std::size_t{1} << 16;
inline constexpr std::size_t most_ring_words = std::size_t{1} << 18;
inline constexpr std::size_t longest_message = 1024;  // words
inline constexpr std::size_t private_bytes = std::size_t{128} << 10;
inline constexpr std::uint32_t table_entries = std::uint32_t{1} << 17;

enum class recording : std::uint32_t {
  not_yet,  // nothing is written
  on,
  paused,  // only frees are written, so that live blocks stay known
  over,
};

enum class unwinding : std::uint32_t { tables, frame_pointers };

struct session_options {
  std::uint32_t depth = 24;         // frames checked at every event
  std::uint32_t sample_stacks = 1;  // one of n events has a stack; 0: none
  std::uint32_t cpu_period_us = 0;  // of processor time; 0: no samples
  unwinding unwind = unwinding::tables;
  bool drop = false;   // a full ring loses events; otherwise its thread waits
  bool follow = true;  // children are recorded, too
};

// Only the reader frees a slot, and only the thread that took it fills it.
enum class slot_state : std::uint32_t { free, taken, in_use };

inline const char* file_name(const char* path) noexcept {
  const char* const slash = std::strrchr(path, '/');
  return slash != nullptr ? slash + 1 : path;
}

// Whether a program is the dynamic linker, whose arguments name another.
inline bool is_dynamic_linker(const char* path) noexcept {
  return std::strncmp(file_name(path), "ld", 2) == 0;
}

// Whether a dynamic linker is musl's, which ends programs that would load glibc's libraries.
inline bool is_of_musl(const char* linker) noexcept {
  return std::strncmp(file_name(linker), "ld-musl", 7) == 0;
}

// The machine in the header of executables that we can record.
#if defined(__x86_64__)
inline constexpr unsigned own_machine = EM_X86_64;
#else
inline constexpr unsigned own_machine = EM_AARCH64;
#endif

// A dynamic symbol of programs whose sanitizer's malloc must be their own, and the sanitizer's
// name.
struct sanitizer_name {
  const char* name;
  const char* sanitizer;
};
inline constexpr sanitizer_name sanitizer_names[] = {
    {"__asan_init", "AddressSanitizer"},  {"__tsan_init", "ThreadSanitizer"},
    {"__msan_init", "MemorySanitizer"},   {"__hwasan_init", "HWAddressSanitizer"},
    {"__lsan_default_", "LeakSanitizer"}, {"liblsan.so", "LeakSanitizer"}};

// Why a program started by a recorded process is not recorded.
enum class unfollowed : std::uint32_t {
  none,
  static_program,  // no dynamic linker loads anything into it
  other_libc,      // its dynamic linker, such as musl's, cannot load glibc's libraries
  privileged,      // the dynamic linker ignores an ordinary user's preloads
  sanitized,       // its sanitizer ends programs in which another library comes first
  other_machine,   // the library is for another machine
  environment,     // its environment does not name the session
  address_space,   // its limit is less than the session takes
  unreachable,     // as another user, or in other namespaces, it may be unable to open the session
};
struct unfollowed_program {
  std::atomic<slot_state> state{};
  unfollowed why{};
  char path[248]{};
};

struct session : preload::session_head {
  session_options options;
  std::uint64_t ticks_of_microsecond = 1;
  std::uint32_t reader_pid = 0;
  std::uint32_t reader_user = 0;                 // effective one
  std::uint32_t first_pid = 0;                   // the program that was started
  std::uint64_t pid_namespace = 0;               // of the reader
  bool stable_ticks = false;                     // the processor's counter serves as the clock
  std::atomic<std::uint32_t> mode{};             // recording
  std::atomic<std::uint32_t> doorbell{};         // a futex on which the reader waits
  std::atomic<std::uint32_t> reader_waits{};     // waits on it, or is about to
  std::atomic<std::uint64_t> heartbeat{};        // the number of the reader's rounds
  std::atomic<std::uint64_t> skipped{};          // operations before it began
  std::atomic<std::uint64_t> unrecorded{};       // operations after the end of the recording
  std::atomic<std::uint32_t> threads_used{};     // later slots were never used
  std::atomic<std::uint32_t> processes_used{};   // likewise
  std::atomic<std::uint32_t> more_unfollowed{};  // beyond those below
  unfollowed_program unfollowed_programs[16];
  std::atomic<slot_state> threads[most_threads];
};

struct alignas(64) process_slot {
  std::atomic<slot_state> state{};
  std::uint32_t pid = 0;
  std::uint32_t parent = 0;
  bool foreign = false;        // the reader knows it by another number, or not at all
  bool begins_inside = false;  // its threads are in calls that are not recorded: a fork's child, or
                               // one that began before the recording did
  char program[247] = {};      // its file, as much as fits
  std::uint64_t started = 0;   // ticks
  std::atomic<std::uint32_t> open_threads{};  // since the beginning
  std::atomic<std::uint64_t> refused{};       // operations of threads that found no slot
};

// Words of messages; `head` and `tail` only grow. The writer goes through the ring in laps. A lap
// is as long as the previous one, or twice as long if the reader is far behind at its end. Its last
// message, `skip`, leads back to the start, so the reader need not know about laps.
struct alignas(4096) thread_slot {
  std::atomic<std::uint64_t> head{};  // written by the writer
  std::atomic<std::uint64_t> dropped{};
  std::atomic<std::uint64_t> waited{};  // ticks

  alignas(64) std::atomic<std::uint64_t> tail{};  // written by the reader
  std::uint64_t read_at = 0;                      // the reader's: position of the tail in the ring
  std::atomic<std::uint32_t> drained{};           // a futex; changes when the reader has made room
  std::atomic<std::uint32_t> waiting{};           // the writer sleeps on it

  alignas(64) std::uint32_t process = 0;  // index of its slot
  std::uint32_t tid = 0;
  std::uint64_t started = 0;  // ticks
  // The address of a byte in the process that is non-zero while the thread is in a call and may
  // write here. The thread sets it before it checks whether the recording is over. So after a
  // barrier on all processors, no thread whose byte is 0 will write any more.
  std::uint64_t busy_at = 0;

  alignas(4096) std::byte own[private_bytes];  // the thread's own; zero when the slot is taken
  alignas(4096) std::uint64_t ring[most_ring_words];
  alignas(4096) std::byte table[std::size_t{table_entries} * 16];  // the thread's own, zero
};

// A message is a first word and further words by its kind. The first word has the kind in the low 8
// bits, then 8 bits each of `function` and `alignment`, then 40 bits of `low`.
enum class message : std::uint8_t {
  skip,         // back to the start of the ring
  allocate,     // time, address, size and stack
  free,         // time, address, size and stack
  reallocate,   // time, address, size and stack, old address
  cost,         // low: ticks of the previous event
  node,         // low: the parent's number; ip, frame address. Numbered from 1
  forget,       // numbers of nodes start again
  module,       // low: number of words; time, load bias, start, end, then path, zero, build-id
  module_gone,  // time, load bias
  sample,       // time, low: node; function and alignment: count, low and high bits
  scope_enter,  // time, low: name; word 2: stack
  scope_exit,   // time, low: name; word 2: stack
  resource_allocate,  // as allocate, then the resource's name
  resource_free,      // as free, then the resource's name
  name,               // low: its number; bytes, text. A scope's or a resource's (function: name_of)
  thread_name,        // bytes, text
  command,            // bytes, text: /proc/self/cmdline
  sample_in_heap,     // as sample, inside the operation of the next event
};
enum class name_of : std::uint8_t { scope, resource };

inline constexpr std::uint64_t first_word(message kind, std::uint64_t low = 0,
                                          unsigned function = 0, unsigned alignment = 0) {
  return static_cast<std::uint64_t>(kind) | std::uint64_t{function} << 8 |
         std::uint64_t{alignment} << 16 | low << 24;
}
inline constexpr message kind_of(std::uint64_t first) {
  return static_cast<message>(first & 0xff);
}
inline constexpr unsigned function_of(std::uint64_t first) {
  return static_cast<unsigned>(first >> 8 & 0xff);
}
inline constexpr unsigned alignment_of(std::uint64_t first) {
  return static_cast<unsigned>(first >> 16 & 0xff);
}
inline constexpr std::uint64_t low_of(std::uint64_t first) {
  return first >> 24;
}

// Events have their stack in `low`, then words: time, address, size[, old address | resource].
inline constexpr std::size_t event_words = 4;

inline constexpr std::size_t round_to_page(std::size_t bytes) {
  return (bytes + 4095) & ~std::size_t{4095};
}
inline constexpr std::size_t processes_offset = round_to_page(sizeof(session));
inline constexpr std::size_t threads_offset =
    processes_offset + round_to_page(sizeof(process_slot) * most_processes);
inline constexpr std::size_t session_bytes = threads_offset + sizeof(thread_slot) * most_threads;

inline process_slot* processes_of(session& all) {
  return reinterpret_cast<process_slot*>(reinterpret_cast<std::byte*>(&all) + processes_offset);
}
inline thread_slot* threads_of(session& all) {
  return reinterpret_cast<thread_slot*>(reinterpret_cast<std::byte*>(&all) + threads_offset);
}

}  // namespace mallard::recorder
