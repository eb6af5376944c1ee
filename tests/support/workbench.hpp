// A check's tools: a resource, the test_resource below it, and the blocks it has given.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "mallard/checks/test_resource.hpp"
#include "support/live_blocks.hpp"
#include "support/require.hpp"
#include "support/strict_upstream.hpp"
#include "support/subject.hpp"

namespace mallard_test {

class workbench {
 public:
  explicit workbench(const resource_case& what) : what_(what), subject_(what.make(&upstream)) {}

  subject& resource() { return *subject_; }
  const resource_case& what() const { return what_; }

  void allocate(std::size_t bytes, std::size_t alignment) {
    blocks.add(subject_->allocate(bytes, alignment), bytes, alignment);
  }
  void deallocate(std::size_t index) {
    const live_block b = blocks.remove(index);
    subject_->deallocate(b.data, b.bytes, b.alignment);
  }
  void deallocate_all() {
    while (!blocks.empty()) deallocate(blocks.size() - 1);
  }

  // Fails when the resource has used its upstream wrongly so far.
  void expect_upstream_respected() {
    upstream.verify();
    const std::lock_guard lock(mutex_);
    require(faults_.empty(), "towards its upstream: ", faults_);
  }

  // The end of every check: the blocks are intact, and the destructor gives back every block of the
  // upstream, as it was got. The blocks may have been deallocated or not, if the resource has them
  // all in its hands.
  void finish() {
    blocks.verify();
    if (!what_.has(can_release)) deallocate_all();
    blocks.clear();
    subject_.reset();
    const auto counts = upstream.counts();
    require(counts.in_use_blocks == 0, "the destructor left ", counts.in_use_blocks,
            " upstream blocks (", counts.in_use_bytes, " bytes)");
    expect_upstream_respected();
  }

 private:
  void record(const mallard::test_report& r) {
    const std::lock_guard lock(mutex_);
    faults_ += std::string(mallard::to_string(r.fault)) + " of a block of " +
               std::to_string(r.expected_bytes) + " bytes; ";
  }

  const resource_case& what_;
  strict_upstream ground_;
  std::mutex mutex_;
  std::string faults_;

 public:
  // The place where its blocks come from is not looked at.
  mallard::test_resource upstream{
      {.stack_frames = 0}, [this](const mallard::test_report& r) { record(r); }, &ground_};
  live_blocks blocks;

 private:
  std::unique_ptr<subject> subject_;  // last: goes first
};

}  // namespace mallard_test
