// Writes profile.proto by hand: a message is a row of fields, each with a number and a wire type. A
// location's number is its address, so that none has to be looked up: a set of addresses tells
// which were written. Addresses are those before the return address: in the call.
//
// Any thread may write a file, in any call of malloc, with little stack left: buffers are mapped.
#include "malloc/pprof_file.hpp"

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <new>

#include "mallard/detail/os/uncancelled.hpp"
#include "malloc/engine.hpp"
#include "malloc/file_signals.hpp"
#include "malloc/heap_profile.hpp"
#include "malloc/kept_errno.hpp"
#include "malloc/sampling.hpp"
#include "unwind/build_id.hpp"

namespace mallard::inline v1::detail {
namespace {

namespace fields {
enum number : unsigned {
  sample_type = 1,
  a_sample = 2,
  a_mapping = 3,
  a_location = 4,
  a_string = 6,
  drop_frames = 7,
  time_nanos = 9,
  period_type = 11,
  period = 12,
  default_sample_type = 14,
};
}  // namespace fields

constexpr std::size_t varint_bytes(std::uint64_t value) noexcept {
  std::size_t bytes = 1;
  while ((value >>= 7) != 0) ++bytes;
  return bytes;
}

// A message inside the profile, of a few numbers.
class message {
 public:
  void number(unsigned field, std::uint64_t value) noexcept {
    varint(field << 3);
    varint(value);
  }
  void begin_row(unsigned field, std::size_t bytes) noexcept {
    varint(field << 3 | 2);
    varint(bytes);
  }
  void varint(std::uint64_t value) noexcept {
    for (; value >= 128; value >>= 7) put(static_cast<char>(value | 128));
    put(static_cast<char>(value));
  }
  const char* data() const noexcept { return bytes_.data(); }
  std::size_t size() const noexcept { return size_; }

 private:
  void put(char c) noexcept {
    if (size_ < bytes_.size()) bytes_[size_++] = c;
  }

  std::array<char, 96> bytes_;
  std::size_t size_ = 0;
};

// Memory of the system for as long as a file is written.
class mapped_memory {
 public:
  explicit mapped_memory(std::size_t bytes) noexcept
      : bytes_(round_up(bytes, os::page_size())), begin_(os::map(bytes_, os::page_size(), false)) {}
  ~mapped_memory() {
    if (begin_ != nullptr) os::unmap(begin_, bytes_);
  }
  mapped_memory(const mapped_memory&) = delete;
  mapped_memory& operator=(const mapped_memory&) = delete;

  bool is_there() const noexcept { return begin_ != nullptr; }
  template <class T>
  T* as() const noexcept {
    return static_cast<T*>(begin_);
  }

 private:
  std::size_t bytes_;
  void* begin_;
};

struct large_buffers {
  std::array<char, 4096> written;
  std::array<char, 5120> lines;
};

class profile_writer {
 public:
  profile_writer(int descriptor, large_buffers& place) noexcept
      : descriptor_(descriptor), buffer_(place.written) {}

  void number(unsigned field, std::uint64_t value) noexcept {
    message one;
    one.number(field, value);
    part(one);
  }
  void text(unsigned field, const char* value, std::size_t bytes) noexcept {
    begin_row(field, bytes);
    add(value, bytes);
  }
  void inner(unsigned field, const message& one) noexcept { text(field, one.data(), one.size()); }
  void begin_row(unsigned field, std::size_t bytes) noexcept {
    message head;
    head.begin_row(field, bytes);
    part(head);
  }
  void varint(std::uint64_t value) noexcept {
    message one;
    one.varint(value);
    part(one);
  }
  void part(const message& one) noexcept { add(one.data(), one.size()); }
  int finish() noexcept {
    flush();
    return error_;
  }

