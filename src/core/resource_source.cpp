#include <memory_resource>

#include "mallard/detail/core/slab_source.hpp"

namespace mallard::inline v1::detail {
namespace {

std::pmr::memory_resource& upstream_of(void* context) noexcept {
  return *static_cast<std::pmr::memory_resource*>(context);
}

void* take(void* context, std::size_t bytes, const slab_rescue& rescue) {
  try {
    return upstream_of(context).allocate(bytes, bytes);
  } catch (...) {
    if (!rescue()) throw;
    return nullptr;
  }
}

void give(void* context, void* p, std::size_t bytes) noexcept {
  upstream_of(context).deallocate(p, bytes, bytes);
}

bool pays(void* context) noexcept {
  return pays_for_memory(upstream_of(context));
}

}  // namespace

constinit const slab_source resource_source{take, give, pays};

}  // namespace mallard::inline v1::detail
