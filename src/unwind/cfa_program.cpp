#include "unwind/cfa_program.hpp"

#include <cstring>

namespace mallard::unwind {
namespace {

// Numbers of registers.
#if defined(__aarch64__)
constexpr std::uint64_t register_bp = 29;
constexpr std::uint64_t register_sp = 31;
constexpr std::uint64_t register_ra = 30;
#else
constexpr std::uint64_t register_bp = 6;
constexpr std::uint64_t register_sp = 7;
constexpr std::uint64_t register_ra = 16;
#endif

// The part of the program's result that we need.
struct row {
  enum class value : std::uint8_t { same, at_cfa, at_bp, undefined, other };
  struct saved {
    value how = value::same;
    std::int64_t offset = 0;
  };
  std::uint64_t cfa_register = register_sp;
  std::int64_t cfa_offset = 8;
  bool cfa_at_bp = false;    // the CFA is what lies at bp + cfa_offset
  bool cfa_unknown = false;  // an expression that is not understood
  saved bp;
  saved ra;
};

struct common_entry {
  std::uint64_t code_alignment = 1;
  std::int64_t data_alignment = 1;
  std::uint8_t pointer_encoding = 0;
  bool signal = false;
  bool augmented = false;
  byte_reader program{nullptr, nullptr};
};

bool read_common(const std::uint8_t* at, common_entry& out) {
  std::uint32_t length = 0;
  std::memcpy(&length, at, 4);
  if (length == 0 || length == 0xffffffff) return false;
  byte_reader in(at + 8, at + 4 + length);
  const std::uint8_t version = in.get<std::uint8_t>();
  if (version != 1 && version != 3) return false;
  const char* augmentation = reinterpret_cast<const char*>(in.at());
  in.skip(std::strlen(augmentation) + 1);
  out.code_alignment = in.unsigned_number();
  out.data_alignment = in.signed_number();
  const std::uint64_t ra = version == 1 ? in.get<std::uint8_t>() : in.unsigned_number();
  if (ra != register_ra) return false;
  if (*augmentation == 'z') {
    out.augmented = true;
    const std::uint64_t bytes = in.unsigned_number();
    const std::uint8_t* const end = in.at() + bytes;
    for (const char* letter = augmentation + 1; *letter != 0; ++letter) {
      if (*letter == 'R') {
        out.pointer_encoding = in.get<std::uint8_t>();
      } else if (*letter == 'P') {
        const std::uint8_t encoding = in.get<std::uint8_t>();
        in.pointer(encoding & 0x7f);
      } else if (*letter == 'L') {
        in.skip(1);
      } else if (*letter == 'S') {
        out.signal = true;
      } else if (*letter != 'B' && *letter != 'G') {  // kinds of protection on aarch64
        break;                                        // the length says where the program begins
      }
    }
    out.program = byte_reader(end, at + 4 + length);
  } else if (*augmentation == 0) {
    out.program = in;
  } else {
    return false;
  }
  return true;
}

class machine {
 public:
  machine(const common_entry& common, std::uint64_t start, std::uint64_t ip)
      : common_(common), location_(start), ip_(ip) {}

  // Runs until the row of `ip` is complete.
  void run(byte_reader in) {
    while (in.more() && location_ <= ip_) one(in);
  }
  void initial_is_now() { initial_ = now_; }
  const row& result() const { return now_; }