 private:
  void add(const char* bytes, std::size_t count) noexcept {
    while (count != 0) {
      if (used_ == buffer_.size()) flush();
      const std::size_t fitting = std::min(count, buffer_.size() - used_);
      std::memcpy(buffer_.data() + used_, bytes, fitting);
      used_ += fitting;
      bytes += fitting;
      count -= fitting;
    }
  }
  void flush() noexcept {
    for (std::size_t at = 0; at < used_ && error_ == 0;) {
      const long written = os::write(descriptor_, buffer_.data() + at, used_ - at);
      if (written > 0) {
        at += static_cast<std::size_t>(written);
      } else if (errno != EINTR) {
        error_ = errno;
      }
    }
    used_ = 0;
  }

  int descriptor_;
  int error_ = 0;
  std::size_t used_ = 0;
  std::array<char, 4096>& buffer_;
};

// The numbers of the strings below, in this order.
namespace texts {
enum number : std::uint64_t {
  no_text,
  alloc_objects,
  alloc_space,
  inuse_objects,
  inuse_space,
  space,
  count,
  bytes,
  own_functions,
  first_path,
};
}  // namespace texts
constexpr const char* text_of[] = {
    "", "alloc_objects", "alloc_space", "inuse_objects", "inuse_space", "space", "count", "bytes",
    // Hides the malloc's own frames if it is linked into the program.
    ("(mallard_|__libc_)?(malloc|calloc|realloc(array)?|(posix_)?memalign|aligned_alloc|p?valloc)|"
     "operator new.*|(void\\* )?mallard::v1_of_malloc::.*")};
static_assert(std::size(text_of) == texts::first_path);

message type_of(std::uint64_t name, std::uint64_t unit) noexcept {
  message one;
  one.number(1, name);
  one.number(2, unit);
  return one;
}

// The lines of /proc/self/maps, without allocating.
class mapping_lines {
 public:
  explicit mapping_lines(large_buffers& place) noexcept
      : text_(place.lines),
        descriptor_(static_cast<int>(
            syscall(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC))) {}
  ~mapping_lines() {
    if (descriptor_ >= 0) syscall(SYS_close, descriptor_);
  }
  mapping_lines(const mapping_lines&) = delete;
  mapping_lines& operator=(const mapping_lines&) = delete;

  // The line, ended by a null byte; null after the last one.
  char* next() noexcept {
    for (;;) {
      if (auto* const end =
              static_cast<char*>(std::memchr(text_.data() + begin_, '\n', end_ - begin_))) {
        *end = '\0';
        char* const line = text_.data() + begin_;
        begin_ = static_cast<std::size_t>(end - text_.data()) + 1;
        return line;
      }
      std::memmove(text_.data(), text_.data() + begin_, end_ - begin_);
      end_ -= begin_;
      begin_ = 0;
      const long got =
          descriptor_ < 0 || end_ == text_.size()
              ? 0
              : syscall(SYS_read, descriptor_, text_.data() + end_, text_.size() - end_);
      if (got <= 0) return nullptr;
      end_ += static_cast<std::size_t>(got);
    }
  }

 private:
  std::array<char, 5120>& text_;
  int descriptor_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

std::uint64_t hexadecimal(const char*& at) noexcept {
  std::uint64_t value = 0;
  for (;; ++at) {
    if (*at >= '0' && *at <= '9') {
      value = value * 16 + static_cast<std::uint64_t>(*at - '0');
    } else if (*at >= 'a' && *at <= 'f') {
      value = value * 16 + static_cast<std::uint64_t>(*at - 'a' + 10);
    } else {
      return value;
    }
  }
}

// The ranges of modules' code, in the order of addresses; only the first ones that are so many.
class code_ranges {
 public:
  bool is_there() const noexcept { return memory_.is_there(); }
  // Reads and writes all: "55e0-55f0 r-xp 00001000 08:01 1234    /usr/bin/program".
  void write(profile_writer& out, large_buffers& place) noexcept {
    mapping_lines lines(place);
    while (const char* at = count_ == most ? nullptr : lines.next()) {
      range here{hexadecimal(at), 0};
      if (*at++ != '-') continue;
      here.end = hexadecimal(at);
      if (std::strlen(at) < 6 || at[3] != 'x') continue;
      at += 6;
      const std::uint64_t offset = hexadecimal(at);
      const char* const path = std::strchr(at, '/');
      if (path == nullptr) continue;
      out.text(fields::a_string, path, std::strlen(path));
      // The ends of its first and last page may be outside of the module's part.
      write_build_id(out, here.begin + (here.end - here.begin) / 2);
      message one;
      one.number(1, count_ + 1);
      one.number(2, here.begin);
      one.number(3, here.end);
      one.number(4, offset);
      one.number(5, texts::first_path + 2 * count_);
      one.number(6, texts::first_path + 2 * count_ + 1);
      out.inner(fields::a_mapping, one);
      ranges_[count_++] = here;
    }
  }
  // The range's number; 0: none.
  std::uint64_t number_at(std::uint64_t address) const noexcept {
    const range* const found =
        std::upper_bound(ranges_, ranges_ + count_, address,
                         [](std::uint64_t a, const range& one) { return a < one.end; });
    const bool is_in = found != ranges_ + count_ && address >= found->begin;
    return is_in ? static_cast<std::uint64_t>(found - ranges_) + 1 : 0;
  }

