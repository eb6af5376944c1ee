// Writes a stack profile in other tools' formats.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "profile/views/stack_profile.hpp"

namespace mallard::profile {

// "main;parse;malloc 120\n" for each stack with that weight, as flamegraph.pl, inferno and
// speedscope read it. Semicolons and line ends in names become ':' and ' '.
std::string to_collapsed(const stack_profile& profile, const weight_kind& weight);
// The same, one stack at a time.
void for_each_collapsed(
    const stack_profile& profile, const weight_kind& weight,
    const std::function<void(const std::string& stack, std::uint64_t value)>& take);

// https://www.speedscope.app/file-format-schema.json, with one profile for each weight that occurs.
std::string to_speedscope(const stack_profile& profile, const std::string& title);

struct recording_time {
  std::int64_t start_nanoseconds = 0;     // since 1970
  std::int64_t duration_nanoseconds = 0;  // of the recording
};

// profile.proto of https://github.com/google/pprof, uncompressed, with all weights as sample types.
std::string to_pprof(const stack_profile& profile, const recording_time& time);

}  // namespace mallard::profile