 private:
  void one(byte_reader& in) {
    const std::uint8_t code = in.get<std::uint8_t>();
    const std::uint64_t low = code & 0x3f;
    switch (code >> 6) {
      case 1:
        advance(low);
        return;
      case 2:
        saved(low, static_cast<std::int64_t>(in.unsigned_number()));
        return;
      case 3:
        restore(low);
        return;
      default:
        break;
    }
    switch (code) {
      case 0x00:
        break;  // nop
      case 0x01:
        location_ = in.pointer(common_.pointer_encoding);
        break;  // set_loc
      case 0x02:
        advance(in.get<std::uint8_t>());
        break;  // advance_loc1
      case 0x03:
        advance(in.get<std::uint16_t>());
        break;  // advance_loc2
      case 0x04:
        advance(in.get<std::uint32_t>());
        break;  // advance_loc4
      case 0x05:
        saved_next(in, false);
        break;  // offset_extended
      case 0x06:
        restore(in.unsigned_number());
        break;  // restore_extended
      case 0x07:
        set(in.unsigned_number(), row::value::undefined);
        break;  // undefined
      case 0x08:
        set(in.unsigned_number(), row::value::same);
        break;      // same_value
      case 0x09: {  // register
        const std::uint64_t which = in.unsigned_number();
        in.unsigned_number();
        set(which, row::value::other);
        break;
      }
      case 0x0a:  // remember_state
        if (depth_ < sizeof stack_ / sizeof *stack_) stack_[depth_] = now_;
        ++depth_;
        break;
      case 0x0b:  // restore_state
        if (depth_ == 0) break;
        --depth_;
        if (depth_ < sizeof stack_ / sizeof *stack_) now_ = stack_[depth_];
        break;
      case 0x0c:  // def_cfa
        now_.cfa_register = in.unsigned_number();
        cfa_offset(static_cast<std::int64_t>(in.unsigned_number()));
        break;
      case 0x0d:  // def_cfa_register
        now_.cfa_register = in.unsigned_number();
        cfa_offset(now_.cfa_offset);
        break;
      case 0x0e:
        cfa_offset(static_cast<std::int64_t>(in.unsigned_number()));
        break;
      case 0x0f:
        cfa_expression(in);
        break;
      case 0x10: {  // expression: where a register is saved
        const std::uint64_t which = in.unsigned_number();
        saved_by_expression(which, in);
        break;
      }
      case 0x11:
        saved_next(in, true);
        break;    // offset_extended_sf
      case 0x12:  // def_cfa_sf
        now_.cfa_register = in.unsigned_number();
        cfa_offset(in.signed_number() * common_.data_alignment);
        break;
      case 0x13:
        cfa_offset(in.signed_number() * common_.data_alignment);
        break;
      case 0x14:    // val_offset
      case 0x15: {  // val_offset_sf
        const std::uint64_t which = in.unsigned_number();
        in.unsigned_number();
        set(which, row::value::other);
        break;
      }
      case 0x16: {  // val_expression
        const std::uint64_t which = in.unsigned_number();
        in.skip(in.unsigned_number());
        set(which, row::value::other);
        break;
      }
      case 0x2d:  // AARCH64_negate_ra_state: return_address_at() takes any signature away
        break;
      case 0x2e:
        in.unsigned_number();
        break;  // GNU_args_size
      default:  // unknown: nothing after it can be trusted
        now_.cfa_unknown = true;
        in = byte_reader(nullptr, nullptr);
    }
  }

  void advance(std::uint64_t by) { location_ += by * common_.code_alignment; }

  void cfa_offset(std::int64_t offset) {
    now_.cfa_offset = offset;
    now_.cfa_at_bp = false;
    now_.cfa_unknown = false;
  }

  void set(std::uint64_t which, row::value how, std::int64_t offset = 0) {
    if (which == register_bp) now_.bp = {how, offset};
    if (which == register_ra) now_.ra = {how, offset};
  }

  void saved(std::uint64_t which, std::int64_t factored) {
    set(which, row::value::at_cfa, factored * common_.data_alignment);
  }

  void saved_next(byte_reader& in, bool has_sign) {
    const std::uint64_t which = in.unsigned_number();
    saved(which, has_sign ? in.signed_number() : static_cast<std::int64_t>(in.unsigned_number()));
  }

  void restore(std::uint64_t which) {
    if (which == register_bp) now_.bp = initial_.bp;
    if (which == register_ra) now_.ra = initial_.ra;
  }

  // The one expression that compilers write for functions: bp + offset, dereferenced.
  void cfa_expression(byte_reader& in) {
    const std::uint64_t bytes = in.unsigned_number();
    byte_reader inner(in.at(), in.at() + bytes);
    in.skip(bytes);
    now_.cfa_unknown = true;
    if (inner.get<std::uint8_t>() != 0x70 + register_bp) return;  // DW_OP_breg6
    const std::int64_t offset = inner.signed_number();
    if (inner.get<std::uint8_t>() != 0x06 || inner.more()) return;  // DW_OP_deref
    now_.cfa_offset = offset;
    now_.cfa_at_bp = true;
    now_.cfa_unknown = false;
  }

  void saved_by_expression(std::uint64_t which, byte_reader& in) {
    const std::uint64_t bytes = in.unsigned_number();
    byte_reader inner(in.at(), in.at() + bytes);
    in.skip(bytes);
    if (inner.get<std::uint8_t>() == 0x70 + register_bp) {
      const std::int64_t offset = inner.signed_number();
      if (!inner.more()) return set(which, row::value::at_bp, offset);
    }
    set(which, row::value::other);
  }

