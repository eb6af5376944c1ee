#include "profile/trace/event_codec.hpp"

#include <algorithm>
#include <utility>

namespace mallard::profile {
namespace {

constexpr bool has_size(event_kind kind) {
  return kind == event_kind::allocate || kind == event_kind::reallocate;
}
// Frees may have one too, but seldom do: the table says which.
enum flag : std::uint8_t { timed = 1, sized = 2, other_address = 4 };

std::array<std::uint8_t, 4> combination(const event& one) {
  std::uint8_t flags = 0;
  if (one.cost != 0) flags |= timed;
  if (has_size(one.kind) || one.size != 0) flags |= sized;
  if (one.old_address != 0) flags |= other_address;
  return {static_cast<std::uint8_t>(one.kind), one.function, one.alignment_log2, flags};
}

}  // namespace

std::uint8_t event_encoder::operation_of(const event& one) {
  const auto wanted = combination(one);
  const auto found = std::find(table_.begin(), table_.end(), wanted);
  const auto index = found - table_.begin();
  if (found == table_.end()) table_.push_back(wanted);
  return static_cast<std::uint8_t>(index);
}

void event_encoder::add(const event& one) {
  const std::uint64_t time = std::max(one.time, latest_);
  if (count_ == 0) first_time_ = time;
  latest_ = time;
  const std::uint8_t operation = operation_of(one);
  const std::uint8_t flags = table_[operation][3];
  auto& last = memory_.of_kind[static_cast<std::size_t>(one.kind)];
  column_[codec::operations].push_back(static_cast<char>(operation));
  put_varint(column_[codec::times], time - memory_.time);
  put_difference(column_[codec::addresses], one.address, last.address);
  put_difference(column_[codec::stacks], one.stack, last.stack);
  if (flags & sized) put_difference(column_[codec::sizes], one.size, last.size);
  if (flags & other_address) {
    put_difference(column_[codec::others], one.old_address, last.old_address);
    last.old_address = one.old_address;
  }
  if (flags & timed) put_varint(column_[codec::costs], one.cost);
  memory_.time = time;
  last.address = one.address;
  last.stack = one.stack;
  if (flags & sized) last.size = one.size;
  ++count_;
}

std::string event_encoder::take() {
  std::string out;
  put_varint(out, count_);
  put_varint(out, table_.size());
  for (const auto& one : table_) {
    for (const std::uint8_t part : one) out.push_back(static_cast<char>(part));
  }
  for (const auto& one : column_) put_varint(out, one.size());
  for (const auto& one : column_) out += one;
  const std::uint64_t latest = latest_;  // not before this chunk's are the next one's
  *this = event_encoder();
  latest_ = latest;
  return out;
}

event_decoder::event_decoder(std::string_view raw) {
  byte_reader in(raw);
  left_ = in.varint();
  const std::uint64_t combinations = in.varint();
  if (combinations > 256) throw malformed("a chunk has too many kinds of operations");
  for (std::uint64_t i = 0; i < combinations; ++i) {
    std::array<std::uint8_t, 4> one;
    for (auto& part : one) part = in.byte();
    if (one[0] > static_cast<std::uint8_t>(event_kind::scope_exit)) {
      throw malformed("a chunk has an unknown kind of operation");
    }
    table_.push_back(one);
  }
  std::array<std::uint64_t, codec::columns> bytes;
  for (auto& one : bytes) one = in.varint();
  for (std::size_t i = 0; i < codec::columns; ++i) column_[i] = byte_reader(in.bytes(bytes[i]));
  if (left_ != bytes[codec::operations])
    throw malformed("a chunk has not as many events as it says");
}

bool event_decoder::next(event& one) {
  if (left_ == 0) return false;
  --left_;
  const std::uint8_t operation = column_[codec::operations].byte();
  if (operation >= table_.size()) throw malformed("a chunk has an unknown kind of operation");
  const auto& [kind, function, alignment, flags] = table_[operation];
  auto& last = memory_.of_kind[kind];
  one.kind = static_cast<event_kind>(kind);
  one.function = function;
  one.alignment_log2 = alignment;
  one.time = memory_.time += column_[codec::times].varint();
  one.address = last.address = column_[codec::addresses].difference(last.address);
  last.stack = column_[codec::stacks].difference(last.stack);
  one.stack = static_cast<std::uint32_t>(last.stack);
  one.size = 0;
  one.old_address = 0;
  one.cost = 0;
  if (flags & sized) one.size = last.size = column_[codec::sizes].difference(last.size);
  if (flags & other_address) {
    one.old_address = last.old_address = column_[codec::others].difference(last.old_address);
  }
  if (flags & timed) one.cost = static_cast<std::uint32_t>(column_[codec::costs].varint());
  return true;
}

}  // namespace mallard::profile
