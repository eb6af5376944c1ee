// Purpose: intrusive circular doubly linked lists, by the two link members of a node.
#pragma once

namespace mallard::inline v1::detail {

template <class Node, Node* Node::* Next, Node* Node::* Prev>
struct ring {
  // Makes `node` a ring of its own when `before` is null.
  static void insert_before(Node* before, Node* node) noexcept {
    if (before == nullptr) {
      node->*Next = node->*Prev = node;
      return;
    }
    Node* const prev = before->*Prev;
    node->*Next = before;
    node->*Prev = prev;
    prev->*Next = before->*Prev = node;
  }

  // Returns the node that followed, or null when `node` was the only one.
  static Node* remove(Node* node) noexcept {
    Node* const next = node->*Next;
    if (next == node) return nullptr;
    (node->*Prev)->*Next = next;
    next->*Prev = node->*Prev;
    return next;
  }
};

}  // namespace mallard::inline v1::detail
