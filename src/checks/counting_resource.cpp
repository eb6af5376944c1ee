#include "mallard/checks/counting_resource.hpp"

#include <bit>
#include <new>
#include <utility>

#include "mallard/checks/synchronized_counting_resource.hpp"

namespace mallard::inline v1 {
namespace {

// The bytes in use may be read while they change, and be negative.
std::size_t not_negative(std::uint64_t n) {
  return static_cast<std::int64_t>(n) < 0 ? 0 : static_cast<std::size_t>(n);
}

std::ptrdiff_t difference(std::size_t now, std::size_t before) {
  return static_cast<std::ptrdiff_t>(now - before);
}

}  // namespace

namespace detail {

void counting_cell::add_to(counted_totals& sum) const noexcept {
  for (unsigned c = 0; c < counted_classes; ++c) {
    const std::uint64_t given = allocations[c].get();
    const std::uint64_t taken_back = deallocations[c].get();
    sum.allocations[c] += given;
    sum.deallocations[c] += taken_back;
    sum.counts.allocations += given;
    sum.counts.deallocations += taken_back;
  }
  sum.counts.in_use_blocks += in_use_blocks.get();
  sum.counts.in_use_bytes += in_use_bytes.get();
  sum.counts.total_bytes += total_bytes.get();
  sum.counts.largest_bytes = larger<std::size_t>(sum.counts.largest_bytes, largest_bytes.get());
  sum.counts.largest_alignment =
      larger<std::size_t>(sum.counts.largest_alignment, largest_alignment.get());
}

}  // namespace detail

void counting_resource::read(const void* self, detail::counted_totals& sum) noexcept {
  const auto& r = *static_cast<const counting_resource*>(self);
  r.cell_.add_to(sum);
  allocation_counts& counts = sum.counts;
  counts.in_use_blocks = not_negative(counts.in_use_blocks);
  counts.in_use_bytes = not_negative(counts.in_use_bytes);
  counts.peak_blocks = detail::larger(r.outer_peak_blocks_.get(), r.cell_.peak_blocks.get());
  counts.peak_bytes = detail::larger(r.outer_peak_bytes_.get(), r.cell_.peak_bytes.get());
}

allocation_counts counting_resource::counts() const noexcept {
  detail::counted_totals sum;
  read(this, sum);
  return sum.counts;
}

counting_scope::counting_scope(counting_resource& of, const char* name) noexcept
    : of_(of),
      name_(name),
      before_(of.counts()),
      peak_bytes_before_(of.cell_.peak_bytes.get()),
      peak_blocks_before_(of.cell_.peak_blocks.get()) {
  of_.outer_peak_bytes_.raise_to<detail::writers::one>(peak_bytes_before_);
  of_.outer_peak_blocks_.raise_to<detail::writers::one>(peak_blocks_before_);
  of_.cell_.peak_bytes.set(before_.in_use_bytes);
  of_.cell_.peak_blocks.set(before_.in_use_blocks);
}

counting_scope::~counting_scope() {
  if (name_ != nullptr) of_.counted_.add(counts());
  of_.cell_.peak_bytes.raise_to<detail::writers::one>(peak_bytes_before_);
  of_.cell_.peak_blocks.raise_to<detail::writers::one>(peak_blocks_before_);
}

scope_counts counting_scope::counts() const noexcept {
  const allocation_counts now = of_.counts();
  scope_counts out;
  out.name = name_;
  out.allocations = now.allocations - before_.allocations;
  out.deallocations = now.deallocations - before_.deallocations;
  out.total_bytes = now.total_bytes - before_.total_bytes;
  out.peak_bytes = of_.cell_.peak_bytes.get() - before_.in_use_bytes;
  out.peak_blocks = of_.cell_.peak_blocks.get() - before_.in_use_blocks;
  out.kept_bytes = difference(now.in_use_bytes, before_.in_use_bytes);
  out.kept_blocks = difference(now.in_use_blocks, before_.in_use_blocks);
  return out;
}

synchronized_counting_resource::~synchronized_counting_resource() {
  for (auto& cell : cells_) delete cell.load(detail::order::acquire);
}

synchronized_counting_resource::own_cell* synchronized_counting_resource::make_cell() noexcept {
  const unsigned number = detail::number_this_thread();
  if (number == 0) return nullptr;
  // A thread that had the number before may have made it.
  if (own_cell* const made = cells_[number].load(detail::order::acquire)) return made;
  own_cell* const made = new (std::nothrow) own_cell;
  cells_[number].store(made, detail::order::release);
  return made;
}

void synchronized_counting_resource::tell(own_cell& own) noexcept {
  using detail::writers;
  const std::uint64_t bytes = own.in_use_bytes.get();
  const std::uint64_t blocks = own.in_use_blocks.get();
  const std::uint64_t all_bytes =
      told_bytes_.add<writers::many>(bytes - std::exchange(own.told_bytes, bytes));
  const std::uint64_t all_blocks =
      told_blocks_.add<writers::many>(blocks - std::exchange(own.told_blocks, blocks));
  peak_bytes_.raise_to<writers::many>(not_negative(all_bytes));
  peak_blocks_.raise_to<writers::many>(not_negative(all_blocks));
}

void synchronized_counting_resource::read(const void* self, detail::counted_totals& sum) noexcept {
  using detail::writers;
  const auto& r = *static_cast<const synchronized_counting_resource*>(self);
  const own_cell* only = nullptr;
  unsigned cells = 0;
  for (const auto& cell : r.cells_) {
    const own_cell* const one = cell.load(detail::order::acquire);
    if (one == nullptr) continue;
    one->add_to(sum);
    only = one;
    ++cells;
  }
  r.of_others_.add_to(sum);
  allocation_counts& counts = sum.counts;
  counts.in_use_blocks = not_negative(counts.in_use_blocks);
  counts.in_use_bytes = not_negative(counts.in_use_bytes);
  if (cells == 1 && r.of_others_.total_bytes.get() == 0) {  // one thread: its own are exact
    r.peak_bytes_.raise_to<writers::many>(only->peak_bytes.get());
    r.peak_blocks_.raise_to<writers::many>(only->peak_blocks.get());
  }
  r.peak_bytes_.raise_to<writers::many>(counts.in_use_bytes);
  r.peak_blocks_.raise_to<writers::many>(counts.in_use_blocks);
  counts.peak_bytes = r.peak_bytes_.get();
  counts.peak_blocks = r.peak_blocks_.get();
}

allocation_counts synchronized_counting_resource::counts() const noexcept {
  detail::counted_totals sum;
  read(this, sum);
  return sum.counts;
}

allocation_counts synchronized_counting_resource::counts_of_this_thread() const noexcept {
  const own_cell* const own = cells_[detail::this_thread_number].load(detail::order::relaxed);
  if (own == nullptr) return {};
  detail::counted_totals sum;
  own->add_to(sum);
  sum.counts.in_use_blocks = not_negative(sum.counts.in_use_blocks);
  sum.counts.in_use_bytes = not_negative(sum.counts.in_use_bytes);
  sum.counts.peak_bytes = not_negative(own->peak_bytes.get());
  sum.counts.peak_blocks = not_negative(own->peak_blocks.get());
  return sum.counts;
}

}  // namespace mallard::inline v1
