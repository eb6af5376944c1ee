#include "lab/mallocs/team.hpp"

#include "lab/measuring/executed.hpp"

namespace mallard::lab::mallocs {

// Mallocs may keep a thread's tables there, too.
constexpr std::size_t stack_bytes = std::size_t{256} << 10;

std::span<team_member> make_members(own_memory& own, unsigned threads) {
  const auto members = own.make<team_member>(threads);
  for (team_member& one : members) one.stack = own.make_stack(stack_bytes);
  return members;
}

void give_up_team() {
  give_up("a thread cannot be created");
}

}  // namespace mallard::lab::mallocs
