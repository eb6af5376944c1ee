#include <memory>
#include <memory_resource>
#include <string>
#include <vector>

#include "checks/planted_faults.hpp"
#include "mallard/checks/checked.hpp"
#include "mallard/checks/default_resource_guard.hpp"
#include "mallard/monotonic.hpp"
#include "mallard/multipool.hpp"
#include "mallard/wink_out.hpp"

namespace planted {

// It says that it owns nothing but memory of its resource, and holds what it is given.
struct holder {
  std::pmr::vector<int> numbers;
};

}  // namespace planted

template <>
struct mallard::winkable<planted::holder> : std::true_type {};

namespace planted {
namespace {

using fault = test_fault;
using mallard::checked;
using mallard::make;

}  // namespace

void add_bindings(std::vector<program>& to) {
  const auto add = [&](const char* name, fault expected, void (*run)(bench&, bool)) {
    to.push_back({name, expected, false, run});
  };
  add("a copy that goes to the default resource", fault::from_default, [](bench& b, bool plant) {
    const mallard::forbidden_default none(b.note());
    const std::pmr::vector<int> v(10, 7, &b.memory);
    if (plant) {
      const std::pmr::vector<int> copy(v);
    } else {
      const std::pmr::vector<int> copy(v, &b.memory);
    }
  });
  add("an allocator not passed to a temporary", fault::from_default, [](bench& b, bool plant) {
    const mallard::forbidden_default none(b.note());
    std::pmr::vector<std::pmr::string> names(&b.memory);
    if (plant) {
      names.push_back(std::pmr::string(100, 'x'));
    } else {
      names.emplace_back(100, 'x');
    }
  });
  add("winked out with memory of another resource", fault::effect, [](bench& b, bool plant) {
    checked<mallard::multipool_resource> pool(mallard::check_with{.on_fault = b.note()});
    std::pmr::memory_resource* const from =
        plant ? static_cast<std::pmr::memory_resource*>(&b.other) : &pool;
    make<holder>(pool, std::pmr::vector<int>(from))->numbers.assign(100, 7);
    pool.release();
  });
  add("a pool that is gone before what uses it", fault::leak, [](bench& b, bool plant) {
    checked<mallard::multipool_resource> pool(mallard::check_with{.on_fault = b.note()});
    void* const p = pool.allocate(24, 8);
    if (!plant) pool.deallocate(p, 24, 8);
  });
  add("an overrun in an arena", fault::overrun, [](bench& b, bool plant) {
    checked<mallard::monotonic_resource> arena(mallard::check_with{.on_fault = b.note()});
    auto* p = static_cast<char*>(arena.allocate(24, 8));
    asm volatile("" : "+r"(p));
    p[plant ? 24 : 23] = 'x';
    arena.rewind();
  });
}

}  // namespace planted
