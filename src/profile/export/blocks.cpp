#include "profile/export/blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <vector>

#include "profile/live_table.hpp"

namespace mallard::profile {
namespace {

void end_block(live_table<block_row>& live, std::uint64_t address, const recorded& at,
               const std::function<void(const block_row&)>& take) {
  block_row* const found = address == 0 ? nullptr : live.find(address);
  if (found == nullptr) return;
  found->freed_ns = at.what.time;
  found->freed_by = at.thread;
  take(*found);
  live.erase(found);
}

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
  live_table<block_row> live;
  event_stream events = trace.events();
  for (recorded one; events.next(one);) {
    const event& what = one.what;
    if (one.sample || what.function == resource_function) continue;
    const bool frees = what.kind == event_kind::free || what.kind == event_kind::reallocate;
    const bool allocates = what.kind == event_kind::allocate || what.kind == event_kind::reallocate;
    if (!frees && !allocates) continue;
    if (what.kind == event_kind::free) {
      end_block(live, what.address, one, take);
      continue;
    }
    // A reallocation that failed leaves its block as it was.
    if (frees && (what.address != 0 || what.size == 0))
      end_block(live, what.old_address, one, take);
    if (what.address == 0) continue;
    end_block(live, what.address, one, take);  // its free was not recorded
    live.insert({what.address, what.size, what.time, one.thread, what.stack, {}, {}});
  }
  std::vector<block_row> rest;
  live.for_each([&](const block_row& one) { rest.push_back(one); });
  std::sort(rest.begin(), rest.end(),
            [](const block_row& a, const block_row& b) { return a.address < b.address; });
  for (const block_row& one : rest) take(one);
}

std::uint64_t write_csv(trace_reader& trace, const function_table& functions,
                        const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "w"),
                                                             &std::fclose);
  const auto fail = [&] {
    throw std::runtime_error(fmt::format("{}: {}", path, std::strerror(errno)));
  };
  if (!file) fail();
  std::string text =
      "address,bytes,allocated_ns,thread,freed_ns,freed_by,lifetime_ns,function,file,line\r\n";
  std::uint64_t rows = 0;
  const auto flush = [&] {
    if (std::fwrite(text.data(), 1, text.size(), file.get()) != text.size()) fail();
    text.clear();
  };
  for_each_block(trace, [&](const block_row& one) {
    const source_line place = functions.line(one.stack);
    fmt::format_to(std::back_inserter(text), "{:#x},{},{},{},", one.address, one.bytes,
                   one.allocated_ns, one.thread);
    if (one.freed_ns) {
      fmt::format_to(std::back_inserter(text), "{},{},{},", *one.freed_ns, *one.freed_by,
                     *one.freed_ns - std::min(*one.freed_ns, one.allocated_ns));
    } else {
      text += ",,,";
    }
    fmt::format_to(std::back_inserter(text), "{},{},{}\r\n", quoted(place.function),
                   quoted(place.file), place.line);
    ++rows;
    if (text.size() > (1 << 16)) flush();
  });
  flush();
  if (std::fflush(file.get()) != 0) fail();
  return rows;
}

}  // namespace mallard::profile
