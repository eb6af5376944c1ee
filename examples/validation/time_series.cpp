// Measurements by sensor: series grow, and the oldest are dropped.
#include "variant.hpp"

using namespace example;

namespace {

class store {
 public:
  void add(std::uint64_t sensor, double value) {
    auto& one = series_.try_emplace(sensor).first->second;
    one.push_back(value);
    if (one.size() == 5000) {
      for (const double each : one) sum_ += each;
      series_.erase(sensor);
    }
  }
  std::uint64_t sum() const { return static_cast<std::uint64_t>(sum_); }

 private:
  memory<mallard::heap_resource> memory_;
  containers::map<std::uint64_t, containers::vector<double>> series_{memory_.get()};
  double sum_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  random_numbers random(20);
  store all;
  const std::uint64_t rounds = amount(argc, argv, 60) * 1'000'000;
  for (std::uint64_t i = 0; i < rounds; ++i) {
    all.add(random.below(500), static_cast<double>(i % 100));
  }
  return tell(all.sum());
}
