#include "mallard/memory/numa.hpp"

#include <cerrno>

#include "mallard/detail/memory/failures.hpp"
#include "mallard/detail/os/mapping.hpp"
#include "mallard/detail/os/pages.hpp"

namespace mallard::inline v1 {
namespace {

namespace os = detail::os;

constexpr const char* numa_kind = "numa_resource";

os::node_policy system_policy(numa_policy policy) {
  switch (policy) {
    case numa_policy::bind:
      return os::node_policy::bind;
    case numa_policy::interleave:
      return os::node_policy::interleave;
    case numa_policy::preferred:
      return os::node_policy::preferred;
    case numa_policy::local:
      break;
  }
  return os::node_policy::local;
}

numa_options with_known_nodes(numa_options options) {
  const auto mask = static_cast<unsigned long long>(options.nodes);
  if ((options.policy == numa_policy::local) != (options.nodes == 0)) {
    detail::fail_memory(memory_fault::bad_limit, EINVAL, numa_kind, "nodes %#llx for this policy",
                        mask);
  }
  std::uint64_t allowed = 0;
  if (const int error = os::allowed_nodes(allowed)) {
    detail::fail_memory(memory_fault::not_available, error, numa_kind,
                        "memory policies are not available here");
  }
  if ((options.nodes & ~allowed) != 0) {
    detail::fail_memory(memory_fault::not_available, EINVAL, numa_kind,
                        "of nodes %#llx, only %#llx are available here", mask,
                        static_cast<unsigned long long>(allowed));
  }
  if (options.policy == numa_policy::preferred) options.nodes &= ~options.nodes + 1;
  return options;
}

}  // namespace

numa_resource::numa_resource(numa_options options)
    : range_resource({.who = numa_kind,
                      .limit_bytes = options.limit_bytes,
                      .largest_step = usual_largest_step}),
      options_(with_known_nodes(options)) {}

numa_resource::~numa_resource() = default;

std::uint64_t numa_resource::allowed_nodes() noexcept {
  std::uint64_t nodes = 0;
  return os::allowed_nodes(nodes) == 0 ? nodes : 0;
}

int numa_resource::node_of(const void* p) const noexcept {
  return owns(p) ? os::node_behind(p) : -1;
}

numa_report numa_resource::obtained() const noexcept {
  numa_report report;
  const std::size_t page = os::page_size();
  for (std::size_t i = 0; i < usable_bytes(); i += page) {
    const int node = os::node_behind(begin() + i);
    const bool known = node >= 0 && node < 64;
    (known ? report.bytes_of_node[static_cast<std::size_t>(node)] : report.untouched_bytes) += page;
  }
  return report;
}

int numa_resource::extend(std::byte* p, std::size_t bytes) noexcept {
  int error = os::set_nodes(p, bytes, system_policy(options_.policy), options_.nodes);
  if (error == 0) error = os::make_usable(p, bytes);
  return error;
}

}  // namespace mallard::inline v1
