// The conformance suite: every check, and how a resource type becomes a row of it.
//
// A new resource is one line in the file of its family:
//
//   cases.push_back(row<plain<my_resource>>("my_resource"));
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <memory_resource>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "conformance/containers.hpp"
#include "support/subject.hpp"

namespace conformance {

using mallard_test::resource_case;
using mallard_test::subject;

// One column of the table.
struct check {
  std::string name;         // as GoogleTest and the list of known failures spell it
  std::string description;  // a sentence for the documentation
  bool (*applies)(const resource_case&);
  void (*run)(const resource_case&);  // fails by check_failure
};

// Returns: every check there is, in the order of the table.
const std::vector<check>& all_checks();

// Makes a resource for a test. Each holder has a member `resource` and is constructed with
// the upstream to use.

template <class R>
struct plain {  // R{upstream}
  using type = R;
  static constexpr bool uses_upstream = true;
  R resource;
  // The upstream's own type is passed on: a pool treats one that never takes anything back
  // otherwise.
  explicit plain(auto* upstream) : resource(upstream) {}
};

template <class R>
struct by_default {  // R{}, whatever that takes its memory from
  using type = R;
  static constexpr bool uses_upstream = false;
  R resource;
  explicit by_default(std::pmr::memory_resource*) {}
};

template <class R, auto Options>
struct with_options {  // R{Options, upstream}
  using type = R;
  static constexpr bool uses_upstream = true;
  R resource;
  explicit with_options(auto* upstream) : resource(Options, upstream) {}
};

template <class R, std::size_t Bytes>
struct with_buffer {  // R{buffer, Bytes, upstream}
  using type = R;
  static constexpr bool uses_upstream = true;
  static constexpr std::size_t buffer_bytes = Bytes;
  std::byte buffer[Bytes];
  R resource;
  explicit with_buffer(auto* upstream) : resource(buffer, Bytes, upstream) {}
};

template <class Outer, class Inner>
struct on {  // the Outer holder on the Inner holder's resource
  using type = typename Outer::type;
  static constexpr bool uses_upstream = Inner::uses_upstream;
  static constexpr bool directly = false;  // the inner one may keep what it gets back
  Inner inner;
  Outer outer;
  type& resource = outer.resource;
  explicit on(auto* upstream) : inner(upstream), outer(&inner.resource) {}
};

// Facts about a type that are known without using it.
template <class R>
concept tries = requires(R& r) { r.try_allocate(std::size_t{}, std::size_t{}); };
template <class R>
concept releases = requires(R& r) { r.release(); };
template <class R>
concept rewinds = requires(R& r) { r.rewind(); };
template <class R>
concept marks = requires(R& r) { r.rewind(r.mark()); };
template <class R>
concept resets = requires(R& r) { r.reset(std::size_t{}); };
template <class R>
concept trims = requires(R& r) { r.trim(); };
template <class R>
concept resizes = requires(R& r, void* p) {
  requires R::deallocate_is_noop;  // heaps resize other blocks than those of `allocate`
  r.try_expand(p, std::size_t{}, std::size_t{});
  r.shrink(p, std::size_t{}, std::size_t{});
};

template <class R>
constexpr unsigned verbs_of() {
  using mallard_test::verb;
  const auto bit = [](bool has, verb v) { return has ? unsigned{v} : 0u; };
  return bit(tries<R>, verb::can_try_allocate) | bit(releases<R>, verb::can_release) |
         bit(rewinds<R>, verb::can_rewind) | bit(marks<R>, verb::can_mark) |
         bit(resets<R>, verb::can_reset) | bit(trims<R>, verb::can_trim) |
         bit(resizes<R>, verb::can_resize);
}

template <class R>
constexpr bool deallocate_is_noop_v = requires { requires R::deallocate_is_noop; };
template <>
inline constexpr bool deallocate_is_noop_v<std::pmr::monotonic_buffer_resource> = true;

// The adapter from a holder to the type-free interface.
template <class Holder>
class subject_of final : public subject {
  using resource_type = typename Holder::type;

 public:
  explicit subject_of(std::pmr::memory_resource* upstream) : holder_(upstream) {}

  std::pmr::memory_resource& base() override { return r(); }
  void* allocate(std::size_t bytes, std::size_t alignment) override {
    return r().allocate(bytes, alignment);
  }
  void deallocate(void* p, std::size_t bytes, std::size_t alignment) override {
    r().deallocate(p, bytes, alignment);
  }
  void use_containers() override { use_containers_with_types(r()); }

  void* try_allocate(std::size_t bytes, std::size_t alignment) override {
    if constexpr (tries<resource_type>) {
      static_assert(noexcept(r().try_allocate(bytes, alignment)));
      return r().try_allocate(bytes, alignment);
    } else {
      std::abort();
    }
  }
  void release() override {
    marks_.clear();
    if constexpr (releases<resource_type>) r().release();
  }
  void rewind() override {
    marks_.clear();
    if constexpr (rewinds<resource_type>) r().rewind();
  }
  void push_mark() override {
    if constexpr (marks<resource_type>) marks_.push_back(r().mark());
  }
  void rewind_to_last_mark() override {
    if constexpr (marks<resource_type>) r().rewind(marks_.back());
  }
  void drop_last_mark() override { marks_.pop_back(); }
  void reset([[maybe_unused]] std::size_t keep_bytes) override {
    marks_.clear();
    if constexpr (resets<resource_type>) r().reset(keep_bytes);
  }
  void trim() override {
    if constexpr (trims<resource_type>) r().trim();
  }
  bool try_expand([[maybe_unused]] void* p, [[maybe_unused]] std::size_t old_bytes,
                  [[maybe_unused]] std::size_t new_bytes) override {
    if constexpr (resizes<resource_type>) return r().try_expand(p, old_bytes, new_bytes) != 0;
    return false;
  }
  void shrink([[maybe_unused]] void* p, [[maybe_unused]] std::size_t old_bytes,
              [[maybe_unused]] std::size_t new_bytes) override {
    if constexpr (resizes<resource_type>) r().shrink(p, old_bytes, new_bytes);
  }

 private:
  struct no_mark {};
  template <class R>
  static auto mark_type_of() {
    if constexpr (marks<R>) {
      return std::type_identity<decltype(std::declval<R&>().mark())>();
    } else {
      return std::type_identity<no_mark>();
    }
  }

  resource_type& r() noexcept { return holder_.resource; }

  Holder holder_;
  std::vector<typename decltype(mark_type_of<resource_type>())::type> marks_;
};

template <class Holder>
resource_case row(std::string name) {
  resource_case out;
  out.name = std::move(name);
  out.verbs = verbs_of<typename Holder::type>();
  out.uses_upstream = Holder::uses_upstream;
  out.deallocate_is_noop = deallocate_is_noop_v<typename Holder::type>;
  if constexpr (requires { Holder::directly; }) out.directly = Holder::directly;
  if constexpr (requires { Holder::buffer_bytes; }) out.first_upstream_bytes = Holder::buffer_bytes;
  out.make = [](std::pmr::memory_resource* upstream) -> std::unique_ptr<subject> {
    return std::make_unique<subject_of<Holder>>(upstream);
  };
  return out;
}

// The same, for a resource that keeps lists of free blocks.
template <class Holder>
resource_case pool_row(std::string name) {
  resource_case out = row<Holder>(std::move(name));
  out.pools = true;
  return out;
}

}  // namespace conformance
