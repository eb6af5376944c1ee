#include "profile/subsystem_meter.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace mallard::profile {
namespace {

constexpr std::size_t stretches = 100;

// The entropy of the shares, in bits.
double entropy(const std::vector<std::uint64_t>& counts) {
  const auto all =
      static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}));
  double sum = 0;
  for (const std::uint64_t times : counts) {
    if (times == 0) continue;
    const double share = static_cast<double>(times) / all;
    sum -= share * std::log2(share);
  }
  return sum;
}

std::uint64_t different(const std::vector<std::uint64_t>& counts) {
  return static_cast<std::uint64_t>(
      std::count_if(counts.begin(), counts.end(), [](std::uint64_t one) { return one != 0; }));
}

double ratio(double part, double all) {
  return all > 0 ? part / all : 0;
}

std::size_t log2_of(std::uint64_t value, std::size_t most) {
  return std::min(static_cast<std::size_t>(std::bit_width(value | 1)) - 1, most);
}

}  // namespace

std::uint32_t size_class_of(std::uint64_t bytes) {
  if (bytes <= 16) return 0;
  const auto exponent = static_cast<std::uint32_t>(std::bit_width(bytes - 1)) - 1;  // 2^e < bytes
  const auto quarter = static_cast<std::uint32_t>((bytes - 1) >> (exponent - 2) & 3);
  return (exponent - 4) * 4 + quarter + 1;
}

std::uint64_t size_of_class(std::uint32_t size_class) {
  if (size_class == 0) return 16;
  const std::uint32_t exponent = (size_class - 1) / 4 + 4;
  const std::uint64_t quarter = (size_class - 1) % 4 + 1;
  if (exponent >= 63) return UINT64_MAX;
  return (std::uint64_t{1} << exponent) + (quarter << (exponent - 2));
}

void subsystem_meter::account::add(const account& other) {
  allocations += other.allocations;
  frees += other.frees;
  bytes += other.bytes;
  samples += other.samples;
  looks += other.looks;
  looks_in_heap += other.looks_in_heap;
  runs += other.runs;
  busy += other.busy;
  epoch_use += other.epoch_use;
  epoch_bytes += other.epoch_bytes;
  classes.resize(std::max(classes.size(), other.classes.size()));
  for (std::size_t i = 0; i < other.classes.size(); ++i) classes[i] += other.classes[i];
  threads.insert(other.threads);
}

subsystem_meter::subsystem_meter(std::string name, const meter_setting& setting, bool whole)
    : setting_(setting),
      whole_(whole),
      windows_(setting.windows),
      live_at_end_(setting.windows),
      stretches_(stretches),
      stretch_ns_((setting.until - setting.from) / stretches + 1) {
  out_.name = std::move(name);
}

// Closes the windows that have passed, with the bytes that live now.
void subsystem_meter::roll(std::uint64_t time) {
  if (windows_.empty() || time < window_lasts_) return;
  const std::uint64_t span = std::max<std::uint64_t>(1, setting_.until - setting_.from);
  const std::uint64_t since = time < setting_.from ? 0 : time - setting_.from;
  const auto now = std::min<std::size_t>(
      windows_.size() - 1,
      static_cast<std::size_t>(static_cast<double>(since) / static_cast<double>(span) *
                               static_cast<double>(windows_.size())));
  while (window_ < now) {
    live_at_end_[window_] = live_bytes_;
    ++window_;
    windows_[window_].peak = live_bytes_;
  }
  // Rounded down by more than the error of the division above.
  const auto lasts = static_cast<std::uint64_t>(
      static_cast<double>(span) *
      (static_cast<double>(window_ + 1) / static_cast<double>(windows_.size()) * (1 - 1e-12)));
  window_lasts_ = setting_.from + lasts - std::min<std::uint64_t>(lasts, 2);
}

subsystem_meter::account& subsystem_meter::window_at(std::uint64_t time) {
  roll(time);
  return current();
}

