// Purpose: notes effects of a watched destructor that winking out would leave undone.
#pragma once

#include "mallard/checks/call_stack.hpp"
#include "mallard/detail/config.hpp"

namespace mallard::inline v1 {

class test_resource;

namespace detail {

enum class effect { free, lock, other_resource, write, close };

// One watched destructor, of the thread that runs it.
struct MALLARD_API effect_watch {
  const test_resource* memory = nullptr;  // what it may use
  bool seen[5] = {};                      // by effect
  call_stack where[5];
};

// Null while nothing is watched. Only the calling thread sets and clears it.
MALLARD_STATIC_TLS
MALLARD_API extern constinit thread_local effect_watch* watched_effects;

// Effects: notes the effect with its stack, only the first of a kind.
MALLARD_API void note_effect(effect what) noexcept;

// Until the end of the scope the calling thread does Mallard's own work.
class [[nodiscard]] MALLARD_API unwatched {
 public:
  unwatched() noexcept : watch_(watched_effects) { watched_effects = nullptr; }
  unwatched(const unwatched&) = delete;
  unwatched& operator=(const unwatched&) = delete;
  ~unwatched() { watched_effects = watch_; }

  effect_watch* watch() const noexcept { return watch_; }

 private:
  effect_watch* watch_;
};

}  // namespace detail
}  // namespace mallard::inline v1