  const common_entry& common_;
  std::uint64_t location_;
  std::uint64_t ip_;
  row now_;
  row initial_;
  row stack_[8];
  std::size_t depth_ = 0;
};

#if defined(__aarch64__)
// The two that are saved side by side; false if they are elsewhere than any compiler puts them.
bool shorten_saved(const row& from, frame_rule& out) {
  constexpr std::int64_t word = 8;
  if (from.ra.how == row::value::same) return from.bp.how == row::value::same;
  const std::int64_t place = from.ra.offset - word;
  const bool fits = place < 0 && place % word == 0 && place / word >= INT16_MIN;
  if (from.ra.how != row::value::at_cfa || !fits) return false;
  out.bp_offset = static_cast<std::int16_t>(place / word);
  if (from.bp.how == row::value::same) return true;
  out.bp = frame_rule::saved::at_frame_address;
  return from.bp.how == row::value::at_cfa && from.bp.offset == place;
}
#else
bool shorten_saved(const row& from, frame_rule& out) {
  out.bp_offset = static_cast<std::int16_t>(from.bp.offset);
  if (from.bp.how == row::value::at_cfa) out.bp = frame_rule::saved::at_frame_address;
  if (from.bp.how == row::value::at_bp) out.bp = frame_rule::saved::at_bp;
  return true;
}
#endif

frame_rule shortened(const row& from) {
  using address = frame_rule::address;
  frame_rule out;
  if (from.ra.how == row::value::undefined) {
    out.how = address::outermost;
    return out;
  }
  if (from.cfa_at_bp) {
    out.how = address::at_bp;
  } else if (from.cfa_unknown) {
    out.how = address::not_described;
    return out;
  } else if (from.cfa_register == register_sp) {
    out.how = address::of_sp;
  } else if (from.cfa_register == register_bp) {
    out.how = address::of_bp;
  } else {
    out.how = address::not_described;
    return out;
  }
  out.offset = static_cast<std::int32_t>(from.cfa_offset);
  if (!shorten_saved(from, out)) out.how = address::not_described;
  return out;
}

}  // namespace

void byte_reader::skip(std::uint64_t bytes) {
  at_ = bytes < static_cast<std::uint64_t>(end_ - at_) ? at_ + bytes : end_;
}

template <class T>
T byte_reader::get() {
  T out{};
  if (static_cast<std::size_t>(end_ - at_) < sizeof(T)) {
    at_ = end_;
    return out;
  }
  std::memcpy(&out, at_, sizeof(T));
  at_ += sizeof(T);
  return out;
}

std::uint64_t byte_reader::unsigned_number() {
  std::uint64_t out = 0;
  for (unsigned shift = 0; more(); shift += 7) {
    const std::uint64_t byte = get<std::uint8_t>();
    if (shift < 64) out |= (byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) break;
  }
  return out;
}

std::int64_t byte_reader::signed_number() {
  std::uint64_t out = 0;
  unsigned shift = 0;
  std::uint64_t byte = 0;
  do {
    byte = get<std::uint8_t>();
    if (shift < 64) out |= (byte & 0x7f) << shift;
    shift += 7;
  } while ((byte & 0x80) != 0 && more());
  if (shift < 64 && (byte & 0x40) != 0) out |= ~std::uint64_t{0} << shift;
  return static_cast<std::int64_t>(out);
}

std::uint64_t byte_reader::pointer(std::uint8_t encoding) {
  if (encoding == 0xff) return 0;
  const std::uint64_t here = reinterpret_cast<std::uint64_t>(at_);
  std::uint64_t out = 0;
  switch (encoding & 0x0f) {
    case 0x00:
      out = get<std::uint64_t>();
      break;
    case 0x01:
      out = unsigned_number();
      break;
    case 0x02:
      out = get<std::uint16_t>();
      break;
    case 0x03:
      out = get<std::uint32_t>();
      break;
    case 0x04:
      out = get<std::uint64_t>();
      break;
    case 0x09:
      out = static_cast<std::uint64_t>(signed_number());
      break;
    case 0x0a:
      out = static_cast<std::uint64_t>(std::int64_t{get<std::int16_t>()});
      break;
    case 0x0b:
      out = static_cast<std::uint64_t>(std::int64_t{get<std::int32_t>()});
      break;
    case 0x0c:
      out = get<std::uint64_t>();
      break;
    default:
      return 0;
  }
  return (encoding & 0x70) == 0x10 ? out + here : out;
}

frame_rule rule_of_entry(const std::uint8_t* fde, std::uint64_t ip) noexcept {
  frame_rule out;
  out.how = frame_rule::address::not_described;
  std::uint32_t length = 0;
  std::uint32_t back = 0;
  std::memcpy(&length, fde, 4);
  if (length == 0 || length == 0xffffffff) return out;
  std::memcpy(&back, fde + 4, 4);
  common_entry common;
  if (back == 0 || !read_common(fde + 4 - back, common)) return out;
  byte_reader in(fde + 8, fde + 4 + length);
  const std::uint64_t start = in.pointer(common.pointer_encoding);
  const std::uint64_t bytes = in.pointer(common.pointer_encoding & 0x0f);
  if (ip - start >= bytes) return out;
  if (common.signal) {
    out.how = frame_rule::address::signal;
    return out;
  }
  if (common.augmented) in.skip(in.unsigned_number());
  machine rows(common, start, ip);
  rows.run(common.program);
  rows.initial_is_now();
  rows.run(in);
  return shortened(rows.result());
}

template std::uint8_t byte_reader::get();
template std::uint16_t byte_reader::get();
template std::uint32_t byte_reader::get();
template std::int32_t byte_reader::get();
template std::uint64_t byte_reader::get();

}  // namespace mallard::unwind
