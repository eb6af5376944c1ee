#include "lab/measuring/errand.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <new>

#include "lab/measuring/helper_process.hpp"
#include "lab/measuring/meters.hpp"
#include "lab/measuring/private_heap.hpp"

namespace mallard::lab {
namespace {

// Limits the address space of this process from now on; 0: no limit.
void limit_memory(std::uint64_t bytes) {
  if (bytes == 0) return;
  const rlimit limit{bytes, bytes};
  setrlimit(RLIMIT_AS, &limit);
}

template <std::size_t Size>
void copy_text(std::string_view text, std::array<char, Size>& to) {
  to = {};
  std::copy_n(text.begin(), std::min(text.size(), Size - 1), to.begin());
}

void measure_or_throw(const errand& what, kernel_function run, const void* work,
                      std::span<std::byte> buffer, readings& taken) {
  limit_memory(what.limits.memory_limit);
  if (what.limits.copies_heap && !what.prepares_itself) make_heap_private();
  if (!what.prepares_itself) reset_peak_resident();
  run(work, {buffer, what.limits.hint, what.limits.memory_limit}, taken);
  if (!taken.has("rss")) taken.add("rss", static_cast<double>(read_peak_resident_bytes()));
}

}  // namespace

void answer_head::fail(std::string_view why) {
  copy_text(why, error);
}

bool outcome::has(std::string_view name, std::int64_t part) const {
  return std::any_of(taken.begin(), taken.end(),
                     [&](const reading& one) { return one.what() == name && one.part == part; });
}

double outcome::value_of(std::string_view name, std::int64_t part) const {
  for (const reading& one : taken) {
    if (one.what() == name && one.part == part) return one.value;
  }
  return 0;
}

outcome failed_outcome(std::string why) {
  outcome failed;
  failed.error = std::move(why);
  return failed;
}

bool send_errand(int channel, const task& what, const measuring_limits& limits) {
  errand sent;
  sent.run = what.run;
  copy_text(what.name, sent.name);
  sent.limits = limits;
  sent.prepares_itself = what.prepares_itself;
  sent.work_bytes = static_cast<std::uint32_t>(what.work.size());
  return write_all(channel, &sent, sizeof sent) &&
         write_all(channel, what.work.data(), what.work.size());
}

void perform(const errand& what, kernel_function run, const void* work, std::span<std::byte> buffer,
             readings& taken, answer_head& answer) noexcept {
  try {
    measure_or_throw(what, run, work, buffer, taken);
  } catch (const std::bad_alloc&) {
    answer.fail("out of memory");
  } catch (const std::exception& problem) {
    answer.fail(problem.what());
  } catch (...) {
    answer.fail("an exception of unknown type");
  }
  answer.checksum = taken.checksum;
  answer.hint = taken.hint;
}

bool send_answer(int channel, answer_head answer, std::span<const reading> taken) {
  answer.count = taken.size();
  return write_all(channel, &answer, sizeof answer) &&
         write_all(channel, taken.data(), taken.size_bytes());
}

std::optional<outcome> receive_answer(int channel, bool (*give_up)()) {
  answer_head head;
  if (!read_all(channel, &head, sizeof head, give_up)) return std::nullopt;
  outcome got;
  got.error = head.error.data();
  got.library = head.library.data();
  got.checksum = head.checksum;
  got.hint = head.hint;
  got.taken.resize(head.count);
  if (!read_all(channel, got.taken.data(), head.count * sizeof(reading), give_up)) {
    return std::nullopt;
  }
  return got;
}

}  // namespace mallard::lab
