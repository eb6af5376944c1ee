// Ways to hold a resource: by its own type, as an abstract base, by containers.
#include <memory_resource>
#include <thread>

#include "conformance/checks.hpp"
#include "conformance/containers.hpp"
#include "support/workbench.hpp"

namespace conformance {
namespace {

using mallard_test::live_block;
using mallard_test::require;
using mallard_test::workbench;

void bindings_are_interchangeable(const resource_case& what) {
  workbench bench(what);
  std::pmr::memory_resource& base = bench.resource().base();
  for (std::size_t i = 0; i < 400; ++i) {
    const std::size_t bytes = 16 + (i * 67) % 4000 * 16;
    const std::size_t alignment = std::size_t{1} << (i % 5);
    // Given by one binding and taken back by the other.
    void* const direct = bench.resource().allocate(bytes, alignment);
    bench.blocks.add(direct, bytes, alignment);
    void* const abstract = base.allocate(bytes, alignment);
    bench.blocks.add(abstract, bytes, alignment);
    if (i % 2 == 0) continue;
    const live_block second = bench.blocks.remove(bench.blocks.size() - 1);
    const live_block first = bench.blocks.remove(bench.blocks.size() - 1);
    bench.resource().deallocate(second.data, second.bytes, second.alignment);
    base.deallocate(first.data, first.bytes, first.alignment);
  }
  bench.blocks.verify();
  bench.finish();
}

void equality_is_identity(const resource_case& what) {
  workbench one(what);
  workbench other(what);
  const std::pmr::memory_resource& a = one.resource().base();
  const std::pmr::memory_resource& b = other.resource().base();
  require(a.is_equal(a) && a == a, "a resource does not equal itself");
  require(!a.is_equal(*std::pmr::null_memory_resource()), "equals a resource of another type");
  require(!std::pmr::null_memory_resource()->is_equal(a), "another type equals it");
  require(a.is_equal(b) == b.is_equal(a), "equality is not symmetric");
  // Two that hold their own memory cannot take each other's blocks.
  require(&a == &b || !a.is_equal(b), "equals another resource of its type");
}

void containers_by_type(const resource_case& what) {
  workbench bench(what);
  bench.resource().use_containers();
  bench.finish();
}

void containers_by_base(const resource_case& what) {
  workbench bench(what);
  use_containers_polymorphically(bench.resource().base());
  bench.finish();
}

void polymorphic_allocator_works(const resource_case& what) {
  workbench bench(what);
  std::pmr::polymorphic_allocator<std::byte> allocator(&bench.resource().base());
  long* const object = allocator.new_object<long>(42);
  void* const bytes = allocator.allocate_bytes(96, 16);
  bench.blocks.add(bytes, 96, 16);
  require(*object == 42, "new_object lost its value");
  allocator.delete_object(object);
  bench.blocks.clear();
  allocator.deallocate_bytes(bytes, 96, 16);
  bench.finish();
}

// "One thread at a time" includes being handed from thread to thread.
void threads_take_turns(const resource_case& what) {
  workbench bench(what);
  for (int turn = 0; turn < 4; ++turn) {
    std::string problem;
    std::thread([&] {
      try {
        for (std::size_t i = 0; i < 200; ++i) bench.allocate(16 + (i * 91) % 300 * 16, 16);
        for (std::size_t i = 0; i < 100; ++i) bench.deallocate((i * 7) % bench.blocks.size());
      } catch (const std::exception& e) {
        problem = e.what();
      }
    }).join();
    require(problem.empty(), problem);
  }
  bench.deallocate_all();
  bench.finish();
}

}  // namespace

void add_binding_checks(std::vector<check>& checks) {
  checks.push_back({"bindings_are_interchangeable",
                    "Blocks allocated through the type can be deallocated through "
                    "memory_resource*, and vice versa.",
                    always, bindings_are_interchangeable});
  checks.push_back({"equality_is_identity",
                    "A resource equals itself and no other; equality is symmetric.", always,
                    equality_is_identity});
  checks.push_back({"containers_by_type",
                    "The standard containers and scoped_allocator_adaptor work over "
                    "mallard::allocator<T, Resource>.",
                    always, containers_by_type});
  checks.push_back({"containers_by_base",
                    "The standard containers work over std::pmr::polymorphic_allocator.", always,
                    containers_by_base});
  checks.push_back({"polymorphic_allocator",
                    "new_object, allocate_bytes and their counterparts work.", always,
                    polymorphic_allocator_works});
  checks.push_back({"threads_take_turns", "A resource may pass from thread to thread.", always,
                    threads_take_turns});
}

}  // namespace conformance
