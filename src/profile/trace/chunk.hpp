// The pieces of a trace file: a header of fixed size that can be found and trusted alone, and one
// zstd frame. docs/trace.md describes both.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace mallard::profile {

inline constexpr std::string_view trace_magic = "mallard\n";
inline constexpr std::uint32_t trace_version = 2;
inline constexpr std::size_t trace_header_bytes = 16;  // magic, version, nothing

enum class chunk_kind : std::uint8_t {
  facts = 1,
  stacks,
  events,
  samples,  // of before it was known which of them are in the heap
  symbols,
  index,
  located_samples,
};

struct chunk_header {
  chunk_kind kind = chunk_kind::facts;
  std::uint32_t thread = 0;      // events, samples
  std::uint32_t count = 0;       // of what it holds
  std::uint32_t raw_bytes = 0;   // before compression
  std::uint32_t bytes = 0;       // of the frame behind the header
  std::uint64_t first_time = 0;  // events, samples
  std::uint64_t last_time = 0;

  friend bool operator==(const chunk_header&, const chunk_header&) = default;
};

inline constexpr std::string_view chunk_mark = "MLCH";
inline constexpr std::size_t chunk_header_bytes = 44;
// A larger chunk is not read: no writer makes one.
inline constexpr std::uint32_t most_chunk_bytes = 1 << 26;

std::string to_bytes(const chunk_header& header);
// The header at the beginning of `bytes`, if there is one whose checksum is right.
std::optional<chunk_header> parse_chunk_header(std::string_view bytes);

// At the very end of a finished file: where the index's header begins.
inline constexpr std::string_view end_mark = "MLEND\n\n\n";
inline constexpr std::size_t trace_footer_bytes = 16;

std::uint64_t load_number(std::string_view bytes, std::size_t at, std::size_t width);
void store_number(std::string& out, std::uint64_t value, std::size_t width);

class compressor {
 public:
  compressor();
  ~compressor();
  compressor(const compressor&) = delete;
  compressor& operator=(const compressor&) = delete;
  // Returns: `raw` as one frame with a checksum. What lies between two of `ends`, which rise, is
  // compressed with statistics of its own.
  std::string compress(std::string_view raw, std::span<const std::size_t> ends = {});

 private:
  void* context_;
};

class decompressor {
 public:
  decompressor();
  ~decompressor();
  decompressor(const decompressor&) = delete;
  decompressor& operator=(const decompressor&) = delete;
  // The frame's contents; throws `malformed` if it is damaged or not `raw_bytes` long.
  void decompress(std::string_view frame, std::size_t raw_bytes, std::string& out);

 private:
  void* context_;
};

}  // namespace mallard::profile