stretch_counts& subsystem_meter::stretch_at(std::uint64_t time) {
  const std::uint64_t since = time < setting_.from ? 0 : time - setting_.from;
  if (since - stretch_began_ >= stretch_ns_) {  // also where it is earlier
    stretch_ = std::min<std::size_t>(stretches - 1, since / stretch_ns_);
    stretch_began_ = stretch_ * stretch_ns_;
  }
  return stretches_[stretch_];
}

void subsystem_meter::busy(std::uint64_t time, std::uint32_t thread, bool allocation) {
  const double length = allocation ? setting_.allocation_ns : setting_.free_ns;
  account& here = window_at(time);
  here.busy += length;
  here.threads.insert(thread);
  if (!setting_.has_threads) return;
  stretch_counts& stretch = stretch_at(time);
  stretch.busy += length;
  stretch.operations.add(thread);
}

void subsystem_meter::touch_pages(const metered_block& block, bool allocation) {
  const std::uint64_t first = block.address / setting_.page_bytes;
  const std::uint64_t last =
      (block.address + std::max<std::uint64_t>(block.bytes, 1) - 1) / setting_.page_bytes;
  if (last - first > 1024) return;  // pages of its own: no diffusion there
  for (std::uint64_t page = first; page <= last; ++page) {
    const std::uint64_t key = (page + 1) << 4;
    if (key == 0) continue;  // there is no such page
    page_blocks* const found = pages_.find(key);
    if (allocation) {
      if (found) {
        ++found->blocks;
      } else {
        pages_.insert({key, 1});
      }
    } else if (found && --found->blocks == 0) {
      pages_.erase(found);
    }
  }
}

void subsystem_meter::allocated(const metered_block& block, bool by_reallocation) {
  busy(block.born, block.thread, true);
  account& here = window_at(block.born);
  const std::uint32_t size_class = size_class_of(block.bytes);
  ++here.allocations;
  here.bytes += block.bytes;
  if (size_class >= here.classes.size()) here.classes.resize(size_class + 1);
  ++here.classes[size_class];
  if (!by_reallocation) ++out_.total.allocations;
  out_.total.bytes += block.bytes;
  out_.slack_bytes += size_of_class(size_class) - block.bytes;
  sizes_.add(block.bytes);
  epoch_bytes_ += block.bytes;
  live_bytes_ += block.bytes;
  ++live_blocks_;
  epoch_peak_ = std::max(epoch_peak_, live_bytes_);
  here.peak = std::max(here.peak, live_bytes_);
  if (setting_.has_addresses) {
    if (!whole_) touch_pages(block, true);
    const std::uint64_t gap = block.address >= last_end_
                                  ? block.address - last_end_
                                  : last_born_ - (block.address + block.bytes);
    const bool near = block.address >= last_end_ || block.address + block.bytes <= last_born_;
    if (last_end_ != 0 && near && gap <= 128) ++neighbours_;
    last_born_ = block.address;
    last_end_ = block.address + block.bytes;
  }
  if (live_bytes_ > all_.peak) {
    all_.peak = live_bytes_;
    out_.total.peak_time = block.born;
    pages_at_peak_ = pages_.size();
  }
}

void subsystem_meter::freed(const metered_block& block, std::uint64_t time, std::uint32_t thread,
                            const block_end& how) {
  busy(time, thread, false);
  account& here = window_at(time);
  ++here.frees;
  out_.total.frees += how.why == block_end::cause::freed;
  out_.total.reallocations += how.why == block_end::cause::reallocated;
  out_.total.temporary += how.temporary;
  out_.total.remote_frees += how.remote;
  out_.total.moved_bytes += how.moved_bytes;
  live_bytes_ -= block.bytes;
  --live_blocks_;
  if (setting_.has_addresses && !whole_) touch_pages(block, false);
  const std::size_t lifetime = log2_of(time - std::min(time, block.born), 63);
  ++size_by_lifetime_[log2_of(block.bytes, 47)][lifetime];
  if (live_blocks_ == 0) {
    epochs_.add(epoch_bytes_);
    end_epoch();
  }
}

