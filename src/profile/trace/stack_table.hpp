// Stacks, each stored once. A stack is a path in a tree whose root is the outermost frame, and its
// id is the number of its innermost frame's node; 0 is no stack at all. So stacks share what they
// have in common, and a parent's id is always smaller than its children's.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "profile/trace/event.hpp"
#include "profile/trace/number_index.hpp"
#include "profile/trace/varint.hpp"

namespace mallard::profile {

struct stack_node {
  std::uint64_t ip = 0;
  std::uint64_t frame_address = 0;
  std::uint32_t parent = 0;  // 0: the outermost recorded frame

  friend bool operator==(const stack_node&, const stack_node&) = default;
};

class stack_table {
 public:
  stack_table() : nodes_(1) {}

  // The id of a stack, innermost frame first. O(frames).
  std::uint32_t intern(std::span<const frame> frames);
  std::uint32_t child(std::uint32_t parent, const frame& one);

  // Later stacks through addresses from `begin` to before `end` get new ids: another module may lie
  // there. O(size()).
  void forget(std::uint64_t begin, std::uint64_t end);

  std::uint32_t size() const { return static_cast<std::uint32_t>(nodes_.size()); }
  const stack_node& operator[](std::uint32_t id) const { return nodes_[id]; }
  const std::vector<stack_node>& nodes() const { return nodes_; }  // [0] is no stack

 private:
  void refill_index();

  std::vector<stack_node> nodes_;
  number_index index_;
  std::vector<bool> forgotten_;  // by id; shorter than nodes_ where none is
};

// Nodes from `first` to before `last` as bytes.
std::string stacks_to_bytes(const stack_table& table, std::uint32_t first, std::uint32_t last);

// Stacks by their numbers, [0] is no stack. They may be millions, of few return addresses: a stack
// takes 16 bytes, and which address it is of is a small number, its place.
class stack_list {
 public:
  stack_list() : nodes_(1), ips_(1) {}

  std::uint32_t size() const { return static_cast<std::uint32_t>(nodes_.size()); }
  stack_node operator[](std::uint32_t stack) const {
    const node& one = nodes_[stack];
    return {ips_[one.place], one.frame_address, one.parent};
  }
  std::uint32_t parent(std::uint32_t stack) const { return nodes_[stack].parent; }
  std::uint64_t frame_address(std::uint32_t stack) const { return nodes_[stack].frame_address; }
  void prefetch(std::uint32_t stack) const { __builtin_prefetch(&nodes_[stack]); }
  // The number of its return address among all; 0 for stack 0.
  std::uint32_t place(std::uint32_t stack) const { return nodes_[stack].place; }
  std::uint32_t places() const { return static_cast<std::uint32_t>(ips_.size()); }
  std::uint64_t ip_of_place(std::uint32_t place) const { return ips_[place]; }

  void reserve(std::size_t stacks) { nodes_.reserve(stacks); }
  void push_back(const stack_node& one);

 private:
  struct node {
    std::uint64_t frame_address = 0;
    std::uint32_t place = 0;
    std::uint32_t parent = 0;
  };
  std::uint32_t place_of(std::uint64_t ip);

  std::vector<node> nodes_;
  std::vector<std::uint64_t> ips_;  // by place; [0] is none
  number_index index_;              // of places
};

// The stacks of a trace that is read. Where a chunk of them was lost, the ids behind the gap are
// other numbers here, so that a gap takes no memory, however large a damaged file says it is.
class read_stacks {
 public:
  void reserve(std::size_t stacks) { nodes_.reserve(stacks); }
  // Appends the nodes that stacks_to_bytes wrote. Throws `malformed`; nodes before the bad one
  // stay.
  void add(std::string_view raw);

  const stack_list& nodes() const { return nodes_; }
  // The number here of a stack with this id in the file; 0: it is not known. O(log gaps).
  std::uint32_t number(std::uint64_t id) const;
  // Number of stacks here with ids below this one: the first number that may belong to a later id.
  std::uint32_t numbers_before(std::uint64_t id) const;

 private:
  struct run {  // of ids without a gap
    std::uint64_t first_id = 0;
    std::uint64_t first_number = 0;
  };
  const run& run_of(std::uint64_t id) const;
  std::uint64_t numbers_until(const run& one) const;

  stack_list nodes_;
  std::vector<run> runs_ = {{}};
};

}  // namespace mallard::profile
