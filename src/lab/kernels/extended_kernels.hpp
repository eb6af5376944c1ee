// The kernels of the benches of extended allocators, by library and strategy; null if there is
// none.
#pragma once

#include <cstddef>
#include <string_view>

#include "lab/kernels/extended_work.hpp"

namespace mallard::lab {

// A strategy's name and its kernel.
template <class Work>
struct named_kernel {
  std::string_view strategy;
  kernel_of<Work> run;
};

template <class Work, std::size_t Count>
kernel_of<Work> find_named(const named_kernel<Work> (&all)[Count], std::string_view strategy) {
  for (const auto& one : all) {
    if (one.strategy == strategy) return one.run;
  }
  return nullptr;
}

// Defined in extended_plain.cpp.
kernel_of<growth_work> realloc_growth(element_type type, growth_form form);
kernel_of<growth_work> std_growth();
kernel_of<shrink_work> std_shrink();
kernel_of<burst_work> std_burst(node_container what);
kernel_of<pool_work> std_list_pool();
kernel_of<realloc_work> plain_resize(const column& where);
kernel_of<mixed_work> plain_mixed(const column& where);

// With Boost's containers, in extended_growth_*.cpp and extended_nodes_*.cpp.
kernel_of<growth_work> mallard_growth(std::string_view strategy);
kernel_of<growth_work> boost_growth(std::string_view strategy);
kernel_of<shrink_work> mallard_shrink(std::string_view strategy);
kernel_of<shrink_work> boost_shrink(std::string_view strategy);
kernel_of<burst_work> mallard_burst(std::string_view strategy, node_container what);
kernel_of<burst_work> boost_burst(std::string_view strategy, node_container what);
kernel_of<burst_work> std_pool_burst(node_container what);
kernel_of<pool_work> mallard_pool(std::string_view strategy);
kernel_of<pool_work> boost_pool(std::string_view strategy);
kernel_of<pool_work> std_pool_pool();
kernel_of<mixed_work> boost_mixed(std::string_view strategy);

}  // namespace mallard::lab
