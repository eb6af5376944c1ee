#include "profile/trace/event_codec.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace mallard::profile {
namespace {

using codec::combination;
using codec::event_model;
using codec::in_heap;

constexpr bool has_size(event_kind kind) {
  return kind == event_kind::allocate || kind == event_kind::reallocate;
}
// Frees may have one too, but seldom do: the table says which.
enum flag : std::uint8_t { timed = 1, sized = 2, other_address = 4 };

combination combination_of(const event& one) {
  std::uint8_t flags = 0;
  if (one.cost != 0) flags |= timed;
  if (has_size(one.kind) || one.size != 0) flags |= sized;
  if (one.old_address != 0) flags |= other_address;
  return {static_cast<std::uint8_t>(one.kind), one.function, one.alignment_log2, flags};
}

// Outcome of the guesses, in one byte for each event.
enum stack_outcome : unsigned { after_two, after_one, new_stack, known_stack };
enum size_outcome : unsigned { as_guessed, as_before, other_size };
enum address_outcome : unsigned {
  first_guess,  // the likely freed block; the last freed one of the size
  next_block,   // the one allocated after the block freed last
  nth_freed,    // of the size
  behind_last,  // the block allocated last
  numbered,     // a block of the chunk, by its number back from the newest
  near,         // so many times 16 from the last one
  far,          // so many bytes from the last one
  unmoved,      // the block that was reallocated
};
constexpr unsigned operation_bit = 1, stack_shift = 1, size_shift = 3, address_shift = 5;

constexpr unsigned most_depth = 8;

address_outcome put_delta(std::string& to, std::uint64_t address, std::uint64_t last) {
  const auto delta = static_cast<std::int64_t>(address - last);
  if (delta % 16 == 0) {
    put_varint(to, fold(delta / 16));
    return near;
  }
  put_varint(to, fold(delta));
  return far;
}

std::uint64_t delta_of(byte_reader& from, unsigned outcome, std::uint64_t last) {
  const std::uint64_t delta = static_cast<std::uint64_t>(unfold(from.varint()));
  if (outcome == near) return last + 16 * delta;
  if (outcome == far) return last + delta;
  throw malformed("an address is coded in an unknown way");
}

}  // namespace

std::uint8_t event_encoder::operation_of(const combination& wanted) {
  const auto found = std::find(table_.begin(), table_.end(), wanted);
  const auto index = found - table_.begin();
  if (found == table_.end()) table_.push_back(wanted);
  return static_cast<std::uint8_t>(index);
}

unsigned event_encoder::add_stack(std::uint32_t stack) {
  if (stack == model_->stack_after_two()) return after_two;
  if (stack == model_->stack_after_one()) return after_one;
  const std::uint32_t highest = model_->highest_stack();
  put_varint(column_[codec::stacks], stack > highest ? stack - highest - 1 : highest - stack);
  return stack > highest ? new_stack : known_stack;
}

unsigned event_encoder::add_size(std::uint64_t size, std::uint64_t guess, std::uint64_t before) {
  if (size == guess) return as_guessed;
  if (size == before) return as_before;
  put_varint(column_[codec::sizes], size);
  return other_size;
}

unsigned event_encoder::add_freed(std::uint64_t address, std::uint32_t stack, std::string& to) {
  event_model& model = *model_;
  const auto likely = model.likely_freed(stack);
  if (likely != 0 && model.at(likely).address == address) return first_guess;
  const auto next = model.last_freed() + 1;
  if (next < model.blocks() && model.at(next).address == address) return next_block;
  if (const auto index = model.find(address); index != 0) {
    put_varint(to, model.blocks() - 1 - index);
    return numbered;
  }
  return put_delta(to, address, model.last_freed_address());
}

unsigned event_encoder::add_allocated(std::uint64_t address, std::uint64_t size) {
  event_model& model = *model_;
  std::string& to = column_[codec::addresses];
  auto free = model.freed_last(size);
  if (free != 0 && model.at(free).address == address) return first_guess;
  if (address == model.behind_last()) return behind_last;
  for (unsigned depth = 1; free != 0 && depth <= most_depth; ++depth) {
    free = model.freed_before(free);
    if (free == 0 || model.at(free).address != address) continue;
    put_varint(to, depth - 1);
    return nth_freed;
  }
  if (const auto index = model.find(address); index != 0) {
    put_varint(to, model.blocks() - 1 - index);
    return numbered;
  }
  return put_delta(to, address, model.last_address());
}

