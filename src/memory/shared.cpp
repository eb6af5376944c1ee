#include "mallard/memory/shared.hpp"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "mallard/detail/memory/failures.hpp"
#include "mallard/detail/os/mapping.hpp"

namespace mallard::inline v1 {
namespace {

namespace os = detail::os;

constexpr const char* shared_kind = "shared_resource";
constexpr std::size_t largest_name_bytes = 250;
constexpr unsigned being_made = 0;  // the number that the maker locks; users lock others

// The system's name, with a slash in front.
class shared_name {
 public:
  explicit shared_name(const char* name) {
    const char* const bare = name != nullptr && *name == '/' ? name + 1 : name;
    const std::size_t length = bare == nullptr ? 0 : std::strlen(bare);
    const bool is_folder = length == std::strspn(bare == nullptr ? "" : bare, ".") && length <= 2;
    if (is_folder || length > largest_name_bytes || std::strchr(bare, '/') != nullptr) {
      detail::fail_memory(
          memory_fault::bad_name, EINVAL, shared_kind,
          "a name has 1 to %zu bytes, no slash inside, and is no folder's, unlike '%.60s'",
          largest_name_bytes, name == nullptr ? "(null)" : name);
    }
    text_[0] = '/';
    std::memcpy(text_ + 1, bare, length + 1);
  }
  const char* text() const noexcept { return text_; }

 private:
  char text_[largest_name_bytes + 2];
};

[[noreturn]] void fail_to_open(const char* doing, const char* name, int error) {
  const memory_fault fault = error == EEXIST ? memory_fault::exists : memory_fault::refused;
  detail::fail_memory(fault, error, shared_kind, "cannot %s '%.80s'", doing, name);
}

// The maker holds a lock until the segment is made. Between its first two calls there is an instant
// without a lock and without a byte, which is waited out.
void wait_until_made(int descriptor) {
  constexpr int patience = 100;
  for (int tries = 0; tries < patience;) {
    const int error = os::lock_number(descriptor, being_made, true);
    if (error == 0) {
      os::unlock_number(descriptor, being_made);
      std::size_t bytes = 0;
      if (os::file_bytes(descriptor, bytes) != 0 || bytes != 0) return;
      ++tries;
    } else if (error != EAGAIN) {
      return;  // the caller will see what it is
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

int make_anonymous() {
  int descriptor = -1;
  if (const int error = os::open_anonymous("mallard", descriptor)) {
    fail_to_open("make", "(anonymous)", error);
  }
  return descriptor;
}

}  // namespace

shared_resource::shared_resource(int descriptor, state s, std::size_t limit_bytes)
    : segment_resource(shared_kind, descriptor, detail::segment_view::shared) {
  if (s == state::to_be_made) {
    segment_.create(detail::segment_kind::shared, limit_bytes, nullptr);
    os::unlock_number(descriptor, being_made);
  } else {
    segment_.open(detail::segment_kind::shared, nullptr);
  }
  client_.attach();
  begin();
}

shared_resource::shared_resource(shared_options options)
    : shared_resource(make_anonymous(), state::to_be_made, options.limit_bytes) {}

shared_resource::~shared_resource() {
  end();
}

// A segment that cannot be made must not be found either.
shared_resource shared_resource::make_named(const char* system_name, int descriptor,
                                            shared_options options) {
  // A process that checks whether it is made has the lock for an instant.
  while (os::lock_number(descriptor, being_made, true) == EAGAIN) std::this_thread::yield();
  try {
    return shared_resource(descriptor, state::to_be_made, options.limit_bytes);
  } catch (...) {
    os::remove_shared(system_name);
    throw;
  }
}

shared_resource shared_resource::create(const char* name, shared_options options) {
  const shared_name system_name(name);
  int descriptor = -1;
  if (const int error = os::open_shared(system_name.text(), os::file_mode::create,
                                        options.permissions, descriptor)) {
    fail_to_open("make", name, error);
  }
  return make_named(system_name.text(), descriptor, options);
}

shared_resource shared_resource::open_or_create(const char* name, shared_options options) {
  const shared_name system_name(name);
  for (;;) {
    int descriptor = -1;
    int error = os::open_shared(system_name.text(), os::file_mode::open, 0, descriptor);
    if (error == 0) {
      wait_until_made(descriptor);
      return shared_resource(descriptor, state::made, 0);
    }
    if (error != ENOENT) fail_to_open("open", name, error);
    error =
        os::open_shared(system_name.text(), os::file_mode::create, options.permissions, descriptor);
    if (error == 0) return make_named(system_name.text(), descriptor, options);
    if (error != EEXIST) fail_to_open("make", name, error);
  }
}

shared_resource shared_resource::open(const char* name) {
  const shared_name system_name(name);
  int descriptor = -1;
  if (const int error = os::open_shared(system_name.text(), os::file_mode::open, 0, descriptor)) {
    fail_to_open("open", name, error);
  }
  wait_until_made(descriptor);
  return shared_resource(descriptor, state::made, 0);
}

bool shared_resource::remove(const char* name) {
  const shared_name system_name(name);
  const int error = os::remove_shared(system_name.text());
  if (error != 0 && error != ENOENT) fail_to_open("remove", name, error);
  return error == 0;
}

shared_resource shared_resource::anonymous(shared_options options) {
  return shared_resource(options);
}

shared_resource shared_resource::attach(int descriptor) {
  std::size_t bytes = 0;
  if (const int error = os::file_bytes(descriptor, bytes)) {
    detail::fail_memory(memory_fault::not_memory, error, shared_kind,
                        "descriptor %d is none of memory to be shared", descriptor);
  }
  int own = -1;
  if (const int error = os::open_again(descriptor, true, own)) {
    detail::fail_memory(memory_fault::refused, error, shared_kind,
                        "cannot open descriptor %d again", descriptor);
  }
  return shared_resource(own, state::made, 0);
}

unsigned shared_resource::reclaim() {
  return adopt_the_dead();
}

}  // namespace mallard::inline v1
