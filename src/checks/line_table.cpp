#include "checks/line_table.hpp"

#include <cstring>
#include <vector>

namespace mallard::inline v1::detail {
namespace {

// Reads little-endian data. Beyond its end everything is 0, and the reader is `cut`.
class reader {
 public:
  explicit reader(std::string_view data) : data_(data) {}

  bool done() const { return data_.empty(); }
  bool cut() const { return cut_; }
  std::string_view rest() const { return data_; }

  reader part(std::uint64_t bytes) {
    const std::string_view taken = data_.substr(0, bytes);
    skip(bytes);
    return reader(taken);
  }
  void skip(std::uint64_t bytes) {
    cut_ = cut_ || bytes > data_.size();
    data_.remove_prefix(bytes > data_.size() ? data_.size() : bytes);
  }
  template <class T>
  T fixed() {
    T value{};
    if (data_.size() >= sizeof value) std::memcpy(&value, data_.data(), sizeof value);
    skip(sizeof value);
    return value;
  }
  std::uint64_t offset(bool wide) { return wide ? fixed<std::uint64_t>() : fixed<std::uint32_t>(); }
  std::uint64_t unsigned_leb() { return leb(false); }
  std::int64_t signed_leb() { return static_cast<std::int64_t>(leb(true)); }
  std::string_view text() {
    const std::size_t end = data_.find('\0');
    const std::string_view out = data_.substr(0, end);
    skip(out.size() + 1);
    return out;
  }

 private:
  std::uint64_t leb(bool is_signed) {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = fixed<std::uint8_t>();
      if (shift < 64) value |= std::uint64_t{byte & 0x7fu} << shift;
      if ((byte & 0x80) != 0) continue;
      if (is_signed && (byte & 0x40) != 0 && shift + 7 < 64) {
        value |= ~std::uint64_t{0} << (shift + 7);
      }
      return value;
    }
  }

  std::string_view data_;
  bool cut_ = false;
};

std::string_view text_at(std::string_view strings, std::uint64_t offset) {
  if (offset >= strings.size()) return {};
  return reader(strings.substr(offset)).text();
}

struct file_entry {
  std::string_view path;
  std::uint64_t directory = 0;
};

struct unit_header {
  unsigned version = 0;
  bool wide = false;
  std::uint8_t instruction_bytes = 1;
  std::int8_t line_base = 0;
  std::uint8_t line_range = 1;
  std::uint8_t opcode_base = 1;
  std::vector<std::uint8_t> operand_counts;
  std::vector<std::string_view> directories;
  std::vector<file_entry> files;

  std::string path_of(std::uint64_t file) const {
    const std::uint64_t index = version >= 5 ? file : file - 1;
    if (index >= files.size()) return {};
    const file_entry& entry = files[index];
    if (entry.path.starts_with('/')) return std::string(entry.path);
    // Before version 5, directory 0 is that of the compilation, which is recorded elsewhere.
    const std::uint64_t directory = version >= 5 ? entry.directory : entry.directory - 1;
    if (directory >= directories.size()) return std::string(entry.path);
    std::string out(directories[directory]);
    return out.append("/").append(entry.path);
  }
};

// The lists of directories and of files describe their own fields.
template <class Take>
void read_entries(reader& in, const debug_sections& sections, bool wide, Take take) {
  struct field {
    std::uint64_t content, form;
  };
  std::vector<field> format(in.fixed<std::uint8_t>());
  for (field& f : format) {
    f.content = in.unsigned_leb();
    f.form = in.unsigned_leb();
  }
  const std::uint64_t count = in.unsigned_leb();
  for (std::uint64_t i = 0; i < count && !in.cut(); ++i) {
    file_entry entry;
    for (const field& f : format) {
      std::uint64_t value = 0;
      std::string_view text;
      switch (f.form) {
        case 0x08:
          text = in.text();
          break;
        case 0x0e:
          text = text_at(sections.strings, in.offset(wide));
          break;
        case 0x1f:
          text = text_at(sections.line_strings, in.offset(wide));
          break;
        case 0x0b:
          value = in.fixed<std::uint8_t>();
          break;
        case 0x05:
          value = in.fixed<std::uint16_t>();
          break;
        case 0x06:
          value = in.fixed<std::uint32_t>();
          break;
        case 0x07:
          value = in.fixed<std::uint64_t>();
          break;
        case 0x0f:
          value = in.unsigned_leb();
          break;
        case 0x1e:
          in.skip(16);
          break;
        default:
          in.skip(~std::uint64_t{0});
          return;  // not known: the rest cannot be read
      }
      if (f.content == 1) entry.path = text;
      if (f.content == 2) entry.directory = value;
    }
    take(entry);
  }
}

bool read_header(reader& in, const debug_sections& sections, unit_header& out) {
  out.version = in.fixed<std::uint16_t>();
  if (out.version < 2 || out.version > 5) return false;
  if (out.version >= 5) in.skip(2);  // sizes of addresses and of segments
  in.offset(out.wide);               // the header's length, which follows from its contents
  out.instruction_bytes = in.fixed<std::uint8_t>();
  if (out.version >= 4) in.skip(1);  // operations in an instruction
  in.skip(1);                        // whether rows begin as statements
  out.line_base = in.fixed<std::int8_t>();
  out.line_range = in.fixed<std::uint8_t>();
  out.opcode_base = in.fixed<std::uint8_t>();
  if (out.line_range == 0 || out.opcode_base == 0) return false;
  for (unsigned i = 1; i < out.opcode_base; ++i) {
    out.operand_counts.push_back(in.fixed<std::uint8_t>());
  }
  if (out.version >= 5) {
    read_entries(in, sections, out.wide,
                 [&](const file_entry& e) { out.directories.push_back(e.path); });
    read_entries(in, sections, out.wide, [&](const file_entry& e) { out.files.push_back(e); });
    return !in.cut();
  }
  for (std::string_view path = in.text(); !path.empty(); path = in.text()) {
    out.directories.push_back(path);
  }
  for (std::string_view path = in.text(); !path.empty(); path = in.text()) {
    const std::uint64_t directory = in.unsigned_leb();
    in.unsigned_leb();
    in.unsigned_leb();
    out.files.push_back({path, directory});
  }
  return !in.cut();
}

class line_program {
 public:
  line_program(const unit_header& header, const std::uint64_t* addresses, unsigned count,
               source_line* found)
      : header_(header), addresses_(addresses), count_(count), found_(found) {}

