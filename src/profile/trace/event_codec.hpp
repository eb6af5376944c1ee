// Events of one thread as columns of small numbers, and back.
//
// Each member of an event has a column of its own, so that like stands beside like for the
// compressor. The operation's kind, entry point, alignment and whether it was timed are one byte,
// an index into a table of the combinations that occur. Times are differences from the event
// before. Addresses, sizes and stacks are differences from the last of the same kind. A chunk is
// coded from scratch, so that it can be read alone.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profile/trace/event.hpp"
#include "profile/trace/varint.hpp"

namespace mallard::profile {

namespace codec {

enum column { operations, times, addresses, sizes, stacks, others, costs, columns };

// What both sides remember of the events so far.
struct memory {
  std::uint64_t time = 0;
  struct last {
    std::uint64_t address = 0;
    std::uint64_t old_address = 0;
    std::uint64_t size = 0;
    std::uint64_t stack = 0;
  };
  std::array<last, 5> of_kind{};
};

}  // namespace codec

class event_encoder {
 public:
  static constexpr std::size_t most = 1 << 16;  // events of a chunk

  // Whether another event fits; if not, take() first.
  bool full() const { return count_ == most || table_.size() >= 255; }
  std::size_t count() const { return count_; }
  std::uint64_t first_time() const { return first_time_; }
  std::uint64_t last_time() const { return latest_; }

  // Adds an event that did not happen before the one before; an earlier time is taken as the same.
  void add(const event& one);
  // Returns: the events as bytes. The encoder is as new, but for the time it has reached.
  std::string take();

 private:
  std::uint8_t operation_of(const event& one);

  codec::memory memory_;
  std::uint64_t first_time_ = 0;
  std::uint64_t latest_ = 0;
  std::size_t count_ = 0;
  std::vector<std::array<std::uint8_t, 4>> table_;
  std::array<std::string, codec::columns> column_;
};

// Reads a chunk event by event. Throws `malformed` where the bytes cannot be an encoder's.
class event_decoder {
 public:
  event_decoder() = default;
  // `raw` must outlive the decoder.
  explicit event_decoder(std::string_view raw);

  bool next(event& one);

 private:
  codec::memory memory_;
  std::uint64_t left_ = 0;
  std::vector<std::array<std::uint8_t, 4>> table_;
  std::array<byte_reader, codec::columns> column_;
};

}  // namespace mallard::profile
