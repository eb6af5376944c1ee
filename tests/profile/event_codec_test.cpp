#include "profile/trace/event_codec.hpp"

#include <random>

#include "profile/trace/chunk.hpp"

namespace mallard::profile {
namespace {

std::vector<event> decoded(const std::string& raw) {
  event_decoder decoder(raw);
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

TEST(EventCodec, EveryEventComesBackAsItWas) {
  const std::vector<event> events = random_events(5000);
  event_encoder encoder;
  for (const event& one : events) encoder.add(one);
  EXPECT_EQ(encoder.first_time(), events.front().time);
  EXPECT_EQ(encoder.last_time(), events.back().time);
  EXPECT_EQ(decoded(encoder.take()), events);
}

TEST(EventCodec, EachChunkCanBeReadAlone) {
  const std::vector<event> events = random_events(200);
  event_encoder encoder;
  for (std::size_t i = 0; i < 100; ++i) encoder.add(events[i]);
  encoder.take();
  for (std::size_t i = 100; i < 200; ++i) encoder.add(events[i]);
  EXPECT_EQ(decoded(encoder.take()), std::vector<event>(events.begin() + 100, events.end()));
}

TEST(EventCodec, TimeOfAThreadNeverGoesBack) {
  event_encoder encoder;
  encoder.add({.time = 100});
  encoder.add({.time = 90});
  const auto first = decoded(encoder.take());
  EXPECT_EQ(first[1].time, 100u);
  encoder.add({.time = 50});
  EXPECT_EQ(decoded(encoder.take())[0].time, 100u);
}

TEST(EventCodec, MoreCombinationsThanAByteCountsFillAChunk) {
  event_encoder encoder;
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

TEST(EventCodec, EveryTruncationIsRefused) {
  event_encoder encoder;
  for (const event& one : random_events(20)) encoder.add(one);
  const std::string raw = encoder.take();
  for (std::size_t bytes = 0; bytes < raw.size(); ++bytes) {
    const std::string cut = raw.substr(0, bytes);
    EXPECT_THROW(decoded(cut), malformed) << bytes;
  }
}

TEST(ChunkHeader, ComesBackAndIsRefusedWithAnyBitWrong) {
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

TEST(Chunk, ADamagedFrameIsRefused) {
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
