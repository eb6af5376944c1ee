#include "lab/bench/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "lab/measuring/usage_error.hpp"

namespace mallard::lab {
namespace {

std::string text_for(const axis& one, const bench_request& asked, const place& before) {
  const auto typed = asked.texts.find(one.name);
  if (typed != asked.texts.end()) return typed->second;
  return asked.quick ? one.quick(before) : one.usual(before);
}

double scale_of(const bench& what, const bench_request& asked) {
  if (asked.scale) return parse_scale(*asked.scale);
  return parse_scale(asked.quick ? what.quick_scale : what.usual_scale);
}

void take_scale(place& values, double scale) {
  const place before = values;
  for (const auto& [name, value] : before) {
    if (const auto* count = std::get_if<std::int64_t>(&value)) {
      const auto less = scaled(static_cast<std::uint64_t>(*count), scale);
      values[name] = static_cast<std::int64_t>(less);
    } else if (const auto* number = std::get_if<double>(&value)) {
      values[name] = *number * scale;
    }
  }
}

class crossing {
 public:
  crossing(const bench& what, const bench_request& asked)
      : what_(what), asked_(asked), scale_(scale_of(what, asked)) {
    for (const auto& typed : asked.texts) {
      const bool known = std::any_of(what.axes.begin(), what.axes.end(),
                                     [&](const axis& one) { return one.name == typed.first; });
      if (!known) throw usage_error(fmt::format("{} has no --{}", what.name, typed.first));
    }
    place start;
    start["seed"] = static_cast<std::int64_t>(asked.seed);
    add(0, start);
  }

  std::vector<planned_place> take() { return std::move(found_); }

 private:
  void add(std::size_t depth, const place& before) {
    if (depth == what_.axes.size()) return finish(before);
    const axis& one = what_.axes[depth];
    const std::string text = text_for(one, asked_, before);
    const std::vector<place> values = one.read("--" + one.name, text);
    if (one.role != axis_role::key && values.size() != 1) {
      throw usage_error(fmt::format("--{}: '{}' is not one value", one.name, text));
    }
    for (place value : values) {
      if (one.is_scaled) take_scale(value, scale_);
      if (one.role == axis_role::key) {
        for (const auto& entry : value) key_names_.insert(entry.first);
      }
      place longer = before;
      longer.join(value);
      add(depth + 1, longer);
    }
  }

  void finish(place all) {
    if (what_.accept && !what_.accept(all)) return;
    place key;
    for (const auto& [name, value] : all) {
      if (key_names_.contains(name)) key[name] = value;
    }
    found_.push_back({std::move(all), std::move(key)});
  }

  const bench& what_;
  const bench_request& asked_;
  double scale_;
  std::set<std::string, std::less<>> key_names_;
  std::vector<planned_place> found_;
};

}  // namespace

std::vector<planned_place> make_places(const bench& what, const bench_request& asked) {
  return crossing(what, asked).take();
}

place common_parameters(const bench& what, const bench_request& asked,
                        const std::vector<planned_place>& places) {
  place parameters;
  if (places.empty()) return parameters;
  for (const axis& one : what.axes) {
    if (one.role != axis_role::parameter) continue;
    // The value as read and scaled.
    const auto found = places.front().all.find(one.name);
    if (found != places.front().all.end()) parameters[one.name] = found->second;
  }
  if (!what.scaled.empty()) parameters["scale"] = scale_of(what, asked);
  return parameters;
}

void check_any_kernel(const bench_plan& plan) {
  for (const planned_place& where : plan.places) {
    for (const contender& who : plan.contenders) {
      if (plan.what->kernel(who, where.all)) return;
    }
  }
  throw usage_error(
      "there is nothing to measure: none of the peers has any of the strategies in these forms and "
      "sizes (see 'mallard bench list')");
}

std::uint64_t scaled(std::uint64_t count, double scale) {
  return std::max<std::uint64_t>(
      1, static_cast<std::uint64_t>(std::llround(static_cast<double>(count) * scale)));
}

std::vector<contender> make_contenders(const std::vector<contender>& columns,
                                       const std::vector<std::string>& heaps) {
  std::vector<contender> all;
  for (const std::string& heap : heaps) {
    for (contender one : columns) {
      one.heap = heap;
      all.push_back(std::move(one));
    }
  }
  return all;
}

}  // namespace mallard::lab
