#include "profile/trace/event_codec.hpp"

#include <algorithm>
#include <random>

#include "profile/trace/chunk.hpp"

namespace mallard::profile {
namespace {

std::vector<event> decoded(const std::string& raw) {
  codec::model_pool models;
  event_decoder decoder(raw, models);
  std::vector<event> out;
  for (event one; decoder.next(one);) out.push_back(one);
  return out;
}

// Every kind, with small and large numbers in every member.
std::vector<event> random_events(std::size_t count) {
  std::mt19937_64 random(7);
  std::vector<event> out;
  std::uint64_t time = 0;
  const auto number = [&] { return random() >> (random() % 64); };
  while (out.size() < count) {
    event one;
    one.time = time += random() % 100;
    one.kind = static_cast<event_kind>(random() % 5);
    one.function = static_cast<std::uint8_t>(random() % 2);
    one.alignment_log2 = static_cast<std::uint8_t>(random() % 2);
    one.address = number();
    if (random() % 2) one.old_address = number();
    if (random() % 2 || one.kind != event_kind::free) one.size = number();
    one.stack = static_cast<std::uint32_t>(number());
    if (random() % 8 == 0) one.cost = static_cast<std::uint32_t>(number());
    out.push_back(one);
  }
  return out;
}

TEST(event_codec, every_event_comes_back_as_it_was) {
  const std::vector<event> events = random_events(5000);
  codec::model_pool models;
  event_encoder encoder(models);
  for (const event& one : events) encoder.add(one);
  EXPECT_EQ(encoder.first_time(), events.front().time);
  EXPECT_EQ(encoder.last_time(), events.back().time);
  EXPECT_EQ(decoded(encoder.take()), events);
}

// Operations of a program with a heap: blocks of few sizes, addresses that come again, frees in any
// order, now and then of blocks that are older than the chunk.
std::vector<event> heap_events(std::size_t count) {
  std::mt19937_64 random(11);
  std::vector<event> out;
  std::vector<event> live;
  std::vector<std::uint64_t> free;
  std::uint64_t top = 0x5555'0000'0000;
  const auto place = [&] {
    if (!free.empty() && random() % 4 != 0) {
      const std::size_t from = free.size() - 1 - random() % std::min<std::size_t>(free.size(), 12);
      const std::uint64_t address = free[from];
      free.erase(free.begin() + static_cast<std::ptrdiff_t>(from));
      return address;
    }
    return top += 16 * (random() % 8) + (random() % 16 == 0 ? 8 : 32);
  };
  for (std::uint64_t time = 0; out.size() < count; time += 16 * (random() % 40)) {
    const std::uint64_t what = random() % 20;
    event one{.time = time};
    one.stack = 1 + static_cast<std::uint32_t>(random() % 9);
    if (what < 10 || live.empty()) {
      one.size = random() % 4 == 0 ? random() % 500 : 24 * one.stack;
      one.address = place();
      live.push_back(one);
    } else if (what == 10) {
      one.kind = event_kind::free;
      one.address = 0x7fff'0000'0000 + 16 * (random() % 100);
    } else {
      const std::size_t from = what < 15 ? live.size() - 1 : random() % live.size();
      one.kind = what == 19 ? event_kind::reallocate : event_kind::free;
      const event old = live[from];
      live.erase(live.begin() + static_cast<std::ptrdiff_t>(from));
      if (one.kind == event_kind::free) {
        one.address = old.address;
        if (random() % 3 == 0) one.size = random() % 4 == 0 ? 77 : old.size;
        free.push_back(old.address);
      } else {
        one.old_address = old.address;
        one.size = old.size * 2;
        one.address = random() % 2 ? old.address : place();
        live.push_back(one);
        if (one.address != old.address) free.push_back(old.address);
      }
    }
    if (random() % 64 == 0) one.cost = 1 + static_cast<std::uint32_t>(random() % 100);
    if (random() % 100 == 0) {
      one.function = resource_function;
      one.old_address = 3;
    }
    out.push_back(one);
  }
  return out;
}

TEST(event_codec, events_of_a_heap_come_back_whichever_guess_is_right) {
  const std::vector<event> events = heap_events(event_encoder::most);
  codec::model_pool models;
  event_encoder encoder(models);
  for (const event& one : events) encoder.add(one);
  EXPECT_TRUE(encoder.full());
  EXPECT_EQ(decoded(encoder.take()), events);
}

TEST(event_codec, what_repeats_itself_takes_a_byte_for_the_guesses_and_one_for_the_time) {
  codec::model_pool models;
  event_encoder encoder(models);
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    encoder.add({.time = 320 * i, .address = 0x1230, .size = 40, .stack = 5});
    encoder.add({.time = 320 * i + 160, .address = 0x1230, .stack = 7, .kind = event_kind::free});
  }
  EXPECT_LT(encoder.take().size(), 20'000 * 2 + 100u);
}

// The outcomes of the guesses of one chunk's events.
std::vector<unsigned> address_outcomes(const std::vector<event>& events) {
  codec::model_pool models;
  event_encoder encoder(models);
  for (const event& one : events) encoder.add(one);
  std::vector<std::size_t> ends;
  const std::string raw = encoder.take(&ends);
  EXPECT_EQ(decoded(raw), events);
  std::vector<unsigned> out;
  for (std::size_t at = ends[0]; at < ends[1]; ++at) {
    out.push_back(static_cast<std::uint8_t>(raw[at]) >> 5);
  }
  return out;
}

event allocate(std::uint64_t address, std::uint64_t size) {
  return {.address = address, .size = size, .stack = 1};
}
event release(std::uint64_t address) {
  return {.address = address, .stack = 2, .kind = event_kind::free};
}

TEST(event_codec, an_address_is_coded_in_every_way_there_is) {
  const event moved{.address = 0x1000,
                    .old_address = 0x1000,
                    .size = 60,
                    .stack = 3,
                    .kind = event_kind::reallocate};
  const std::vector<event> events = {
      allocate(0x1000, 24),   // near
      allocate(0x1020, 24),   // behind the last
      allocate(0x2001, 24),   // far
      allocate(0x3001, 100),  // near
      release(0x1000),        // the first block
      release(0x1020),        // the one allocated next
      release(0x3001),        // the newest of its stack
      release(0x2001),        // again
      allocate(0x1020, 24),   // freed before the last one of its size
      allocate(0x2001, 24),   // the last one freed
      allocate(0x3001, 50),   // of another size: by its number
      moved,                  // where it was
      release(0x9001),        // older than the chunk
      release(0x1020),        // by its number
  };
  EXPECT_EQ(address_outcomes(events),
            (std::vector<unsigned>{5, 3, 6, 5, 1, 1, 0, 0, 2, 0, 4, 7, 6, 4}));
}

TEST(event_codec, a_block_that_is_not_there_is_refused) {
  codec::model_pool models;
  event_encoder encoder(models);
  for (const event& one : {allocate(0x1000, 24), allocate(0x5000, 24), release(0x1000)}) {
    encoder.add(one);
  }
  std::vector<std::size_t> ends;
  const std::string raw = encoder.take(&ends);
  for (std::size_t at = ends[0]; at < raw.size(); ++at) {
    for (int byte = 0; byte < 256; ++byte) {
      std::string bad = raw;
      bad[at] = static_cast<char>(byte);
      try {
        decoded(bad);
      } catch (const malformed&) {
      }
    }
  }
  std::string bad = raw;
  bad[ends[0]] = static_cast<char>((bad[ends[0]] & 0x1f) | 4 << 5);  // a block before the first
  EXPECT_THROW(decoded(bad), malformed);
}

TEST(event_codec, each_chunk_can_be_read_alone) {
  const std::vector<event> events = random_events(200);
  codec::model_pool models;
  event_encoder encoder(models);
  for (std::size_t i = 0; i < 100; ++i) encoder.add(events[i]);
  encoder.take();
  for (std::size_t i = 100; i < 200; ++i) encoder.add(events[i]);
  EXPECT_EQ(decoded(encoder.take()), std::vector<event>(events.begin() + 100, events.end()));
}

TEST(event_codec, time_of_a_thread_never_goes_back) {
  codec::model_pool models;
  event_encoder encoder(models);
  encoder.add({.time = 100});
  encoder.add({.time = 90});
  const auto first = decoded(encoder.take());
  EXPECT_EQ(first[1].time, 100u);
  encoder.add({.time = 50});
  EXPECT_EQ(decoded(encoder.take())[0].time, 100u);
}

TEST(event_codec, more_combinations_than_a_byte_counts_fill_a_chunk) {
  codec::model_pool models;
  event_encoder encoder(models);
  event one;
  std::size_t added = 0;
  for (; !encoder.full(); ++added) {
    one.function = static_cast<std::uint8_t>(added);
    one.alignment_log2 = static_cast<std::uint8_t>(added >> 8);
    encoder.add(one);
  }
  EXPECT_EQ(added, 255u);
  EXPECT_EQ(decoded(encoder.take()).back(), one);
}

TEST(event_codec, every_truncation_is_refused) {
  codec::model_pool models;
  event_encoder encoder(models);
  for (const event& one : random_events(20)) encoder.add(one);
  const std::string raw = encoder.take();
  for (std::size_t bytes = 0; bytes < raw.size(); ++bytes) {
    const std::string cut = raw.substr(0, bytes);
    EXPECT_THROW(decoded(cut), malformed) << bytes;
  }
}

TEST(chunk_header, comes_back_and_is_refused_with_any_bit_wrong) {
  chunk_header header{.kind = chunk_kind::events, .thread = 3, .count = 9};
  header.raw_bytes = 1000;
  header.bytes = 77;
  header.first_time = 1u << 31;
  header.last_time = UINT64_MAX;
  std::string bytes = to_bytes(header);
  ASSERT_EQ(bytes.size(), chunk_header_bytes);
  EXPECT_EQ(parse_chunk_header(bytes), header);
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_EQ(parse_chunk_header(bytes), std::nullopt) << bit;
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
  }
}

TEST(chunk, a_damaged_frame_is_refused) {
  std::string raw(10'000, 'x');
  for (std::size_t i = 0; i < raw.size(); i += 7) raw[i] = static_cast<char>(i);
  const std::string frame = compressor().compress(raw);
  decompressor reader;
  std::string out;
  reader.decompress(frame, raw.size(), out);
  EXPECT_EQ(out, raw);
  EXPECT_THROW(reader.decompress(frame, raw.size() + 1, out), malformed);
  for (std::size_t i = 0; i < frame.size(); ++i) {
    std::string bad = frame;
    bad[i] = static_cast<char>(bad[i] ^ 0x10);
    try {
      reader.decompress(bad, raw.size(), out);
      EXPECT_EQ(out, raw) << i;  // a bit that says nothing
    } catch (const malformed&) {
    }
  }
}

}  // namespace
}  // namespace mallard::profile
