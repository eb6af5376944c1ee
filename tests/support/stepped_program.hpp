// Programs of threads that take turns on what hands out blocks, and what has to hold when they have
// ended. Sanitizers see what is used in a wrong way, not what is lost on its way.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "support/choices.hpp"

namespace mallard_test {

// The resource that the programs run on. Errors of the functions: check_failure.
class stepped_subject {
 public:
  virtual void* allocate(std::size_t bytes) = 0;
  virtual void deallocate(void* p, std::size_t bytes) = 0;
  // The contents stay as far as both sizes go.
  virtual void* resize(void* p, std::size_t old, std::size_t bytes) = 0;
  virtual void trim() = 0;
  // With no block left and all threads but the calling one ended.
  virtual void expect_nothing_lost() = 0;

 protected:
  ~stepped_subject() = default;
};

// Blocks that any thread may free; the contents tell each.
class shared_blocks {
 public:
  explicit shared_blocks(stepped_subject& of) : of_(of) {}

  void allocate(std::size_t count, std::size_t bytes);
  // The oldest ones, as far as there are so many.
  void free_oldest(std::size_t count);
  // From one at `from` on, by turns with those behind.
  void free_some(std::size_t count, std::size_t from);
  void resize(std::size_t which, std::size_t bytes);
  std::size_t size() const { return live_.size(); }
  stepped_subject& subject() const { return of_; }

 private:
  struct block {
    unsigned char* p;
    std::size_t bytes;
    unsigned char mark;
  };
  static void fill(const block& b);
  static void expect_contents(const block& b, std::size_t bytes);
  void free_one(std::size_t which);

  stepped_subject& of_;
  std::vector<block> live_;
  unsigned char next_mark_ = 1;
};

using step = std::function<void(shared_blocks&)>;

// The program in every order that leaves each thread's steps in theirs; after its last step a
// thread ends at once. Returns how many orders there are. Errors: check_failure, with the order.
std::size_t run_in_every_order(stepped_subject& subject,
                               const std::vector<std::vector<step>>& program);

// Whatever the choices are: who does what next, in blocks of which size, who ends, who trims.
void run_stepped_program(stepped_subject& subject, std::span<const std::size_t> sizes,
                         choices& decide);

}  // namespace mallard_test