void event_encoder::add(const event& one) {
  if (!model_) model_ = models_->take(most);
  event_model& model = *model_;
  const std::uint64_t time = std::max(one.time, latest_);
  if (times_.empty()) first_time_ = time;
  latest_ = time;
  time_bits_ |= time;
  times_.push_back(time);

  unsigned outcome = add_stack(one.stack) << stack_shift;
  const combination wanted = combination_of(one);
  auto& site = model.of(one.stack);
  if (site.operation >= table_.size() || table_[site.operation] != wanted) {
    const std::uint8_t operation = operation_of(wanted);
    column_[codec::operations].push_back(static_cast<char>(operation));
    outcome |= operation_bit;
    if ((wanted[3] & timed) == 0) site.operation = operation;
  }
  const std::uint8_t flags = wanted[3];
  std::string& addresses = column_[codec::addresses];
  std::string& others = column_[codec::others];
  unsigned size = 0;
  unsigned address = 0;
  if (!in_heap(one)) {
    if (flags & sized) size = add_size(one.size, site.size, site.size_before);
    if (flags & other_address) put_varint(others, one.old_address);
    address = put_delta(addresses, one.address, model.last_address());
  } else if (one.kind == event_kind::free) {
    address = add_freed(one.address, one.stack, addresses);
    if (flags & sized) size = add_size(one.size, model.size_at(one.address), site.freed_size);
    if (flags & other_address) put_varint(others, one.old_address);
  } else {
    size = add_size(one.size, site.size, site.size_before);
    if (flags & other_address) {
      const std::size_t at = others.size();
      others.push_back(0);
      const unsigned old = add_freed(one.old_address, one.stack, others);
      others[at] = static_cast<char>(old);
    }
    address = one.address == one.old_address ? unmoved : add_allocated(one.address, one.size);
  }
  if (flags & timed) put_varint(column_[codec::costs], one.cost);
  outcome |= size << size_shift | address << address_shift;
  column_[codec::outcomes].push_back(static_cast<char>(outcome));
  model.saw(one);
}

std::string event_encoder::take(std::vector<std::size_t>* ends) {
  const int time_shift = time_bits_ == 0 ? 0 : std::countr_zero(time_bits_);
  std::uint64_t before = 0;
  for (const std::uint64_t time : times_) {
    put_varint(column_[codec::times], (time - before) >> time_shift);
    before = time;
  }
  std::string out;
  put_varint(out, times_.size());
  put_varint(out, static_cast<std::uint64_t>(time_shift));
  put_varint(out, table_.size());
  for (const auto& one : table_) {
    for (const std::uint8_t part : one) out.push_back(static_cast<char>(part));
  }
  for (const auto& one : column_) put_varint(out, one.size());
  for (const auto& one : column_) {
    if (ends) ends->push_back(out.size());
    out += one;
  }
  const std::uint64_t latest = latest_;  // not before this chunk's are the next one's
  models_->give_back(std::move(model_));
  *this = event_encoder(*models_);
  latest_ = latest;
  return out;
}

event_decoder::event_decoder(std::string_view raw, codec::model_pool& models) : models_(&models) {
  byte_reader in(raw);
  left_ = in.varint();
  const std::uint64_t time_shift = in.varint();
  if (time_shift >= 64) throw malformed("a chunk has an unknown unit of time");
  time_shift_ = static_cast<int>(time_shift);
  const std::uint64_t combinations = in.varint();
  if (combinations > 256) throw malformed("a chunk has too many kinds of operations");
  for (std::uint64_t i = 0; i < combinations; ++i) {
    combination one;
    for (auto& part : one) part = in.byte();
    if (one[0] > static_cast<std::uint8_t>(event_kind::scope_exit)) {
      throw malformed("a chunk has an unknown kind of operation");
    }
    table_.push_back(one);
  }
  std::array<std::uint64_t, codec::columns> bytes;
  for (auto& one : bytes) one = in.varint();
  for (std::size_t i = 0; i < codec::columns; ++i) column_[i] = byte_reader(in.bytes(bytes[i]));
  if (left_ != bytes[codec::outcomes]) throw malformed("a chunk has not as many events as it says");
  model_ = models.take(left_);
}

