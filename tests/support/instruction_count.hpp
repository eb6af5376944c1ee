// Counts machine instructions exactly, by single-stepping: a measure of cost that is the same in
// every run, on a busy machine too.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

namespace mallard_test {

// Effects: in a child process, runs prepare() at full speed, then operation() step by step.
// Returns: the number of instructions of operation(), with a small constant for the call; nothing
// when the kernel does not allow tracing or the child dies. A step costs some microseconds, so
// operation() should be short.
std::optional<std::uint64_t> count_instructions(const std::function<void()>& prepare,
                                                const std::function<void()>& operation);

}  // namespace mallard_test
