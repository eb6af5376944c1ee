#include "profile/trace/symbol_table.hpp"

#include "profile/trace/varint.hpp"

namespace mallard::profile {

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
    put_varint(out, one.direct ? 1 : 0);
    put_varint(out, one.lines.size());
    for (const symbol_line& line : one.lines) {
      put_varint(out, line.function);
      put_varint(out, line.file);
      put_varint(out, line.line);
    }
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
    one.direct = (in.varint() & 1) != 0;
    const std::uint64_t lines = in.varint();
    if (lines > in.left()) throw malformed("a symbol has too many lines");
    one.lines.resize(static_cast<std::size_t>(lines));
    for (auto& line : one.lines) {
      line.function = index();
      line.file = index();
      line.line = static_cast<std::uint32_t>(in.varint());
    }
    table.of[key] = std::move(one);
  }
}

}  // namespace mallard::profile
