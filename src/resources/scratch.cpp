#include "mallard/scratch.hpp"

namespace mallard::inline v1::detail {
namespace {

constinit thread_local scratch_scope* innermost = nullptr;

}  // namespace

scratch_scope*& innermost_scratch() noexcept {
  return innermost;
}

}  // namespace mallard::inline v1::detail
