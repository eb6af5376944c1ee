// Events of one thread as columns of small numbers, and back.
//
// Each member of an event has a column of its own, so that like stands beside like for the
// compressor. Stacks, operations, sizes and addresses are guessed (event_model.hpp), and one byte
// for each event, its outcome, says which guesses are right; the columns hold what no guess says.
// Times are differences from the event before, in the largest power of two of nanoseconds that all
// of the chunk are multiples of. A chunk is coded from scratch, so that it can be read alone.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "profile/trace/event.hpp"
#include "profile/trace/event_model.hpp"
#include "profile/trace/varint.hpp"

namespace mallard::profile {

namespace codec {

enum column { outcomes, operations, times, stacks, sizes, addresses, others, costs, columns };

using combination = std::array<std::uint8_t, 4>;  // kind, function, alignment, flags

}  // namespace codec

class event_encoder {
 public:
  static constexpr std::size_t most = 1 << 16;  // events of a chunk

  // `models` must outlive it.
  explicit event_encoder(codec::model_pool& models) : models_(&models) {}

  // Whether another event fits; if not, take() first.
  bool full() const { return count() == most || table_.size() >= 255; }
  std::size_t count() const { return times_.size(); }
  std::uint64_t first_time() const { return first_time_; }
  std::uint64_t last_time() const { return latest_; }

  // Adds an event that did not happen before the one before; an earlier time is taken as the same.
  void add(const event& one);
  // Returns: the events as bytes; `ends`, if wanted, is where what is alike in them ends. The
  // encoder is as new, but for the time it has reached.
  std::string take(std::vector<std::size_t>* ends = nullptr);

 private:
  std::uint8_t operation_of(const codec::combination& wanted);
  // Effects: writes what no guess says. Returns: which guess is right, or how it is written.
  unsigned add_stack(std::uint32_t stack);
  unsigned add_size(std::uint64_t size, std::uint64_t guess, std::uint64_t before);
  unsigned add_freed(std::uint64_t address, std::uint32_t stack, std::string& to);
  unsigned add_allocated(std::uint64_t address, std::uint64_t size);

  codec::model_pool* models_;
  std::unique_ptr<codec::event_model> model_;  // while there are events
  std::uint64_t first_time_ = 0;
  std::uint64_t latest_ = 0;
  std::uint64_t time_bits_ = 0;  // that any time of the chunk has
  std::vector<std::uint64_t> times_;
  std::vector<codec::combination> table_;
  std::array<std::string, codec::columns> column_;
};

// Reads a chunk event by event. Throws `malformed` where the bytes cannot be an encoder's.
class event_decoder {
 public:
  event_decoder() = default;
  // `raw` and `models` must outlive the decoder.
  event_decoder(std::string_view raw, codec::model_pool& models);

  bool next(event& one);

 private:
  std::uint32_t stack(unsigned outcome);
  std::uint64_t size(unsigned outcome, std::uint64_t guess, std::uint64_t before);
  std::uint64_t freed(unsigned outcome, std::uint32_t stack, byte_reader& from);
  std::uint64_t allocated(unsigned outcome, std::uint64_t size);
  std::uint64_t numbered_block(byte_reader& from);

  codec::model_pool* models_ = nullptr;
  std::unique_ptr<codec::event_model> model_;
  std::uint64_t left_ = 0;
  std::uint64_t time_ = 0;
  int time_shift_ = 0;
  std::vector<codec::combination> table_;
  std::array<byte_reader, codec::columns> column_;
};

}  // namespace mallard::profile
