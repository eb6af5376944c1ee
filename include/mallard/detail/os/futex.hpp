// Purpose: how a thread sleeps until another one wakes it.
#pragma once

#include <atomic>
#include <cstdint>

#include "mallard/detail/config.hpp"

namespace mallard::inline v1::detail::os {

// Returns at once unless `word` has the value; may return early.
void wait_while(std::atomic<std::uint32_t>& word, std::uint32_t value) noexcept;

void wake_one(std::atomic<std::uint32_t>& word) noexcept;

}  // namespace mallard::inline v1::detail::os
