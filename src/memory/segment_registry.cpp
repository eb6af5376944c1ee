#include "mallard/detail/memory/segment_registry.hpp"

#include <mutex>

#include "mallard/detail/os/fork.hpp"
#include "mallard/memory/segment.hpp"

namespace mallard::inline v1::detail {
namespace {

constinit std::mutex segments_lock;
constinit segment_resource* first_segment = nullptr;

}  // namespace

void segment_registry::add(segment_resource& resource) noexcept {
  static constinit os::fork_handlers handlers{[] { before_fork(); }, [] { after_fork(); },
                                              [] { in_child(); }};
  handlers.register_once();
  const std::lock_guard held(segments_lock);
  resource.next_ = first_segment;
  first_segment = &resource;
}

void segment_registry::remove(segment_resource& resource) noexcept {
  const std::lock_guard held(segments_lock);
  segment_resource** link = &first_segment;
  while (*link != &resource) link = &(*link)->next_;
  *link = resource.next_;
}

void segment_registry::before_fork() noexcept {
  segments_lock.lock();
  for (segment_resource* r = first_segment; r != nullptr; r = r->next_) r->lock_.lock();
}

void segment_registry::after_fork() noexcept {
  for (segment_resource* r = first_segment; r != nullptr; r = r->next_) r->lock_.unlock();
  segments_lock.unlock();
}

void segment_registry::in_child() noexcept {
  for (segment_resource* r = first_segment; r != nullptr; r = r->next_) {
    r->client_.forget();
    r->segment_.become_another_process();
  }
  after_fork();
}

}  // namespace mallard::inline v1::detail
