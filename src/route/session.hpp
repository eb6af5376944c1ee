// Purpose: what `mallard whatif` and the library in the programs that it starts share: which blocks
// are routed where, what addresses are called, and what came of it. The memory is one anonymous
// file of `mallard whatif`; each process maps it once and keeps no descriptor.
//
// The library knows no names. It asks for the marks of each return address, which say what
// conditions hold for a function at that address; an address that nobody has asked for yet has
// none, is put into the table, and gets them before the next run, or during this one.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "preload/session.hpp"
#include "strategy/strategy.hpp"

namespace mallard::route {

inline constexpr preload::session_kind session_kind{0x3165'7475'6f72'4c4dU, "mallard-route",
                                                    "MALLARD_ROUTE"};

inline constexpr std::size_t most_routes = 16;
inline constexpr std::size_t most_scopes = 32;  // in conditions
inline constexpr std::size_t most_modules = 1024;
inline constexpr std::size_t most_addresses = std::size_t{1} << 17;
inline constexpr std::size_t most_sites = 256;  // that are named as those of survivors
inline constexpr std::size_t most_seen_scopes = 256;
inline constexpr std::size_t most_threads = 2048;
inline constexpr std::size_t path_bytes = 512;
inline constexpr std::size_t name_bytes = 128;

// The marks of a return address, and, the outer frames' functions added, those of a stack.
namespace marks {
// A place that `advise` tries takes a function and up to two that keep blocks.
inline constexpr unsigned most_functions = 24;
inline constexpr unsigned most_modules = 5;
constexpr std::uint32_t of_function(std::size_t i) {
  return std::uint32_t{1} << i;
}
constexpr std::uint32_t of_module(std::size_t i) {
  return std::uint32_t{1} << (most_functions + i);
}
inline constexpr std::uint32_t functions = of_function(most_functions) - 1;
inline constexpr std::uint32_t modules = of_module(most_modules) - of_module(0);
// All of the frame's code has the functions' marks: none of these functions is only inlined there.
inline constexpr std::uint32_t whole_frame = std::uint32_t{1} << 29;
inline constexpr std::uint32_t runtime = std::uint32_t{1} << 30;  // of C or C++: nobody's own
inline constexpr std::uint32_t known = std::uint32_t{1} << 31;
}  // namespace marks

// All of it has to hold.
struct route_rule {
  strategy how = strategy::heap;
  std::uint32_t marks = 0;   // of the stack
  std::uint32_t scopes = 0;  // that are open in the thread
  std::uint64_t smallest = 0;
  std::uint64_t largest = UINT64_MAX;  // bytes
  std::uint32_t without = 0;           // marks that the stack does not have

  bool is_scoped() const { return is_arena(how); }
  // The same blocks, whatever serves them.
  bool has_conditions_of(const route_rule& other) const {
    return marks == other.marks && scopes == other.scopes && without == other.without &&
           smallest == other.smallest && largest == other.largest;
  }
};

struct module_path {
  char text[path_bytes];
};

// Key: the module's number + 1, shifted by 40, and the address relative to its load bias. 0: none.
struct address_marks {
  std::atomic<std::uint64_t> key;
  std::atomic<std::uint32_t> marks;
};
inline constexpr unsigned module_shift = 40;

// Survivors of monotonic routes, by who asked for them.
struct survivor_site {
  std::atomic<std::uint64_t> key;  // of the address, and above it (bits 56 on) the route
  std::atomic<std::uint64_t> blocks;
};
inline constexpr unsigned route_shift = 56;

// Counts of one thread, so that counting takes no more than adding; of the next one when it has
// ended.
struct route_counts {
  std::atomic<std::uint64_t> blocks;
  std::atomic<std::uint64_t> bytes;
  std::atomic<std::uint64_t> passed_on;
  std::atomic<std::uint64_t> resets;
  std::atomic<std::uint64_t> survivors;
  std::atomic<std::uint64_t> freed_elsewhere;  // by other threads, in an invocation
};
struct alignas(64) thread_counts {
  std::atomic<std::uint32_t> pid;  // whose thread it is; 0: nobody's
  route_counts of[most_routes];
};

// The one who serves the blocks of a route. Behind a malloc they find their resources all the same,
// and are known as theirs: that takes the hook's time, whoever serves them.
enum class server : std::uint8_t { resource, malloc };
// A run's servers. In turns: each invocation of a scope has one of the two, and every route is by
// scope.
enum class serving : std::uint8_t { resources, malloc, in_turns };

// The turns of each server, see route/preload/turns.hpp.
inline constexpr std::size_t turn_groups = 16;
struct turn_sums {
  std::atomic<std::uint64_t> nanoseconds[2];
  std::atomic<std::uint64_t> blocks[2];
};

struct session : preload::session_head {
  std::uint32_t route_count = 0;
  bool walks = false;  // some condition is of functions or modules: stacks are needed
  bool by_frame_pointers = false;
  bool knows_frames =
      false;  // frames may stand for walks, in all runs that are compared or in none
  serving by = serving::resources;
  bool names_survivors = false;  // costs more: not for runs that count
  route_rule routes[most_routes];
  char scopes[most_scopes][name_bytes] = {};  // of conditions; the first scope_count
  std::uint32_t scope_count = 0;

  std::atomic<std::uint32_t> module_lock{};
  std::atomic<std::uint32_t> module_count{};
  std::atomic<std::uint32_t> entered_scopes{};    // of conditions
  std::atomic<std::uint32_t> seen_scope_count{};  // of others
  std::atomic<std::uint32_t> address_count{};
  std::atomic<std::uint32_t> epoch{};                  // of what addresses mean, and of their marks
  std::atomic<std::uint32_t> no_address_space{};       // processes that nothing could be routed in
  std::atomic<std::uint64_t> peak_bytes[most_routes];  // of any one process
  module_path modules[most_modules];
  char seen_scopes[most_seen_scopes][name_bytes] = {};
  survivor_site sites[most_sites];
  address_marks addresses[most_addresses];
  thread_counts threads[most_threads];
  std::array<turn_sums, turn_groups> turns[most_routes];
};

// The search for a key begins here.
inline std::size_t place_of(std::uint64_t key) {
  return static_cast<std::size_t>((key * 0x9e37'79b9'7f4a'7c15) >> 40) % most_addresses;
}

// The library takes at least so much address space.
inline constexpr std::size_t agent_bytes = std::size_t{512} << 20;

}  // namespace mallard::route
