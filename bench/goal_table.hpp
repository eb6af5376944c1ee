// Purpose: prints goals beside what was measured, one line each, and counts them.
#pragma once

#include <cstdio>
#include <optional>
#include <string>

namespace {

class goal_table {
 public:
  // A figure that must not be above the goal.
  void at_most(const std::string& what, double goal, std::optional<double> measured,
               const std::string& where = "") {
    add(what, "<=", goal, measured, measured && *measured <= goal, where);
  }

  // A figure that must not be below it.
  void at_least(const std::string& what, double goal, std::optional<double> measured,
                const std::string& where = "") {
    add(what, ">=", goal, measured, measured && *measured >= goal, where);
  }

  int summary() const {
    std::printf("\n%d met, %d missed, %d without figures\n", met_, missed_, absent_);
    return missed_ + absent_ == 0 ? 0 : 1;
  }

 private:
  void add(const std::string& what, const char* relation, double goal,
           std::optional<double> measured, bool met, const std::string& where) {
    ++(measured ? (met ? met_ : missed_) : absent_);
    std::printf("%-8s %-66s goal %s %-7.4g", measured ? (met ? "met" : "MISSED") : "absent",
                what.c_str(), relation, goal);
    if (measured) std::printf(" measured %.4g", *measured);
    if (measured && !where.empty()) std::printf(" (%s)", where.c_str());
    std::printf("\n");
  }

  int met_ = 0;
  int missed_ = 0;
  int absent_ = 0;
};

}  // namespace