 private:
  struct range {
    std::uint64_t begin;
    std::uint64_t end;
  };

  // In hexadecimal digits.
  static void write_build_id(profile_writer& out, std::uint64_t address) noexcept {
    const unwind::build_id id = unwind::build_id_of(unwind::module_of(address), read_if_there);
    std::array<char, 2 * unwind::build_id::longest> digits;
    std::size_t count = 0;
    for (std::size_t i = 0; i < id.size; ++i) {
      const auto byte = static_cast<unsigned char>(id.bytes[i]);
      digits[count++] = "0123456789abcdef"[byte / 16];
      digits[count++] = "0123456789abcdef"[byte % 16];
    }
    out.text(fields::a_string, digits.data(), count);
  }

  // Another thread may unload the module at any time. Also reads where the process may not be
  // looked at, unlike /proc/self/mem.
  static bool read_if_there(void* to, const void* from, std::size_t bytes) noexcept {
    const iovec here{to, bytes};
    const iovec there{const_cast<void*>(from), bytes};
    return syscall(SYS_process_vm_readv, getpid(), &here, 1, &there, 1, 0) ==
           static_cast<long>(bytes);
  }

  static constexpr std::size_t most = 4096;

  mapped_memory memory_{most * sizeof(range)};
  range* ranges_ = memory_.as<range>();
  std::size_t count_ = 0;
};

// A set of addresses, in a mapping that has room for twice as many.
class address_set {
 public:
  explicit address_set(std::size_t most) noexcept
      : places_(std::bit_ceil(std::max<std::size_t>(512, 2 * most))),
        memory_(places_ * sizeof(std::uint64_t)) {}

  bool is_there() const noexcept { return memory_.is_there(); }
  // False when it was there already.
  bool add(std::uint64_t address) noexcept {
    std::size_t at = (address * 0x9e3779b97f4a7c15 >> 32) & (places_ - 1);
    for (; set_[at] != 0; at = (at + 1) & (places_ - 1)) {
      if (set_[at] == address) return false;
    }
    set_[at] = address;
    return true;
  }