std::uint32_t event_decoder::stack(unsigned outcome) {
  if (outcome == after_two) return model_->stack_after_two();
  if (outcome == after_one) return model_->stack_after_one();
  const auto number = static_cast<std::uint32_t>(column_[codec::stacks].varint());
  const std::uint32_t highest = model_->highest_stack();
  return outcome == new_stack ? highest + 1 + number : highest - number;
}

std::uint64_t event_decoder::size(unsigned outcome, std::uint64_t guess, std::uint64_t before) {
  if (outcome == as_guessed) return guess;
  if (outcome == as_before) return before;
  return column_[codec::sizes].varint();
}

std::uint64_t event_decoder::numbered_block(byte_reader& from) {
  const std::uint64_t back = from.varint();
  if (back >= model_->blocks() - 1) throw malformed("an event is of a block that is not there");
  return model_->at(static_cast<event_model::block_index>(model_->blocks() - 1 - back)).address;
}

std::uint64_t event_decoder::freed(unsigned outcome, std::uint32_t stack, byte_reader& from) {
  event_model& model = *model_;
  const auto likely = model.likely_freed(stack);
  if (outcome == first_guess) return model.at(likely).address;
  if (outcome == next_block) {
    const auto next = model.last_freed() + 1;
    if (next >= model.blocks()) throw malformed("an event is of a block that is not there");
    return model.at(next).address;
  }
  if (outcome == numbered) return numbered_block(from);
  return delta_of(from, outcome, model.last_freed_address());
}

std::uint64_t event_decoder::allocated(unsigned outcome, std::uint64_t size) {
  event_model& model = *model_;
  byte_reader& from = column_[codec::addresses];
  if (outcome == first_guess || outcome == nth_freed) {
    auto free = model.freed_last(size);
    if (outcome == nth_freed) {
      const std::uint64_t depth = from.varint() + 1;
      if (depth > most_depth) throw malformed("an event is of a block that is not there");
      for (std::uint64_t i = 0; i < depth; ++i) free = model.freed_before(free);
    }
    return model.at(free).address;
  }
  if (outcome == behind_last) return model.behind_last();
  if (outcome == numbered) return numbered_block(from);
  return delta_of(from, outcome, model.last_address());
}

bool event_decoder::next(event& one) {
  if (left_ == 0) {
    if (model_) models_->give_back(std::move(model_));  // of a thread that may have ended
    return false;
  }
  --left_;
  event_model& model = *model_;
  const unsigned outcome = column_[codec::outcomes].byte();
  one = {};
  one.time = time_ += column_[codec::times].varint() << time_shift_;
  one.stack = stack(outcome >> stack_shift & 3);
  auto& site = model.of(one.stack);
  std::uint8_t operation = site.operation;
  if (outcome & operation_bit) operation = column_[codec::operations].byte();
  if (operation >= table_.size()) throw malformed("a chunk has an unknown kind of operation");
  const auto& [kind, function, alignment, flags] = table_[operation];
  if ((flags & timed) == 0) site.operation = operation;
  one.kind = static_cast<event_kind>(kind);
  one.function = function;
  one.alignment_log2 = alignment;
  const unsigned how_size = outcome >> size_shift & 3;
  const unsigned how_address = outcome >> address_shift;
  byte_reader& addresses = column_[codec::addresses];
  byte_reader& others = column_[codec::others];
  if (!in_heap(one)) {
    if (flags & sized) one.size = size(how_size, site.size, site.size_before);
    if (flags & other_address) one.old_address = others.varint();
    one.address = delta_of(addresses, how_address, model.last_address());
  } else if (one.kind == event_kind::free) {
    one.address = freed(how_address, one.stack, addresses);
    if (flags & sized) one.size = size(how_size, model.size_at(one.address), site.freed_size);
    if (flags & other_address) one.old_address = others.varint();
  } else {
    one.size = size(how_size, site.size, site.size_before);
    if (flags & other_address) one.old_address = freed(others.byte(), one.stack, others);
    one.address = how_address == unmoved ? one.old_address : allocated(how_address, one.size);
  }
  if (flags & timed) one.cost = static_cast<std::uint32_t>(column_[codec::costs].varint());
  model.saw(one);
  return true;
}

}  // namespace mallard::profile
