// The functions that mallard/profile.hpp calls: scopes are conditions of routes; the rest does
// nothing.
#include "mallard/detail/recorder_calls.hpp"
#include "route/preload/thread.hpp"

namespace {

using namespace mallard::route;
using mallard::profile::detail::recorded_name;
using mallard::profile::detail::recorder_calls;
using mallard::profile::detail::recorder_calls_version;

template <class Do>
void in_thread(Do&& what) noexcept {
  if (this_thread.busy) return;
  routing_thread* const thread = this_thread.state != nullptr ? this_thread.state : make_ready();
  if (thread == nullptr) return;
  this_thread.busy = true;
  what(*thread);
  this_thread.busy = false;
}

void scope_enter(recorded_name& name) noexcept {
  in_thread([&](routing_thread& thread) { thread.enter_scope(name.text); });
}
void scope_exit(recorded_name& name) noexcept {
  in_thread([&](routing_thread& thread) { thread.exit_scope(name.text); });
}
void resource_event(recorded_name&, void*, std::size_t, std::size_t) noexcept {}
void nothing() noexcept {}
void thread_name(const char*) noexcept {}

}  // namespace

extern "C" {
[[gnu::visibility("default")]] extern const recorder_calls mallard_record_calls;
const recorder_calls mallard_record_calls{
    recorder_calls_version, scope_enter, scope_exit, resource_event,
    resource_event,         nothing,     nothing,    thread_name};
}
