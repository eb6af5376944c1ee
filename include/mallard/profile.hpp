// Purpose: tells `mallard record` about the program: its scopes, the names of its threads, the
// memory resource of each block, and when to record at all.
//
//   MALLARD_SCOPE("parse");  // until the end of the block
//   mallard::profiled_resource names{"names"};  // blocks show up as those of "names"
//   std::pmr::vector<int> numbers{&names};
//   numbers.push_back(1);
//
// Header only: nothing to link. Complexity: one load and a branch if nobody records, else an event,
// some 40 ns. Thread-safety: any thread may call all functions at any time; a profiled_resource is
// as safe as its upstream.
#pragma once

#include <dlfcn.h>

#include <cstddef>
#include <memory_resource>

#include "mallard/detail/config.hpp"
#include "mallard/detail/recorder_calls.hpp"
#include "mallard/detail/resources/allocate_from.hpp"
#include "mallard/resource_ref.hpp"

namespace mallard::profile {

namespace detail {

inline const recorder_calls* find_recorder() noexcept {
  const auto* const found =
      static_cast<const recorder_calls*>(dlsym(RTLD_DEFAULT, recorder_calls_symbol));
  return found != nullptr && found->version == recorder_calls_version ? found : nullptr;
}

// Null if nobody records, and before the program's static objects are made.
inline const recorder_calls* const recorder = find_recorder();

class [[nodiscard]] scope {
 public:
  explicit scope(recorded_name& name) noexcept : name_(name) {
    if (recorder != nullptr) [[unlikely]]
      recorder->scope_enter(name_);
  }
  ~scope() {
    if (recorder != nullptr) [[unlikely]]
      recorder->scope_exit(name_);
  }
  scope(const scope&) = delete;
  scope& operator=(const scope&) = delete;

 private:
  recorded_name& name_;
};

}  // namespace detail

// Returns: whether this process is being recorded. Never changes while it runs.
inline bool is_recorded() noexcept {
  return detail::recorder != nullptr;
}

// Effects: until resume(), which must be called as often, nothing of this process is recorded but
// frees, so that live blocks stay known.
inline void pause() noexcept {
  if (detail::recorder != nullptr) detail::recorder->pause();
}
inline void resume() noexcept {
  if (detail::recorder != nullptr) detail::recorder->resume();
}

// Effects: names the calling thread in the trace.
inline void thread_name(const char* name) noexcept {
  if (detail::recorder != nullptr) detail::recorder->thread_name(name);
}

}  // namespace mallard::profile

namespace mallard::inline v1 {

// Forwards to its upstream and tells the recorder. A trace counts its blocks apart from the heap's,
// since they lie inside those.
class MALLARD_API profiled_resource final : public std::pmr::memory_resource {
 public:
  // `name` and `upstream` must outlive this object.
  explicit profiled_resource(const char* name,
                             resource_ref upstream = std::pmr::get_default_resource()) noexcept
      : name_{name}, upstream_(upstream) {}
  profiled_resource(const profiled_resource&) = delete;
  profiled_resource& operator=(const profiled_resource&) = delete;

  const char* name() const noexcept { return name_.text; }
  std::pmr::memory_resource* upstream_resource() const noexcept { return upstream_; }

 private:
  // Errors: what the upstream throws; then nothing is recorded.
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    void* const block = detail::allocate_from(*upstream_, bytes, alignment);
    if (profile::detail::recorder != nullptr) [[unlikely]] {
      profile::detail::recorder->resource_allocate(name_, block, bytes, alignment);
    }
    return block;
  }

  void do_deallocate(void* block, std::size_t bytes, std::size_t alignment) override {
    if (profile::detail::recorder != nullptr) [[unlikely]] {
      profile::detail::recorder->resource_deallocate(name_, block, bytes, alignment);
    }
    upstream_->deallocate(block, bytes, alignment);
  }

  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return this == &other;
  }

  profile::detail::recorded_name name_;
  std::pmr::memory_resource* upstream_;
};

}  // namespace mallard::inline v1

#define MALLARD_PROFILE_JOIN_(a, b) a##b
#define MALLARD_PROFILE_NAME_(a, b) MALLARD_PROFILE_JOIN_(a, b)

// A scope of this name, from here to the end of the block. `name` is a string that lives as long as
// the program.
#define MALLARD_SCOPE(name) MALLARD_PROFILE_SCOPE_(name, __COUNTER__)
#define MALLARD_PROFILE_SCOPE_(name, number)                                        \
  static constinit ::mallard::profile::detail::recorded_name MALLARD_PROFILE_NAME_( \
      mallard_scope_name_, number){name};                                           \
  const ::mallard::profile::detail::scope MALLARD_PROFILE_NAME_(                    \
      mallard_scope_, number)(MALLARD_PROFILE_NAME_(mallard_scope_name_, number))
