// Purpose: begins the heap profile, and writes it to files when something asks for one.
#pragma once

#include <cstddef>

namespace mallard::inline v1::detail {

inline constexpr std::size_t usual_mean_bytes = std::size_t{512} << 10;

// Returns 0 or ENOMEM; 0 bytes are the usual ones.
int begin_profile(std::size_t mean_bytes) noexcept;

// Guards one in so many calls, 0: none. Returns 0 or ENOMEM.
int begin_guarding(std::size_t mean_calls) noexcept;

// Write a file as the process ends, at a signal, and whenever live bytes have grown by so many.
void write_profile_at_exit() noexcept;
bool write_profile_at_signal(int signal) noexcept;  // false: there is no such signal
void write_profile_at_growth(std::size_t bytes) noexcept;
// The files are called PATH.PROCESS.NUMBER.pb. False when the path is too long.
bool set_profile_path(const char* path) noexcept;

// Call it after a sample, while the thread is inside nothing: writes a file if one is due.
void write_profile_if_due() noexcept;
// Call it as the process ends.
void write_last_profile() noexcept;

}  // namespace mallard::inline v1::detail
