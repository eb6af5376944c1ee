// Purpose: lets mallard/profile.hpp find the library that records this program, if there is one.
// That is preloaded, so nothing can be linked to it: it exports one table of functions, of this
// type and under this name, which the header looks up.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace mallard::profile::detail {

// A scope or a resource, known by its text: two of one name are one.
struct recorded_name {
  const char* text;
  std::atomic<std::uint32_t> sent{0};  // the recorder's: to which trace
};

struct recorder_calls {
  std::uint32_t version;
  void (*scope_enter)(recorded_name&) noexcept;
  void (*scope_exit)(recorded_name&) noexcept;
  void (*resource_allocate)(recorded_name&, void*, std::size_t bytes,
                            std::size_t alignment) noexcept;
  void (*resource_deallocate)(recorded_name&, void*, std::size_t bytes,
                              std::size_t alignment) noexcept;
  void (*pause)() noexcept;
  void (*resume)() noexcept;
  void (*thread_name)(const char*) noexcept;
};
inline constexpr std::uint32_t recorder_calls_version = 1;
inline constexpr const char* recorder_calls_symbol = "mallard_record_calls";

}  // namespace mallard::profile::detail
