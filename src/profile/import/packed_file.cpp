#include "profile/import/packed_file.hpp"

#include <zlib.h>
#include <zstd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string_view>

namespace mallard::profile {

class packed_file::input {
 public:
  explicit input(const std::string& path) : file_(path, std::ios::binary) {
    if (!file_) throw std::runtime_error(path + ": " + std::strerror(errno));
    read_more();
    const std::string_view start(raw_.data(), left_);
    if (start.starts_with("\x1f\x8b")) {
      how_ = format::gzip;
      // The 16 selects gzip's header.
      if (inflateInit2(&gzip_, 16 + MAX_WBITS) != Z_OK)
        throw std::runtime_error(path + ": no memory");
    } else if (start.starts_with("\x28\xb5\x2f\xfd")) {
      how_ = format::zstd;
      zstd_ = ZSTD_createDStream();
    }
  }
  ~input() {
    if (how_ == format::gzip) inflateEnd(&gzip_);
    ZSTD_freeDStream(zstd_);
  }
  input(const input&) = delete;
  input& operator=(const input&) = delete;

  bool append(std::string& out) {
    for (;;) {
      if (left_ == 0) read_more();
      std::size_t made = 0;
      switch (how_) {
        case format::plain:
          made = left_;
          out.append(raw_.data() + at_, left_);
          left_ = 0;
          break;
        case format::gzip:
          made = gunzip(out);
          break;
        case format::zstd:
          made = unzstd(out);
          break;
      }
      if (made > 0) return true;
      if (left_ == 0 && ended_) {
        damaged_ = damaged_ || in_frame_;
        return false;
      }
      if (damaged_) return false;
    }
  }
  bool damaged() const { return damaged_; }

 private:
  enum class format { plain, gzip, zstd };

  void read_more() {
    file_.read(raw_.data(), static_cast<std::streamsize>(raw_.size()));
    at_ = 0;
    left_ = static_cast<std::size_t>(file_.gcount());
    ended_ = left_ == 0;
  }

  std::size_t gunzip(std::string& out) {
    if (damaged_ || left_ == 0) return 0;
    if (is_between_members_ && raw_[at_] != '\x1f') {
      // Padding, which gzip ignores, too.
      left_ = 0;
      ended_ = true;
      return 0;
    }
    std::array<char, 1 << 16> piece;
    gzip_.next_in = reinterpret_cast<Bytef*>(raw_.data() + at_);
    gzip_.avail_in = static_cast<uInt>(left_);
    gzip_.next_out = reinterpret_cast<Bytef*>(piece.data());
    gzip_.avail_out = static_cast<uInt>(piece.size());
    const int result = inflate(&gzip_, Z_NO_FLUSH);
    consume(left_ - gzip_.avail_in);
    const std::size_t made = piece.size() - gzip_.avail_out;
    out.append(piece.data(), made);
    in_frame_ = result == Z_OK;
    is_between_members_ = result == Z_STREAM_END;
    if (is_between_members_) {
      inflateReset(&gzip_);  // another member may follow
    } else if (result != Z_OK && result != Z_BUF_ERROR) {
      damaged_ = true;
    }
    return made;
  }

  std::size_t unzstd(std::string& out) {
    if (damaged_ || left_ == 0) return 0;
    std::array<char, 1 << 16> piece;
    ZSTD_inBuffer in{raw_.data() + at_, left_, 0};
    ZSTD_outBuffer made{piece.data(), piece.size(), 0};
    const std::size_t result = ZSTD_decompressStream(zstd_, &made, &in);
    consume(in.pos);
    out.append(piece.data(), made.pos);
    if (ZSTD_isError(result)) {
      damaged_ = true;
    } else {
      in_frame_ = result != 0;
    }
    return made.pos;
  }

  void consume(std::size_t bytes) {
    at_ += bytes;
    left_ -= bytes;
  }

  std::ifstream file_;
  std::array<char, 1 << 16> raw_{};
  std::size_t at_ = 0;
  std::size_t left_ = 0;
  bool ended_ = false;
  bool damaged_ = false;
  bool in_frame_ = false;
  bool is_between_members_ = false;
  format how_ = format::plain;
  z_stream gzip_{};
  ZSTD_DStream* zstd_ = nullptr;
};

packed_file::packed_file(const std::string& path) : input_(std::make_unique<input>(path)) {}
packed_file::~packed_file() = default;

bool packed_file::append(std::string& out) {
  return input_->append(out);
}

bool packed_file::damaged() const {
  return input_->damaged();
}

}  // namespace mallard::profile