void subsystem_meter::end_epoch() {
  current().epoch_use += static_cast<double>(epoch_peak_);
  current().epoch_bytes += static_cast<double>(epoch_bytes_);
  epoch_bytes_ = 0;
  epoch_peak_ = 0;
}

void subsystem_meter::sampled(std::uint64_t time, bool in_heap) {
  account& here = window_at(time);
  ++here.samples;
  ++stretch_at(time).samples;
  if (time == last_sample_) return;
  last_sample_ = time;
  ++here.looks;
  here.looks_in_heap += in_heap;
}

void subsystem_meter::in_run(bool continued) {
  current().runs += !continued;
}
void subsystem_meter::at_peak(const placement& where) {
  peak_ = where;
}
void subsystem_meter::at_end(const placement& where) {
  end_ = where;
}

dimensions subsystem_meter::dims_of(const account& one, double wall, std::uint64_t unique_sizes,
                                    bool others) const {
  dimensions out;
  const auto allocations = static_cast<double>(one.allocations);
  const double operations = allocations + static_cast<double>(one.frees);
  const double cpu = static_cast<double>(one.samples * setting_.cpu_sample_ns);
  if (cpu > 0) {
    // Instructions are not counted: a nanosecond of processor time stands for one.
    out.D.literal = std::min(1.0, operations / cpu);
    if (setting_.allocation_ns > 0) out.D.scaled = one.busy / cpu;
  }
  if (one.allocations > 0) {
    out.V.literal = static_cast<double>(unique_sizes) / allocations;
    const auto classes = static_cast<double>(different(one.classes));
    out.V.scaled = classes > 1 ? std::min(1.0, entropy(one.classes) / std::log2(classes)) : 0.0;
    out.U.literal =
        std::min(1.0, ratio(static_cast<double>(one.peak), static_cast<double>(one.bytes)));
    if (one.epoch_bytes > 0) out.U.scaled = std::min(1.0, one.epoch_use / one.epoch_bytes);
    out.F.literal = others && one.allocations > 1 ? 1.0 : 0.0;
    out.F.scaled = !others || one.allocations < 2 || one.runs < 2
                       ? 0.0
                       : static_cast<double>(one.runs - 1) / (allocations - 1);
  }
  const auto threads = static_cast<double>(one.threads.size());
  if (setting_.has_threads && threads > 0 && wall > 0) {
    out.C.literal = threads > 1 ? std::min(1.0, one.busy / (threads * wall)) : 0.0;
  }
  return out;
}

contention subsystem_meter::contention_of_all(const recorder_times& times) const {
  return {stretches_, static_cast<double>(stretch_ns_), times};
}

void subsystem_meter::add_contention(subsystem& out, const contention& found) const {
  if (!out.dims.C.literal) return;
  out.dims.C.scaled = found.of(stretches_, 0, stretches);
  for (std::size_t i = 0; i < out.windows.size(); ++i) {
    if (!out.windows[i].dims.C.literal) continue;
    const std::size_t first = i * stretches / out.windows.size();
    const std::size_t last = ((i + 1) * stretches + out.windows.size() - 1) / out.windows.size();
    out.windows[i].dims.C.scaled = found.of(stretches_, first, last);
  }
}

