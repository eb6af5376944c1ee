#include "mallard/detail/checks/made_objects.hpp"

#include <cxxabi.h>
#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <limits>
#include <new>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mallard/detail/checks/effects.hpp"

// A sanitizer that is in the program reports each free.
extern "C" {
[[gnu::weak]] int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void*,
                                                                              std::size_t),
                                                            void (*on_free)(const volatile void*));
}

namespace mallard::inline v1::detail {

MALLARD_STATIC_TLS constinit thread_local effect_watch* watched_effects = nullptr;

void note_effect(effect what) noexcept {
  const unwatched pause;
  if (pause.watch() == nullptr) return;
  const auto i = static_cast<unsigned>(what);
  if (std::exchange(pause.watch()->seen[i], true)) return;
  pause.watch()->where[i] = call_stack::capture();
}

namespace {

constexpr const char* effect_texts[] = {"freed memory that is not the resource's", "took a lock",
                                        "gave back memory of another resource", "wrote to a file",
                                        "closed a file"};

void install_hooks() {
  static const bool installed = [] {
    if (__sanitizer_install_malloc_and_free_hooks == nullptr) return false;
    return __sanitizer_install_malloc_and_free_hooks(
               [](const volatile void*, std::size_t) {},
               [](const volatile void* p) {
                 if (p != nullptr && watched_effects != nullptr) note_effect(effect::free);
               }) != 0;
  }();
  (void)installed;
}

// The calling thread's write calls so far, as the kernel counts them; 0 if it does not.
unsigned long long writes_of_this_thread() {
  const int file = open("/proc/thread-self/io", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  char text[512];
  const ssize_t got = read(file, text, sizeof text - 1);
  close(file);
  if (got <= 0) return 0;
  text[got] = '\0';
  const char* const at = std::strstr(text, "syscw: ");
  return at == nullptr ? 0 : std::strtoull(at + 7, nullptr, 10);
}

// Sorted; without the descriptor that reads them.
std::vector<int> open_files() {
  std::vector<int> files;
  DIR* const all = opendir("/proc/self/fd");
  if (all == nullptr) return files;
  while (const dirent* const one = readdir(all)) {
    const int file = std::atoi(one->d_name);
    if (one->d_name[0] != '.' && file != dirfd(all)) files.push_back(file);
  }
  closedir(all);
  std::sort(files.begin(), files.end());
  return files;
}

std::string demangled(const char* type) {
  int status = 0;
  char* const text = abi::__cxa_demangle(type, nullptr, nullptr, &status);
  std::string out = text != nullptr ? text : type;
  std::free(text);
  return out;
}

}  // namespace

struct made_objects::state {
  std::vector<made_object> all;  // in the order of making; null: taken out
  std::unordered_map<void*, std::size_t> index;
};

made_objects::~made_objects() {
  const unwatched ours;
  delete state_;
}

void made_objects::add(const made_object& made) noexcept {
  const unwatched ours;
  const std::lock_guard hold(lock_);
  try {
    if (state_ == nullptr) state_ = new state;
    state_->all.push_back(made);
    state_->index.insert_or_assign(made.object, state_->all.size() - 1);
  } catch (const std::bad_alloc&) {
  }
}

void made_objects::remove(void* object) noexcept {
  const unwatched ours;
  const std::lock_guard hold(lock_);
  if (state_ == nullptr) return;
  const auto at = state_->index.find(object);
  if (at == state_->index.end()) return;
  state_->all[at->second].object = nullptr;
  state_->index.erase(at);
}

std::size_t made_objects::made() const noexcept {
  const unwatched ours;
  const std::lock_guard hold(lock_);
  return state_ != nullptr ? state_->all.size() : 0;
}

// False when there is none left from `first` on.
bool made_objects::take_newest(std::size_t first, made_object& what) noexcept {
  const std::lock_guard hold(lock_);
  if (state_ == nullptr) return false;
  while (state_->all.size() > first) {
    what = state_->all.back();
    state_->all.pop_back();
    if (what.object == nullptr) continue;
    state_->index.erase(what.object);
    return true;
  }
  return false;
}

// A watched destructor may wink out other objects, which have a watch of their own meanwhile.
void made_objects::wink_out(std::size_t first) {
  const unwatched ours;
  made_object what;
  while (take_newest(first, what)) {
    install_hooks();
    if (what.destroy != nullptr) destroy(what);
    memory_.deallocate(what.object, what.bytes, what.alignment);
  }
}

void made_objects::destroy(const made_object& what) {
  const std::vector<int> files = open_files();
  effect_watch watch;
  watch.memory = &memory_;
  const unsigned long long writes = writes_of_this_thread();
  watched_effects = &watch;
  what.destroy(what.object);
  watched_effects = nullptr;
  const auto seen = [&](effect e) -> bool& { return watch.seen[static_cast<unsigned>(e)]; };
  if (writes_of_this_thread() != writes) seen(effect::write) = true;
  const std::vector<int> still_open = open_files();
  if (!std::includes(still_open.begin(), still_open.end(), files.begin(), files.end())) {
    seen(effect::close) = true;
  }
  for (unsigned i = 0; i < std::size(watch.seen); ++i) {
    if (!watch.seen[i]) continue;
    std::string text = "the destructor of ";
    text.append(demangled(what.type)).append(" ").append(effect_texts[i]);
    test_report r;
    r.fault = test_fault::effect;
    r.block = what.object;
    r.serial = std::numeric_limits<std::uint64_t>::max();
    r.resource = memory_.name();
    r.other = text.c_str();
    r.found = watch.where[i];
    memory_.report(r);
  }
}

}  // namespace mallard::inline v1::detail
