// Purpose: lets a thread sleep until another one wakes it, or for a moment.
#pragma once

#include <cstdint>

#include "mallard/detail/config.hpp"

namespace mallard::inline v1::detail::os {

void wait_at(const void* word, std::uint32_t value) noexcept;
void wake_one_at(const void* word) noexcept;

// 0.1 ms and what the system adds, while other threads may run.
void sleep_briefly() noexcept;

// For use between two reads of a word that another thread is about to write.
inline void pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// `Word` is an atomic std::uint32_t. Returns at once unless it has the value; may return early.
template <class Word>
void wait_while(const Word& word, std::uint32_t value) noexcept {
  static_assert(sizeof(Word) == sizeof value);
  wait_at(&word, value);
}

template <class Word>
void wake_one(const Word& word) noexcept {
  static_assert(sizeof(Word) == sizeof(std::uint32_t));
  wake_one_at(&word);
}

}  // namespace mallard::inline v1::detail::os