  void run(reader in) {
    while (!in.done() && !in.cut()) step(in, in.fixed<std::uint8_t>());
  }

 private:
  void step(reader& in, std::uint8_t opcode) {
    if (opcode >= header_.opcode_base) {
      const unsigned adjusted = opcode - header_.opcode_base;
      advance(adjusted / header_.line_range);
      now_.line += header_.line_base + static_cast<int>(adjusted % header_.line_range);
      return add_row();
    }
    switch (opcode) {
      case 0:
        return extended(in);
      case 1:
        return add_row();
      case 2:
        return advance(in.unsigned_leb());
      case 3:
        now_.line += in.signed_leb();
        return;
      case 4:
        now_.file = in.unsigned_leb();
        return;
      case 8:
        return advance((255u - header_.opcode_base) / header_.line_range);
      case 9:
        now_.address += in.fixed<std::uint16_t>();
        return;
      default:
        for (unsigned n = header_.operand_counts[opcode - 1u]; n != 0; --n) in.unsigned_leb();
    }
  }
  void extended(reader& in) {
    reader operands = in.part(in.unsigned_leb());
    switch (operands.fixed<std::uint8_t>()) {
      case 1:
        add_row();
        now_ = {};
        has_row_ = false;
        return;
      case 2:
        now_.address = operands.fixed<std::uint64_t>();
        return;
      default:
        return;
    }
  }
  void advance(std::uint64_t instructions) {
    now_.address += instructions * header_.instruction_bytes;
  }

  // The previous row holds up to here. Functions that the linker has left out lie at 0.
  void add_row() {
    if (has_row_ && before_.address != 0) {
      for (unsigned i = 0; i < count_; ++i) {
        if (addresses_[i] < before_.address || addresses_[i] >= now_.address) continue;
        found_[i] = {header_.path_of(before_.file), static_cast<std::uint64_t>(before_.line)};
      }
    }
    has_row_ = true;
    before_ = now_;
  }

  struct row {
    std::uint64_t address = 0;
    std::uint64_t file = 1;
    std::int64_t line = 1;
  };

  const unit_header& header_;
  const std::uint64_t* addresses_;
  unsigned count_;
  source_line* found_;
  row now_;
  row before_;
  bool has_row_ = false;
};

}  // namespace

void find_lines(const debug_sections& in, const std::uint64_t* addresses, unsigned count,
                source_line* found) {
  reader all(in.lines);
  while (!all.done() && !all.cut()) {
    unit_header header;
    std::uint64_t length = all.fixed<std::uint32_t>();
    header.wide = length == 0xffffffff;
    if (header.wide) length = all.fixed<std::uint64_t>();
    reader unit = all.part(length);
    if (read_header(unit, in, header)) {
      line_program(header, addresses, count, found).run(unit);
    }
  }
}

}  // namespace mallard::inline v1::detail
