#include "mallard/detail/checks/counting_registry.hpp"

#include <cstring>
#include <mutex>
#include <new>

#include "mallard/checks/counting_resource.hpp"

namespace mallard::inline v1::detail {

struct named_scope {
  scope_counts counts;
  named_scope* next;
};

namespace {

constinit std::mutex counted_lock;
constinit counted* first_counted = nullptr;
constinit counted* last_counted = nullptr;

void add_up(scope_counts& sum, const scope_counts& more) {
  ++sum.entries;
  sum.allocations += more.allocations;
  sum.deallocations += more.deallocations;
  sum.total_bytes += more.total_bytes;
  sum.peak_bytes = larger(sum.peak_bytes, more.peak_bytes);
  sum.peak_blocks = larger(sum.peak_blocks, more.peak_blocks);
  sum.kept_bytes += more.kept_bytes;
  sum.kept_blocks += more.kept_blocks;
}

}  // namespace

void counted::enroll() noexcept {
  const std::lock_guard hold(counted_lock);
  previous_ = last_counted;
  (last_counted != nullptr ? last_counted->next_ : first_counted) = this;
  last_counted = this;
}

void counted::strike_off() noexcept {
  const std::lock_guard hold(counted_lock);
  if (name_ != nullptr) {
    (previous_ != nullptr ? previous_->next_ : first_counted) = next_;
    (next_ != nullptr ? next_->previous_ : last_counted) = previous_;
  }
  while (scopes_ != nullptr) {
    named_scope* const gone = scopes_;
    scopes_ = gone->next;
    delete gone;
  }
}

void counted::add(const scope_counts& scope) noexcept {
  const std::lock_guard hold(counted_lock);
  named_scope** at = &scopes_;
  for (; *at != nullptr; at = &(*at)->next) {
    if (std::strcmp((*at)->counts.name, scope.name) == 0) return add_up((*at)->counts, scope);
  }
  *at = new (std::nothrow) named_scope{scope, nullptr};
}

void counted::for_each_scope(void (*what)(void* context, const scope_counts& scope),
                             void* context) const {
  for (const named_scope* s = scopes_; s != nullptr; s = s->next) what(context, s->counts);
}

void counted::for_each(void (*what)(void* context, const counted& one), void* context) {
  const std::lock_guard hold(counted_lock);
  for (const counted* c = first_counted; c != nullptr; c = c->next_) what(context, *c);
}

}  // namespace mallard::inline v1::detail