 private:
  std::size_t places_;
  mapped_memory memory_;
  std::uint64_t* set_ = memory_.as<std::uint64_t>();
};

void write_stacks(profile_writer& out, const heap_profile::snapshot& all, const code_ranges& code,
                  address_set& known) noexcept {
  for (const sampled_stack& stack : all.stacks) {
    if (stack.allocated.blocks == 0) continue;
    std::size_t frame_bytes = 0;
    for (std::uint32_t f = 0; f < stack.frames; ++f) {
      const std::uint64_t address = all.frames[stack.first_frame + f] - 1;
      frame_bytes += varint_bytes(address);
      if (!known.add(address)) continue;
      message one;
      one.number(1, address);
      if (const std::uint64_t mapping = code.number_at(address)) one.number(2, mapping);
      one.number(3, address);
      out.inner(fields::a_location, one);
    }
    const auto whole = [](std::uint64_t blocks) {
      return (blocks + heap_profile::one_block / 2) / heap_profile::one_block;
    };
    message head;
    head.begin_row(1, frame_bytes);
    message values;
    values.number(2, whole(stack.allocated.blocks));
    values.number(2, stack.allocated.bytes);
    values.number(2, whole(stack.live.blocks));
    values.number(2, stack.live.bytes);
    out.begin_row(fields::a_sample, head.size() + frame_bytes + values.size());
    out.part(head);
    for (std::uint32_t f = 0; f < stack.frames; ++f) {
      out.varint(all.frames[stack.first_frame + f] - 1);
    }
    out.part(values);
  }
}

int write_snapshot(profile_writer& out, const heap_profile::snapshot& all, large_buffers& place,
                   code_ranges& code, address_set& known) noexcept {
  out.inner(fields::sample_type, type_of(texts::alloc_objects, texts::count));
  out.inner(fields::sample_type, type_of(texts::alloc_space, texts::bytes));
  out.inner(fields::sample_type, type_of(texts::inuse_objects, texts::count));
  out.inner(fields::sample_type, type_of(texts::inuse_space, texts::bytes));
  for (const char* const text : text_of) out.text(fields::a_string, text, std::strlen(text));
  code.write(out, place);
  write_stacks(out, all, code, known);
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  out.number(fields::time_nanos, static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
                                     static_cast<std::uint64_t>(now.tv_nsec));
  out.inner(fields::period_type, type_of(texts::space, texts::bytes));
  out.number(fields::period, mean_bytes_of_samples());
  out.number(fields::default_sample_type, texts::inuse_space);
  out.number(fields::drop_frames, texts::own_functions);
  return out.finish();
}

// ENOMEM: no file was made.
int write_file(const char* path, existing_file existing) noexcept {
  const std::size_t most = the_profile.stacks() + 64;  // some may come meanwhile
  const mapped_memory copy(most * sizeof(sampled_stack));
  if (!copy.is_there()) return ENOMEM;
  const heap_profile::snapshot all = the_profile.take_snapshot({copy.as<sampled_stack>(), most});
  address_set known(all.frames.size());
  code_ranges code;
  const mapped_memory place(sizeof(large_buffers));
  if (!known.is_there() || !code.is_there() || !place.is_there()) return ENOMEM;
  const bool is_ours = existing == existing_file::is_an_error;
  const int how = O_WRONLY | O_CREAT | O_CLOEXEC | (is_ours ? O_EXCL : O_TRUNC);
  const auto descriptor = static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, how, 0644));
  if (descriptor < 0) return errno;
  file_signals_held held;
  large_buffers& buffers = *::new (place.as<void>()) large_buffers;
  profile_writer out(descriptor, buffers);
  const int failure = write_snapshot(out, all, buffers, code, known);
  held.note(failure);
  // A part of a profile would look damaged. A file that was there may have been reached by a link.
  if (failure != 0 && (is_ours ? unlink(path) : ftruncate(descriptor, 0)) != 0) {
    // It stays as it is, and the caller learns of the failure.
  }
  syscall(SYS_close, descriptor);
  return failure == ENOMEM ? EIO : failure;
}

constexpr std::size_t spare_bytes = std::size_t{1} << 20;
constinit std::atomic<void*> spare{nullptr};

}  // namespace

void reserve_for_pprof() noexcept {
  void* const fresh = os::map(spare_bytes, os::page_size(), false);
  if (fresh == nullptr) return;
  void* none = nullptr;
  if (!spare.compare_exchange_strong(none, fresh)) os::unmap(fresh, spare_bytes);
}

int write_pprof(const char* path, existing_file existing) noexcept {
  const kept_errno keep;
  if (!the_profile.is_open()) return EINVAL;
  if (void* const reserved = spare.exchange(nullptr)) os::unmap(reserved, spare_bytes);
  int failure = write_file(path, existing);
  if (failure == ENOMEM && make_room_for(spare_bytes, own_magazines::stay)) {
    failure = write_file(path, existing);
  }
  reserve_for_pprof();
  return failure;
}

}  // namespace mallard::inline v1::detail