subsystem subsystem_meter::finish(std::size_t subsystems,
                                  const std::vector<std::uint64_t>& cache_bytes) {
  roll(setting_.until);
  if (!live_at_end_.empty()) live_at_end_.back() = live_bytes_;
  if (epoch_bytes_ > 0) end_epoch();  // the last one; some blocks outlive it
  const double wall = static_cast<double>(setting_.until - setting_.from);
  for (const account& one : windows_) all_.add(one);
  if (whole_) pages_at_peak_ = peak_.pages;
  subsystem out = std::move(out_);
  const bool others = subsystems > 1;
  out.dims = dims_of(all_, wall, sizes_.different(), others);
  out.total.peak_bytes = all_.peak;
  out.total.live_blocks = live_blocks_;
  out.total.live_bytes = live_bytes_;
  out.cpu_ns = all_.samples * setting_.cpu_sample_ns;
  out.allocation_ns = static_cast<std::uint64_t>(all_.busy);
  out.looks = all_.looks;
  out.looks_in_heap = all_.looks_in_heap;
  out.unique_sizes = sizes_.different();
  out.effective_classes = all_.allocations > 0 ? std::exp2(entropy(all_.classes)) : 0;
  out.threads.assign(all_.threads.begin(), all_.threads.end());
  out.epochs = {epochs_.count(), epochs_.quantile(0.5), epochs_.max()};
  out.sizes = sizes_.sorted();
  for (std::size_t n = 0; n < size_by_lifetime_[0].size(); ++n) {
    std::uint64_t blocks = 0;
    for (const auto& row : size_by_lifetime_) blocks += row[n];
    if (blocks > 0) out.lifetimes.emplace_back(std::uint64_t{1} << n, blocks);
  }
  for (const auto& row : size_by_lifetime_)
    out.size_by_lifetime.emplace_back(row.begin(), row.end());
  if (all_.allocations > 0 && !out.dims.U.scaled) out.dims.U.scaled = 0;

  const auto pages = [&](std::uint64_t bytes, std::uint64_t unit) {
    return static_cast<double>((bytes + unit - 1) / unit);
  };
  layout& where = out.where;
  where.peak_bytes = all_.peak;
  if (setting_.has_addresses && all_.peak > 0) {
    where.page_diffusion = std::max(
        1.0, ratio(static_cast<double>(pages_at_peak_), pages(all_.peak, setting_.page_bytes)));
    if (peak_.bytes > 0) {
      where.line_diffusion = std::max(
          1.0, ratio(static_cast<double>(peak_.lines), pages(peak_.bytes, setting_.line_bytes)));
      where.page_purity =
          ratio(static_cast<double>(peak_.bytes), static_cast<double>(peak_.bytes_on_pages));
    }
    if (all_.allocations > 1) {
      where.neighbours =
          ratio(static_cast<double>(neighbours_), static_cast<double>(all_.allocations - 1));
    }
    where.kept_bytes =
        end_.pages * setting_.page_bytes - std::min(end_.bytes, end_.pages * setting_.page_bytes);
    // Blocks that fit a near cache are near wherever they lie.
    where.confidence = cache_bytes.empty()                                    ? "unknown"
                       : all_.peak > cache_bytes.back()                       ? "high"
                       : cache_bytes.size() > 1 && all_.peak > cache_bytes[1] ? "medium"
                                                                              : "low";
    const double footprint = static_cast<double>(pages_at_peak_ * setting_.page_bytes);
    const double turns = static_cast<double>(std::max<std::uint64_t>(1, transitions_));
    if (out.cpu_ns > 0 && footprint > 0) {
      out.dims.L.literal = std::min(1.0, static_cast<double>(out.cpu_ns) / (footprint * turns));
    }
    out.dims.L.scaled = 1.0 / where.page_diffusion;
  }
  for (std::size_t i = 0; i < windows_.size(); ++i) {
    const account& one = windows_[i];
    const double step = wall / static_cast<double>(windows_.size());
    const auto at = [&](std::size_t n) {
      const double past = step * static_cast<double>(n);
      // Also correct if the total does not fit a number of nanoseconds.
      return past < wall ? setting_.from + static_cast<std::uint64_t>(past) : setting_.until;
    };
    window row;
    row.from = at(i);
    row.until = at(i + 1);
    row.allocations = one.allocations;
    row.frees = one.frees;
    row.bytes = one.bytes;
    row.live_bytes = live_at_end_[i];
    row.peak_bytes = one.peak;
    row.cpu_ns = one.samples * setting_.cpu_sample_ns;
    row.allocation_ns = static_cast<std::uint64_t>(one.busy);
    row.dims = dims_of(one, step, different(one.classes), others);
    out.windows.push_back(std::move(row));
  }
  return out;
}

}  // namespace mallard::profile
