// Programs of threads that take turns on the engine, and what has to hold when they have ended.
#pragma once

#include <cstddef>
#include <vector>

#include "support/choices.hpp"

namespace malloc_test {

// Blocks that any thread may free; the contents tell each.
class shared_blocks {
 public:
  void allocate(std::size_t count, std::size_t bytes);
  // The oldest ones, as far as there are so many.
  void free_oldest(std::size_t count);
  // From one at `from` on, by turns with those behind.
  void free_some(std::size_t count, std::size_t from);
  void resize(std::size_t which, std::size_t bytes);
  std::size_t size() const { return live_.size(); }

 private:
  struct block {
    unsigned char* p;
    std::size_t bytes;
    unsigned char mark;
  };
  static void fill(const block& b);
  static void expect_contents(const block& b, std::size_t bytes);
  void free_one(std::size_t which);

  std::vector<block> live_;
  unsigned char next_mark_ = 1;
};

// With no block left and all threads but the calling one ended: no heap has kept a slab, and so no
// block is lost on its way.
void expect_nothing_lost();

// Whatever the choices are: who does what next, who ends, who trims.
void run_stepped_program(mallard_test::choices& decide);

}  // namespace malloc_test
