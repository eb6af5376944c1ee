#include "mallard/checks/logging_resource.hpp"

#include <cerrno>
#include <chrono>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <thread>

#include "mallard/detail/resources/allocate_from.hpp"
#include "mallard/memory/memory_error.hpp"

namespace mallard::inline v1 {
namespace {

constexpr std::size_t buffer_bytes = 64 * 1024;

// Quotes the text as a cell of a line.
std::string quoted(const char* text) {
  const std::string name = text != nullptr ? text : "";
  if (name.find_first_of(",\"\r\n") == std::string::npos) return name;
  std::string out = "\"";
  for (const char c : name) {
    if (c == '"') out.push_back('"');
    out.push_back(c == '\n' || c == '\r' ? ' ' : c);
  }
  out.push_back('"');
  return out;
}

}  // namespace

struct logging_resource::state {
  explicit state(const char* text) : name(quoted(text)) {}
  ~state() {
    if (file != nullptr) std::fclose(file);
  }

  // Without memory to number the thread, the line is lost.
  void write(const char* call, const void* block, std::size_t bytes,
             std::size_t alignment) noexcept {
    const std::lock_guard hold(mutex);
    const unsigned by = thread();
    if (by == 0) return;
    const auto now = std::chrono::steady_clock::now() - begin;
    const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
    char address[2 + 2 * sizeof(std::uintptr_t) + 1] = "";
    if (block != nullptr) {
      std::snprintf(address, sizeof address, "0x%" PRIxPTR,
                    reinterpret_cast<std::uintptr_t>(block));
    }
    note(std::fprintf(file, "%lld,%u,%s,%s,%zu,%zu,%s\n", static_cast<long long>(ns), by, call,
                      address, bytes, alignment, name.c_str()) >= 0);
  }

  void note(bool written) {
    if (!written && error == 0) error = errno;
  }

  unsigned thread() noexcept {
    try {
      const auto next = static_cast<unsigned>(threads.size()) + 1;
      return threads.try_emplace(std::this_thread::get_id(), next).first->second;
    } catch (const std::bad_alloc&) {
      if (error == 0) error = ENOMEM;
      return 0;
    }
  }

  std::mutex mutex;
  const std::string name;
  std::FILE* file = nullptr;
  const std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
  std::map<std::thread::id, unsigned> threads;
  int error = 0;
};

logging_resource::logging_resource(const char* path, const char* name, resource_ref upstream)
    : upstream_(upstream) {
  if (path == nullptr) {
    throw memory_error(memory_fault::bad_name, EINVAL, "logging_resource", "a path that is null");
  }
  auto made = std::make_unique<state>(name);
  made->file = std::fopen(path, "we");
  if (made->file == nullptr) {
    throw memory_error(memory_fault::refused, errno, "logging_resource", path);
  }
  std::setvbuf(made->file, nullptr, _IOFBF, buffer_bytes);
  made->note(std::fputs("time_ns,thread,call,block,bytes,alignment,resource\n", made->file) >= 0);
  state_ = made.release();
}

logging_resource::~logging_resource() {
  flush();
  delete state_;
}

void* logging_resource::allocate(std::size_t bytes, std::size_t alignment) {
  void* block = nullptr;
  try {
    block = detail::allocate_from(*upstream_, bytes, alignment);
  } catch (...) {
    state_->write("failed", nullptr, bytes, alignment);
    throw;
  }
  state_->write("allocate", block, bytes, alignment);
  return block;
}

// Logged first: as soon as upstream has the block back, another thread may get it.
void logging_resource::deallocate(void* p, std::size_t bytes, std::size_t alignment) {
  state_->write("deallocate", p, bytes, alignment);
  upstream_->deallocate(p, bytes, alignment);
}

void logging_resource::flush() noexcept {
  const std::lock_guard hold(state_->mutex);
  state_->note(std::fflush(state_->file) == 0);
}

int logging_resource::error() const noexcept {
  const std::lock_guard hold(state_->mutex);
  return state_->error;
}

}  // namespace mallard::inline v1
