#include "profile/trace/chunk.hpp"

#include <zstd.h>

#include <new>

#include "profile/trace/varint.hpp"

namespace mallard::profile {
namespace {

// FNV-1a. The frames have zstd's own checksum.
std::uint32_t checksum(std::string_view bytes) {
  std::uint32_t sum = 2166136261u;
  for (const char one : bytes) sum = (sum ^ static_cast<std::uint8_t>(one)) * 16777619u;
  return sum;
}

}  // namespace

std::uint64_t load_number(std::string_view bytes, std::size_t at, std::size_t width) {
  std::uint64_t value = 0;
  for (std::size_t i = width; i-- > 0;) {
    value = value << 8 | static_cast<std::uint8_t>(bytes[at + i]);
  }
  return value;
}

void store_number(std::string& out, std::uint64_t value, std::size_t width) {
  for (std::size_t i = 0; i < width; ++i) out.push_back(static_cast<char>(value >> (8 * i)));
}

std::string to_bytes(const chunk_header& header) {
  std::string out(chunk_mark);
  store_number(out, static_cast<std::uint64_t>(header.kind), 4);
  store_number(out, header.thread, 4);
  store_number(out, header.count, 4);
  store_number(out, header.raw_bytes, 4);
  store_number(out, header.bytes, 4);
  store_number(out, header.first_time, 8);
  store_number(out, header.last_time, 8);
  store_number(out, checksum(out), 4);
  return out;
}

std::optional<chunk_header> parse_chunk_header(std::string_view bytes) {
  if (bytes.size() < chunk_header_bytes || !bytes.starts_with(chunk_mark)) return std::nullopt;
  const std::string_view summed = bytes.substr(0, chunk_header_bytes - 4);
  if (checksum(summed) != load_number(bytes, chunk_header_bytes - 4, 4)) return std::nullopt;
  const auto number = [&](std::size_t at) {
    return static_cast<std::uint32_t>(load_number(bytes, at, 4));
  };
  const std::uint32_t kind = number(4);
  if (kind < 1 || kind > static_cast<std::uint32_t>(chunk_kind::located_samples))
    return std::nullopt;
  chunk_header header;
  header.kind = static_cast<chunk_kind>(kind);
  header.thread = number(8);
  header.count = number(12);
  header.raw_bytes = number(16);
  header.bytes = number(20);
  header.first_time = load_number(bytes, 24, 8);
  header.last_time = load_number(bytes, 32, 8);
  if (header.raw_bytes > most_chunk_bytes || header.bytes > most_chunk_bytes) return std::nullopt;
  return header;
}

compressor::compressor() : context_(ZSTD_createCCtx()) {
  if (!context_) throw std::bad_alloc();
  auto* const context = static_cast<ZSTD_CCtx*>(context_);
  ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, 3);
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
}
compressor::~compressor() {
  ZSTD_freeCCtx(static_cast<ZSTD_CCtx*>(context_));
}

std::string compressor::compress(std::string_view raw, std::span<const std::size_t> ends) {
  auto* const context = static_cast<ZSTD_CCtx*>(context_);
  // A block ends at each end, and is never larger than the bytes in it and its header.
  constexpr std::size_t block_header = 16;
  std::string out(ZSTD_compressBound(raw.size()) + block_header * ends.size(), '\0');
  ZSTD_CCtx_reset(context, ZSTD_reset_session_only);
  ZSTD_CCtx_setPledgedSrcSize(context, raw.size());
  ZSTD_outBuffer to{out.data(), out.size(), 0};
  ZSTD_inBuffer from{raw.data(), 0, 0};
  const auto until = [&](std::size_t end, ZSTD_EndDirective how) {
    from.size = end;
    // Other reasons than a lack of memory there are none, with room enough.
    if (ZSTD_compressStream2(context, &to, &from, how) != 0) throw std::bad_alloc();
  };
  for (const std::size_t end : ends) {
    if (end > from.pos && end < raw.size()) until(end, ZSTD_e_flush);
  }
  until(raw.size(), ZSTD_e_end);
  out.resize(to.pos);
  return out;
}

decompressor::decompressor() : context_(ZSTD_createDCtx()) {
  if (!context_) throw std::bad_alloc();
}
decompressor::~decompressor() {
  ZSTD_freeDCtx(static_cast<ZSTD_DCtx*>(context_));
}

void decompressor::decompress(std::string_view frame, std::size_t raw_bytes, std::string& out) {
  // Check the frame's own size first: a damaged header must not make us reserve memory.
  if (ZSTD_getFrameContentSize(frame.data(), frame.size()) != raw_bytes) {
    throw malformed("a chunk is not as long as its header says");
  }
  out.resize(raw_bytes);
  const std::size_t bytes = ZSTD_decompressDCtx(static_cast<ZSTD_DCtx*>(context_), out.data(),
                                                out.size(), frame.data(), frame.size());
  if (ZSTD_isError(bytes) || bytes != raw_bytes) throw malformed("a chunk is damaged");
}

}  // namespace mallard::profile
