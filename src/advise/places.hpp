// The places in the source where each subsystem allocates most: a watcher of a trace's blocks.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "advise/advice.hpp"
#include "profile/block_stream.hpp"
#include "profile/functions.hpp"
#include "profile/result.hpp"
#include "profile/subsystem_rules.hpp"

namespace mallard::advise {

// By its ending.
bool is_file_of_cpp(std::string_view file);

class place_finder final : public profile::block_watcher {
 public:
  place_finder(const profile::trace_reader& trace, const profile::function_table& functions)
      : trace_(trace),
        functions_(functions),
        bytes_(trace.stacks().size()),
        by_new_(trace.stacks().size()) {
    for (const auto& [what, name] : trace.facts().names) {
      const auto& [kind, number] = what;
      const bool is_new = kind == profile::name_kind::function && name.starts_with("operator new");
      if (is_new && number < is_new_.size()) knows_new_ = is_new_[number] = true;
    }
  }

  // When all has been told. One for each of dims.subsystems, in their order; `subsystems` has all
  // of them.
  std::vector<code_place> find(const profile::dims_result& dims,
                               const profile::subsystem_map& subsystems) const;

  void begin(const profile::live_table<profile::live_block>&) override {}
  void next(const profile::recorded&) override {}
  void operation(const profile::recorded&) override {}
  void died(const profile::recorded&, const profile::live_block&,
            const profile::block_end&) override {}
  void born(const profile::recorded& one, const profile::live_block& block) override {
    bytes_[block.stack] += block.bytes + 1;
    if (is_new_[one.what.function]) by_new_[block.stack] = true;
  }
  void outlived(const profile::live_block&) override {}
  void end() override {}
  void at_peak() override {}
  void sample(const profile::recorded&) override {}

 private:
  code_place place_of(std::uint32_t stack, const std::string& subsystem) const;
  std::vector<container_use> others_of(const std::vector<std::uint32_t>& stacks,
                                       const code_place& place) const;
  // The program's own code requests by malloc. `at`: who requests it.
  bool calls_malloc_itself(std::uint32_t stack, std::uint32_t at) const;
  const profile::symbol_line* own_line(std::uint32_t from, const std::string& last) const;

  const profile::trace_reader& trace_;
  const profile::function_table& functions_;
  std::vector<std::uint64_t> bytes_;   // by stack
  std::vector<bool> by_new_;           // likewise: operator new asked for some
  std::array<bool, 256> is_new_ = {};  // by the entry point's number
  bool knows_new_ = false;             // the recording tells operator new from malloc
};

}  // namespace mallard::advise
