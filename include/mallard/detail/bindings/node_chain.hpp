// Purpose: the chain of free nodes that containers of Boost's extended allocators pass around.
//
// The members and their meaning are those the containers use; a node's first word is its link.
#pragma once

#include <cstddef>
#include <iterator>
#include <utility>

#include "mallard/blocks.hpp"

namespace mallard::inline v1::detail {

template <class T>
class node_chain {
  struct link {
    link* next;
  };
  static link* link_of(void* node) noexcept { return static_cast<link*>(node); }
  static T* node_of(link* l) noexcept { return reinterpret_cast<T*>(l); }

 public:
  using value_type = T;
  using pointer = T*;
  using size_type = std::size_t;

  class iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using pointer = T*;
    using reference = T&;

    iterator() noexcept = default;
    T& operator*() const noexcept { return *node_of(at_); }
    T* operator->() const noexcept { return node_of(at_); }
    iterator& operator++() noexcept {
      at_ = at_->next;
      return *this;
    }
    iterator operator++(int) noexcept {
      const iterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(const iterator&, const iterator&) noexcept = default;

   private:
    friend node_chain;
    explicit iterator(link* at) noexcept : at_(at) {}
    link* at_ = nullptr;
  };

  struct pointer_pair {
    pointer first;
    pointer second;
  };

  node_chain() noexcept = default;
  explicit node_chain(const block_chain& blocks) noexcept {
    root_.next = link_of(blocks.front());
    if (!blocks.empty()) last_ = link_of(blocks.back());
    size_ = blocks.size();
  }
  node_chain(node_chain&& other) noexcept { swap(other); }
  node_chain& operator=(node_chain&& other) noexcept {
    clear();
    swap(other);
    return *this;
  }
  node_chain(const node_chain&) = delete;
  node_chain& operator=(const node_chain&) = delete;
  ~node_chain() = default;

  bool empty() const noexcept { return size_ == 0; }
  size_type size() const noexcept { return size_; }
  iterator before_begin() noexcept { return iterator(&root_); }
  iterator begin() noexcept { return iterator(root_.next); }
  iterator end() noexcept { return iterator(); }
  iterator last() noexcept { return iterator(last_link()); }

  // Forgets the nodes.
  void clear() noexcept {
    root_.next = last_ = nullptr;
    size_ = 0;
  }

  void push_front(pointer node) noexcept { incorporate_after(before_begin(), node, node, 1); }
  void push_back(pointer node) noexcept { incorporate_after(last(), node, node, 1); }
  iterator insert_after(iterator after, pointer node) noexcept {
    incorporate_after(after, node, node, 1);
    return iterator(link_of(node));
  }

  pointer pop_front() noexcept {
    link* const node = root_.next;
    root_.next = node->next;
    if (--size_ == 0) clear();
    return node_of(node);
  }

  // Inserts `count` nodes that are linked from `first` to `last_node` already.
  void incorporate_after(iterator after, pointer first, pointer last_node,
                         size_type count) noexcept {
    if (count == 0) return;
    const bool at_end = after.at_ == last_link();
    link* const end_of_run = link_of(last_node);
    end_of_run->next = at_end ? nullptr : after.at_->next;
    after.at_->next = link_of(first);
    if (at_end) last_ = end_of_run;
    size_ += count;
  }

  // Moves the `count` nodes behind `before_first` to `last_moved`, inclusive, out of `from`.
  void splice_after(iterator after, node_chain& from, iterator before_first, iterator last_moved,
                    size_type count) noexcept {
    if (count == 0) return;
    link* const first = before_first.at_->next;
    link* const behind = last_moved.at_->next;
    const bool took_last = last_moved.at_ == from.last_link();
    before_first.at_->next = behind;
    from.size_ -= count;
    if (took_last) from.last_ = before_first.at_ == &from.root_ ? nullptr : before_first.at_;
    incorporate_after(after, node_of(first), node_of(last_moved.at_), count);
  }
  void splice_after(iterator after, node_chain& from) noexcept {
    splice_after(after, from, from.before_begin(), from.last(), from.size());
  }

  void swap(node_chain& other) noexcept {
    std::swap(root_.next, other.root_.next);
    std::swap(last_, other.last_);
    std::swap(size_, other.size_);
  }

  // Returns the first and the last node; the chain is empty then.
  pointer_pair extract_data() noexcept {
    const pointer_pair ends{node_of(root_.next), node_of(last_)};
    clear();
    return ends;
  }

  // Returns the same nodes as a chain of blocks; this one is empty then.
  block_chain extract_blocks() noexcept {
    block_chain blocks = block_chain::of(root_.next, last_, size_);
    clear();
    return blocks;
  }

 private:
  link* last_link() noexcept { return size_ == 0 ? &root_ : last_; }

  link root_{nullptr};
  link* last_ = nullptr;
  size_type size_ = 0;
};

}  // namespace mallard::inline v1::detail
