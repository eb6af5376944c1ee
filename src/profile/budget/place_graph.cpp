#include "profile/budget/place_graph.hpp"

#include <algorithm>
#include <utility>

namespace mallard::profile {

place_graph::place_graph(const trace_reader& trace, const function_table& functions,
                         const stack_loads& loads)
    : trace_(trace), functions_(functions), starts_(functions.functions().size()) {
  const stack_list& stacks = trace.stacks();
  symbols_.resize(stacks.places());
  next_.resize(stacks.places());
  allocates_.resize(stacks.places());
  has_throws_ = std::any_of(
      functions.functions().begin(), functions.functions().end(),
      [](const function& one) { return one.name.starts_with("__cxa_allocate_exception"); });
  const auto& modules = trace.facts().modules;
  // If modules were unloaded, one address may be two modules' code; then nothing is known.
  if (std::any_of(modules.begin(), modules.end(),
                  [](const module_info& one) { return one.last_stack != UINT32_MAX; })) {
    return;
  }
  for (std::uint32_t id = 1; id < stacks.size(); ++id) {
    const std::uint32_t place = stacks.place(id);
    const std::uint64_t ip = stacks.ip_of_place(place);
    if (at_.try_emplace(ip, place).second) {
      const auto found = trace.symbols().of.find({module_at(modules, ip, id), ip});
      if (found == trace.symbols().of.end()) continue;
      symbols_[place] = &found->second;
      starts_[functions.of(id)].push_back(found->second.start);
      if (found->second.start != 0) function_at_[found->second.start] = functions.of(id);
    }
    const symbol* const known = symbols_[place];
    if (known != nullptr && known->flow.outside && loads.of(id).blocks > 0) {
      allocates_[place] = answer::yes;
    }
  }
  for (auto& starts : starts_) {
    std::sort(starts.begin(), starts.end());
    starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
  }
  for (std::uint32_t place = 1; place < symbols_.size(); ++place) {
    const symbol* const known = symbols_[place];
    if (known == nullptr || !known->flow.known) continue;
    for (const std::uint64_t ip : known->flow.next) next_[place].push_back(place_at(ip));
    function_code& code = code_[known->start];
    code.skips = code.skips || known->flow.skips;
    if (!known->flow.begins) continue;
    code.known = true;
    for (const std::uint64_t ip : *known->flow.begins) code.first.push_back(place_at(ip));
  }
}

// A place known when the code was read may be missing from the trace.
std::uint32_t place_graph::place_at(std::uint64_t ip) const {
  const auto found = at_.find(ip);
  return found == at_.end() ? UINT32_MAX : found->second;
}

bool place_graph::finds(std::vector<std::uint32_t> ahead, std::uint32_t wanted) {
  std::vector<std::uint32_t> met;
  while (!ahead.empty()) {
    const std::uint32_t place = ahead.back();
    ahead.pop_back();
    if (place == wanted) return true;
    if (place == UINT32_MAX || symbols_[place] == nullptr || !symbols_[place]->flow.known) {
      return true;
    }
    if (std::find(met.begin(), met.end(), place) != met.end()) continue;
    met.push_back(place);
    // The call would have been recorded, unless a throw ended it before.
    if (allocates(place) && (symbols_[place]->flow.outside || !has_throws_)) continue;
    if (wanted == end && symbols_[place]->flow.leaves) return true;
    ahead.insert(ahead.end(), next_[place].begin(), next_[place].end());
  }
  return false;
}

// Searches from `from`, where the thread was seen.
bool place_graph::finds_from(std::uint32_t from, std::uint32_t wanted) {
  const auto [at, fresh] = known_.try_emplace({from, wanted}, true);
  if (!fresh) return at->second;
  const symbol* const known = symbols_[from];
  if (known == nullptr || !known->flow.known) return true;
  const bool leaves = wanted == end && known->flow.leaves;
  const bool found = leaves || finds(next_[from], wanted);
  known_[{from, wanted}] = found;
  return found;
}

bool place_graph::reaches(std::uint32_t from, std::uint32_t to) {
  return finds_from(trace_.stacks().place(from), trace_.stacks().place(to));
}

bool place_graph::can_leave(std::uint32_t stack) {
  return finds_from(trace_.stacks().place(stack), end);
}

bool place_graph::can_enter(std::uint32_t stack) {
  const auto& starts = starts_[functions_.of(stack)];
  return starts.empty() || std::any_of(starts.begin(), starts.end(), [&](std::uint64_t start) {
           const auto code = code_.find(start);
           return code == code_.end() || !code->second.known ||
                  finds(code->second.first, trace_.stacks().place(stack));
         });
}

bool place_graph::may_vanish(std::uint32_t stack, std::uint32_t caller) const {
  const symbol* const known = symbols_[trace_.stacks().place(stack)];
  if (known == nullptr || !known->flow.known) return !code_.empty();
  return known->flow.jumps_on && (caller == 0 || called_from(caller) != functions_.of(stack));
}

std::uint32_t place_graph::called_from(std::uint32_t stack) const {
  const symbol* const known = symbols_[trace_.stacks().place(stack)];
  if (known == nullptr || !known->flow.known || known->flow.outside) return 0;
  const auto found = function_at_.find(known->flow.calls);
  return found == function_at_.end() ? 0 : found->second;
}

// Whether the call at this place cannot return without an allocation.
bool place_graph::allocates(std::uint32_t place) {
  if (allocates_[place] != answer::not_known) return allocates_[place] == answer::yes;
  allocates_[place] = answer::is_asked;
  const symbol* const known = symbols_[place];
  const bool found = known != nullptr && known->flow.known && !known->flow.outside &&
                     known->flow.calls != 0 && always_allocates(known->flow.calls);
  allocates_[place] = found ? answer::yes : answer::no;
  return found;
}

bool place_graph::always_allocates(std::uint64_t start) {
  const auto [at, fresh] = always_allocates_.try_emplace(start, answer::is_asked);
  if (!fresh) return at->second == answer::yes;
  const auto code = code_.find(start);
  const bool found = code != code_.end() && code->second.known && !code->second.skips &&
                     !code->second.first.empty() && !finds(code->second.first, end);
  always_allocates_[start] = found ? answer::yes : answer::no;
  return found;
}

}  // namespace mallard::profile
