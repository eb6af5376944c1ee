// The functions that mallard/profile.hpp calls.
#include <cstring>

#include "mallard/detail/recorder_calls.hpp"
#include "recorder/preload/hook.hpp"

namespace {

using namespace mallard::recorder;
using mallard::profile::detail::recorded_name;
using mallard::profile::detail::recorder_calls;
using mallard::profile::detail::recorder_calls_version;

// A hash of the text (FNV-1a) is the name's number, so no list is needed. Each trace gets the text
// once.
std::uint32_t number_of(recorded_name& name, name_of what, thread_log& log) noexcept {
  std::uint32_t number = 2166136261;
  const char* at = name.text;
  for (; *at != 0; ++at) number = (number ^ static_cast<unsigned char>(*at)) * 16777619;
  const std::uint32_t trace = processes_of(*process.all)[process.slot].pid;
  if (name.sent.exchange(trace, std::memory_order_relaxed) != trace) {
    log.write_text(message::name, number, static_cast<unsigned>(what), name.text,
                   static_cast<std::size_t>(at - name.text));
  }
  return number;
}

void scope_event(message kind, recorded_name& name, const frame_state& caller) noexcept {
  entered log;
  if (!log.everything()) return;
  log->write_scope(kind, number_of(name, name_of::scope, *log.operator->()), caller);
}

void resource_event(message kind, recorded_name& name, void* block, std::size_t bytes,
                    std::size_t alignment, const frame_state& caller) noexcept {
  entered log;
  if (!log.everything()) return;
  const std::uint32_t number = number_of(name, name_of::resource, *log.operator->());
  log->write({kind, function::malloc, static_cast<unsigned>(__builtin_ctzll(alignment)), now(),
              reinterpret_cast<std::uint64_t>(block), bytes, number},
             caller, 0);
}

void scope_enter(recorded_name& name) noexcept {
  scope_event(message::scope_enter, name, MALLARD_CALLER());
}
void scope_exit(recorded_name& name) noexcept {
  scope_event(message::scope_exit, name, MALLARD_CALLER());
}
void resource_allocate(recorded_name& name, void* block, std::size_t bytes,
                       std::size_t alignment) noexcept {
  resource_event(message::resource_allocate, name, block, bytes, alignment, MALLARD_CALLER());
}
void resource_deallocate(recorded_name& name, void* block, std::size_t bytes,
                         std::size_t alignment) noexcept {
  resource_event(message::resource_free, name, block, bytes, alignment, MALLARD_CALLER());
}

void pause() noexcept {
  process.paused.fetch_add(1, std::memory_order_relaxed);
}
void resume() noexcept {
  process.paused.fetch_sub(1, std::memory_order_relaxed);
}

void thread_name(const char* name) noexcept {
  entered log;
  if (log.frees()) log->write_text(message::thread_name, 0, 0, name, std::strlen(name));
}

}  // namespace

extern "C" {
[[gnu::visibility("default")]] extern const recorder_calls mallard_record_calls;
const recorder_calls mallard_record_calls{
    recorder_calls_version, scope_enter, scope_exit, resource_allocate,
    resource_deallocate,    pause,       resume,     thread_name};
}
