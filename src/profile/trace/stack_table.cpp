#include "profile/trace/stack_table.hpp"

#include <algorithm>
#include <iterator>

namespace mallard::profile {
namespace {

std::uint64_t hash_of(const stack_node& node) {
  std::uint64_t h = node.ip * 0x9e3779b97f4a7c15u;
  h = (h ^ (h >> 29) ^ node.frame_address) * 0xbf58476d1ce4e5b9u;
  h = (h ^ (h >> 32) ^ node.parent) * 0x94d049bb133111ebu;
  return h ^ (h >> 31);
}

}  // namespace

std::uint32_t stack_table::child(std::uint32_t parent, const frame& one) {
  const stack_node wanted{one.ip, one.frame_address, parent};
  const std::uint32_t next = size();
  const std::uint32_t id = index_.find_or_add(
      hash_of(wanted), next, [&](std::uint32_t known) { return nodes_[known] == wanted; });
  if (id == next) {
    nodes_.push_back(wanted);
    if (index_.is_full(size())) refill_index();
  }
  return id;
}

std::uint32_t stack_table::intern(std::span<const frame> frames) {
  std::uint32_t id = 0;
  for (std::size_t i = frames.size(); i-- > 0;) id = child(id, frames[i]);
  return id;
}

void stack_table::forget(std::uint64_t begin, std::uint64_t end) {
  forgotten_.resize(nodes_.size());
  for (std::uint32_t id = 1; id < nodes_.size(); ++id) {
    if (nodes_[id].ip >= begin && nodes_[id].ip < end) forgotten_[id] = true;
  }
  refill_index();
}

void stack_table::refill_index() {
  index_.refill(
      size(), [&](std::uint32_t id) { return hash_of(nodes_[id]); },
      [&](std::uint32_t id) { return id >= forgotten_.size() || !forgotten_[id]; });
}

std::string stacks_to_bytes(const stack_table& table, std::uint32_t first, std::uint32_t last) {
  std::string out;
  put_varint(out, first);
  put_varint(out, last - first);
  std::uint64_t ip = 0;
  for (std::uint32_t id = first; id < last; ++id) {
    const stack_node& node = table[id];
    put_varint(out, id - node.parent);
    put_difference(out, node.ip, ip);
    put_difference(out, node.frame_address, table[node.parent].frame_address);
    ip = node.ip;
  }
  return out;
}

void stack_list::push_back(const stack_node& one) {
  nodes_.push_back({one.frame_address, place_of(one.ip), one.parent});
}

std::uint32_t stack_list::place_of(std::uint64_t ip) {
  const std::uint32_t next = places();
  const std::uint32_t place = index_.find_or_add(
      hash_of_number(ip), next, [&](std::uint32_t known) { return ips_[known] == ip; });
  if (place == next) {
    ips_.push_back(ip);
    if (index_.is_full(places())) {
      index_.refill(places(), [&](std::uint32_t known) { return hash_of_number(ips_[known]); });
    }
  }
  return place;
}

void read_stacks::add(std::string_view raw) {
  byte_reader in(raw);
  const std::uint64_t first = in.varint();
  const std::uint64_t count = in.varint();
  const std::uint64_t next = runs_.back().first_id + nodes_.size() - runs_.back().first_number;
  // A node takes three bytes at least.
  if (first < next || first > UINT32_MAX || count > in.left() / 3 || count > UINT32_MAX - first) {
    throw malformed("a chunk of stacks has impossible ids");
  }
  if (first > next && count > 0) runs_.push_back({first, nodes_.size()});
  std::uint64_t ip = 0;
  for (std::uint64_t id = first; id < first + count; ++id) {
    const std::uint64_t up = in.varint();
    if (up == 0 || up > id) throw malformed("a stack has an impossible caller");
    stack_node node;
    node.parent = number(id - up);  // 0, too, where it was lost
    node.ip = ip = in.difference(ip);
    node.frame_address = in.difference(nodes_.frame_address(node.parent));
    nodes_.push_back(node);
  }
}

// The last that begins at or before the id.
const read_stacks::run& read_stacks::run_of(std::uint64_t id) const {
  if (runs_.back().first_id <= id) return runs_.back();
  const auto after =
      std::upper_bound(runs_.begin(), runs_.end(), id,
                       [](std::uint64_t wanted, const run& one) { return wanted < one.first_id; });
  return *std::prev(after);
}

std::uint64_t read_stacks::numbers_until(const run& one) const {
  return &one == &runs_.back() ? nodes_.size() : (&one + 1)->first_number;
}

std::uint32_t read_stacks::number(std::uint64_t id) const {
  const run& in = run_of(id);
  const std::uint64_t at = in.first_number + (id - in.first_id);
  return at < numbers_until(in) ? static_cast<std::uint32_t>(at) : 0;
}

std::uint32_t read_stacks::numbers_before(std::uint64_t id) const {
  const run& in = run_of(id);
  const std::uint64_t at = in.first_number + (id - in.first_id);
  return static_cast<std::uint32_t>(std::min(at, numbers_until(in)));
}

}  // namespace mallard::profile
