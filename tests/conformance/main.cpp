// Registers every check of every resource of ours as a test of its own.
#include <gtest/gtest.h>

#include <exception>

#include "conformance/families.hpp"

namespace {

class conformance_test : public testing::Test {
 public:
  conformance_test(const conformance::check& check, const conformance::resource_case& resource)
      : check_(check), resource_(resource) {}

 private:
  void TestBody() override {
    try {
      check_.run(resource_);
    } catch (const std::exception& e) {
      FAIL() << e.what();
    }
  }

  const conformance::check& check_;
  const conformance::resource_case& resource_;
};

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  static const auto cases = conformance::our_cases();
  for (const auto& resource : cases) {
    for (const auto& check : conformance::all_checks()) {
      if (!check.applies(resource)) continue;
      testing::RegisterTest(resource.name.c_str(), check.name.c_str(), nullptr, nullptr, __FILE__,
                            __LINE__, [&resource, &check]() -> testing::Test* {
                              return new conformance_test(check, resource);
                            });
    }
  }
  return RUN_ALL_TESTS();
}
