// A table of mallocs: what each of them has in each column, and how many times the best one's it
// is.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/layout.hpp"

namespace mallard::cli {

class rivals_grid {
 public:
  // `head` stands above the names; `more_is_better` holds for all columns.
  rivals_grid(std::string head, bool more_is_better)
      : head_(std::move(head)), more_is_better_(more_is_better) {}

  // Without a value: it failed.
  void add(const std::string& malloc, const label& column, std::optional<double> value);

  // In the order of `names`. Ratios are right of the figures, or below them where there are many
  // columns. `with_mean`: the columns are of one figure, so their ratios have a geometric mean.
  std::string text(const std::vector<std::string>& names, bool with_mean, bool colour) const;

 private:
  using row = std::map<label, std::optional<double>>;

  // Returns how many times worse the value is than the best one in that column; 1 is the best.
  std::optional<double> ratio(const label& column, std::optional<double> value) const;
  std::vector<std::string> figures_of(const row& entries) const;
  std::vector<std::string> ratios_of(const row& entries, bool with_mean, bool colour) const;

  std::string head_;
  bool more_is_better_;
  std::map<std::string, row> rows_;
  std::map<label, std::optional<double>> best_;  // of each column, where any is good
};

}  // namespace mallard::cli
