#include "profile/export/blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <vector>

#include "profile/block_stream.hpp"

namespace mallard::profile {
namespace {

class rows final : public block_handler {
 public:
  explicit rows(const std::function<void(const block_row&)>& take) : take_(take) {}

  void died(const recorded& one, const live_block& block, const block_end&) {
    block_row row = row_of(block);
    row.freed_ns = one.what.time;
    row.freed_by = one.thread;
    take_(row);
  }
  void outlived(const live_block& block) { rest_.push_back(row_of(block)); }
  void finish() {
    std::sort(rest_.begin(), rest_.end(),
              [](const block_row& a, const block_row& b) { return a.address < b.address; });
    for (const block_row& one : rest_) take_(one);
  }

 private:
  static block_row row_of(const live_block& block) {
    return {block.address, block.bytes, block.born, block.thread, block.stack, {}, {}};
  }

  const std::function<void(const block_row&)>& take_;
  std::vector<block_row> rest_;
};

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

}  // namespace

void for_each_block(trace_reader& trace, const std::function<void(const block_row&)>& take) {
  rows all(take);
  block_stream(trace).run(trace.events(), all);
  all.finish();
}

std::uint64_t write_csv(trace_reader& trace, const function_table& functions, std::ostream& out) {
  out << "address,bytes,allocated_ns,thread,freed_ns,freed_by,lifetime_ns,function,file,line\r\n";
  std::uint64_t rows = 0;
  std::string text;
  for_each_block(trace, [&](const block_row& one) {
    const source_line place = functions.line(one.stack);
    text = fmt::format("{:#x},{},{},{},", one.address, one.bytes, one.allocated_ns, one.thread);
    if (one.freed_ns) {
      text += fmt::format("{},{},{},", *one.freed_ns, *one.freed_by,
                          *one.freed_ns - std::min(*one.freed_ns, one.allocated_ns));
    } else {
      text += ",,,";
    }
    text += fmt::format("{},{},{}\r\n", quoted(place.function), quoted(place.file), place.line);
    out << text;
    ++rows;
  });
  return rows;
}

}  // namespace mallard::profile
