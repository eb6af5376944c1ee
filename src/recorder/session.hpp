// Purpose: what `mallard record` and the library in the recorded programs share: the layout of the
// memory between them, and the messages in it. The memory is one anonymous file of `mallard
// record`; each recorded process maps it once, when it starts, and keeps no descriptor.
//
//   session        one: what is to be recorded, and whether just now
//   process_slot   one for each process (a new one after fork and exec)
//   thread_slot    one for each thread: a ring of messages with one writer and one reader, and room
//                  that only the thread itself uses
//
// A thread that ends, a process that is killed: what was written is in the memory, and the reader
// takes it. Only the reader makes a slot free again.
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
  paused,  // only that blocks are freed, so that what lives stays known
  over,
};

enum class unwinding : std::uint32_t { tables, frame_pointers };

struct session_options {
  std::uint32_t depth = 24;         // frames that are checked at every event
  std::uint32_t sample_stacks = 1;  // every n-th event has a stack; 0: none has
  std::uint32_t cpu_period_us = 0;  // of processor time; 0: no samples
  unwinding unwind = unwinding::tables;
  bool drop = false;   // a full ring loses events instead of waiting
  bool follow = true;  // children, too
};

// Only the reader makes a slot free; only one that took a free one may fill it.
enum class slot_state : std::uint32_t { free, taken, in_use };

// Whether a program's dynamic linker is musl's, which ends programs that are to load what is made
// for glibc.
inline bool is_of_musl(const char* linker) noexcept {
  const char* const slash = std::strrchr(linker, '/');
  return std::strncmp(slash != nullptr ? slash + 1 : linker, "ld-musl", 7) == 0;
}

// The kind of machine that programs have to be for, as their files say it.
#if defined(__x86_64__)
inline constexpr unsigned own_machine = EM_X86_64;
#else
inline constexpr unsigned own_machine = EM_AARCH64;
#endif

// A name that the dynamic symbols of a program have if a sanitizer's malloc has to be its own, and
// the sanitizer's.
struct sanitizer_name {
  const char* name;
  const char* sanitizer;
};
inline constexpr sanitizer_name sanitizer_names[] = {
    {"__asan_init", "AddressSanitizer"},  {"__tsan_init", "ThreadSanitizer"},
    {"__msan_init", "MemorySanitizer"},   {"__hwasan_init", "HWAddressSanitizer"},
    {"__lsan_default_", "LeakSanitizer"}, {"liblsan.so", "LeakSanitizer"}};

// A program that a recorded process has started and that is not recorded.
enum class unfollowed : std::uint32_t {
  none,
  static_program,  // no dynamic linker loads anything into it
  other_libc,      // its dynamic linker, as musl's, cannot load what is made for glibc
  privileged,      // the dynamic linker ignores what an ordinary user preloads
  sanitized,       // its sanitizer ends programs in which another library comes first
  other_machine,   // the library is not for it
  environment,     // it was not told of the session
  address_space,   // it may not have as much as the session takes
  unreachable,     // as another user, or in other namespaces, it may not open the session
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
  std::uint32_t reader_user = 0;                 // effective
  std::uint32_t first_pid = 0;                   // of the program that was started
  std::uint64_t pid_namespace = 0;               // of the reader
  bool stable_ticks = false;                     // the processor's counter is a clock
  std::atomic<std::uint32_t> mode{};             // recording
  std::atomic<std::uint32_t> doorbell{};         // a futex on which the reader waits
  std::atomic<std::uint32_t> reader_waits{};     // on it, or is about to
  std::atomic<std::uint64_t> heartbeat{};        // counts the reader's rounds
  std::atomic<std::uint64_t> refused{};          // times that no slot was left for a thread
  std::atomic<std::uint64_t> unrecorded{};       // operations since the recording is over
  std::atomic<std::uint32_t> threads_used{};     // slots from this one on were never in use
  std::atomic<std::uint32_t> processes_used{};   // likewise
  std::atomic<std::uint32_t> more_unfollowed{};  // than there is room for
  unfollowed_program unfollowed_programs[16];
  std::atomic<slot_state> threads[most_threads];
};

struct alignas(64) process_slot {
  std::atomic<slot_state> state{};
  std::uint32_t pid = 0;
  std::uint32_t parent = 0;
  bool foreign = false;       // the reader knows it by another number, or not at all
  char program[247] = {};     // its file; as much as there is room for
  std::uint64_t started = 0;  // ticks
  std::atomic<std::uint32_t> open_threads{};  // since the beginning
};

// Words of messages; `head` and `tail` only grow. The writer goes through the ring in laps. A lap
// is as long as the one before, or twice that where the reader is far behind at its end; its last
// message, `skip`, leads to the start. So the reader needs to know nothing of laps.
struct alignas(4096) thread_slot {
  std::atomic<std::uint64_t> head{};  // the writer's
  std::atomic<std::uint64_t> dropped{};
  std::atomic<std::uint64_t> waited{};  // ticks

  alignas(64) std::atomic<std::uint64_t> tail{};  // the reader's
  std::uint64_t read_at = 0;                      // of the reader: where in the ring the tail is
  std::atomic<std::uint32_t> drained{};           // a futex: changes when the reader made room
  std::atomic<std::uint32_t> waiting{};           // the writer sleeps on it

  alignas(64) std::uint32_t process = 0;  // index of its slot
  std::uint32_t tid = 0;
  std::uint64_t started = 0;  // ticks
  // Address of a byte of its process that says: the thread is inside a call and may write here. It
  // is set before the thread looks whether the recording is over, so that, after a barrier on all
  // processors, no thread whose byte is 0 will write any more.
  std::uint64_t busy_at = 0;

  alignas(4096) std::byte own[private_bytes];  // the thread's own: zero when the slot is taken
  alignas(4096) std::uint64_t ring[most_ring_words];
  alignas(4096) std::byte table[std::size_t{table_entries} * 16];  // the thread's own, zero
};

// A message is a first word and what its kind says. The first word: kind in the low 8 bits, then 8
// bits each of `function` and `alignment`, then 40 bits of `low`.
enum class message : std::uint8_t {
  skip,         // the ring starts over
  allocate,     // time, address, size and stack
  free,         // time, address, size and stack
  reallocate,   // time, address, size and stack, old address
  cost,         // low: ticks that the event before took
  node,         // low: the parent's number; ip, frame address. Numbered from 1 on
  forget,       // the numbers of nodes start over
  module,       // low: words that follow; time, load bias, start, end, then path, zero, build-id
  module_gone,  // time, load bias
  sample,       // time, low: node; function and alignment: how many, low and high bits
  scope_enter,  // time, low: name; word 2: stack
  scope_exit,   // time, low: name; word 2: stack
  resource_allocate,  // as allocate, then the resource's name
  resource_free,      // as free, then the resource's name
  name,               // low: its number; bytes, text. Of a scope or a resource (function: name_of)
  thread_name,        // bytes, text
  command,            // bytes, text: /proc/self/cmdline
  sample_in_heap,     // as sample, inside the operation that the next event is of
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

// Events have their stack in `low`, and words: time, address, size[, old address | resource].
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
