#include "profile/trace/symbol_table.hpp"

#include "profile/trace/varint.hpp"

namespace mallard::profile {
namespace {

std::uint64_t bits_of(const symbol& one) {
  const place_flow& flow = one.flow;
  std::uint64_t bits = 0;
  unsigned place = 0;
  for (const bool bit : {one.direct, flow.known, flow.leaves, flow.skips, flow.jumps_on,
                         flow.outside, flow.begins.has_value()}) {
    bits |= std::uint64_t{bit} << place++;
  }
  return bits;
}

void set_bits(symbol& one, std::uint64_t bits) {
  place_flow& flow = one.flow;
  for (bool* const bit :
       {&one.direct, &flow.known, &flow.leaves, &flow.skips, &flow.jumps_on, &flow.outside}) {
    *bit = (bits & 1) != 0;
    bits >>= 1;
  }
  if ((bits & 1) != 0) flow.begins.emplace();
}

// As distances from one to the next.
void put_places(std::string& out, std::uint64_t ip, const std::vector<std::uint64_t>& places) {
  put_varint(out, places.size());
  for (const std::uint64_t place : places) {
    put_difference(out, place, ip);
    ip = place;
  }
}

void read_places(byte_reader& in, std::uint64_t ip, std::vector<std::uint64_t>& places) {
  const std::uint64_t count = in.varint();
  if (count > in.left()) throw malformed("a place has too many behind it");
  for (std::uint64_t i = 0; i < count; ++i) {
    ip = in.difference(ip);
    places.push_back(ip);
  }
}

void put_flow(std::string& out, std::uint64_t ip, const place_flow& flow) {
  put_difference(out, flow.calls, ip);
  put_places(out, ip, flow.next);
  if (flow.begins) put_places(out, ip, *flow.begins);
}

void read_flow(byte_reader& in, std::uint64_t ip, place_flow& flow) {
  flow.calls = in.difference(ip);
  read_places(in, ip, flow.next);
  if (flow.begins) read_places(in, ip, *flow.begins);
}

}  // namespace

std::uint32_t module_at(const std::vector<module_info>& modules, std::uint64_t ip,
                        std::uint32_t stack) {
  const auto none = static_cast<std::uint32_t>(modules.size());
  std::uint32_t otherwise = none;  // where it lies, at another time
  for (std::uint32_t i = none; i-- > 0;) {
    const module_info& one = modules[i];
    const std::uint64_t offset = ip - one.load_bias;
    for (const segment& part : one.segments) {
      if (offset - part.address >= part.bytes) continue;
      if (stack >= one.first_stack && stack < one.last_stack) return i;
      // A thread may be heard of before the one that told of the module.
      otherwise = i;
    }
  }
  return otherwise;
}

std::string to_bytes(const symbol_table& table) {
  std::string out;
  put_varint(out, table.strings.size());
  for (const auto& one : table.strings) put_text(out, one);
  put_varint(out, table.of.size());
  symbol_key before;
  for (const auto& [key, one] : table.of) {
    put_varint(out, key.module);
    put_difference(out, key.ip, before.ip);
    put_difference(out, one.start, key.ip);
    put_varint(out, bits_of(one));
    put_varint(out, one.lines.size());
    for (const symbol_line& line : one.lines) {
      put_varint(out, line.function);
      put_varint(out, line.file);
      put_varint(out, line.line);
    }
    if (one.flow.known) put_flow(out, key.ip, one.flow);
    before = key;
  }
  return out;
}

void read_symbols(std::string_view raw, symbol_table& table) {
  byte_reader in(raw);
  const auto base = static_cast<std::uint32_t>(table.strings.size());
  const std::uint64_t strings = in.varint();
  if (strings > in.left()) throw malformed("a table of symbols is too long");
  for (std::uint64_t i = 0; i < strings; ++i) table.strings.emplace_back(in.text());
  const auto index = [&]() {
    const std::uint64_t local = in.varint();
    if (local >= strings) throw malformed("a symbol has an impossible name");
    return local == 0 ? 0 : static_cast<std::uint32_t>(base + local);
  };
  const std::uint64_t symbols = in.varint();
  symbol_key key;
  for (std::uint64_t i = 0; i < symbols; ++i) {
    key.module = static_cast<std::uint32_t>(in.varint());
    key.ip = in.difference(key.ip);
    symbol one;
    one.start = in.difference(key.ip);
    const std::uint64_t bits = in.varint();
    set_bits(one, bits);
    const std::uint64_t lines = in.varint();
    if (lines > in.left()) throw malformed("a symbol has too many lines");
    one.lines.resize(static_cast<std::size_t>(lines));
    for (auto& line : one.lines) {
      line.function = index();
      line.file = index();
      line.line = static_cast<std::uint32_t>(in.varint());
    }
    if (one.flow.known) read_flow(in, key.ip, one.flow);
    table.of[key] = std::move(one);
  }
}

}  // namespace mallard::profile
