#include "live/preload/process.hpp"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "live/preload/hook.hpp"
#include "preload/call_slots.hpp"
#include "unwind/module_of.hpp"

namespace mallard::live {

constinit process_state process{};

namespace {

constexpr std::uint32_t walked_frames = 24;
// Above the descriptors that programs expect to get.
constexpr int first_descriptor = 512;

void add(std::atomic<std::uint64_t>& to, std::uint64_t what) noexcept {
  to.fetch_add(what, std::memory_order_relaxed);
}

session* make_session() {
  const preload::session_file made = preload::make_session(session_kind, sizeof(session));
  if (made.memory == nullptr) return nullptr;
  if (fcntl(made.file, F_DUPFD_CLOEXEC, first_descriptor) >= 0) close(made.file);
  return static_cast<session*>(made.memory);  // zeroed
}

void* take_memory(std::size_t bytes) {
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

class locked {
 public:
  explicit locked(pthread_mutex_t& lock) noexcept : lock_(lock) { pthread_mutex_lock(&lock_); }
  ~locked() { pthread_mutex_unlock(&lock_); }
  locked(const locked&) = delete;
  locked& operator=(const locked&) = delete;

 private:
  pthread_mutex_t& lock_;
};

}  // namespace

bool process_state::open_once() noexcept {
  if (!preload::has_room(agent_bytes)) return false;
  if (readlink("/proc/self/exe", program_, sizeof program_ - 1) <= 0) return false;
  // At most half of the table of nodes is used.
  void* const nodes = take_memory(2 * most_sites * sizeof(preload::known_node));
  walks_ =
      static_cast<preload::stack_walk*>(take_memory(most_threads * sizeof(preload::stack_walk)));
  if (nodes == nullptr || walks_ == nullptr || !samples.open() || !rules_.open() ||
      pthread_key_create(&key_,
                         [](void* slot) { end_thread(*static_cast<thread_counts*>(slot)); }) != 0 ||
      pthread_atfork(nullptr, nullptr, after_fork) != 0) {
    return false;
  }
  nodes_.open(nodes, 2 * most_sites);
  all = make_session();
  if (all == nullptr) return false;
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  all->pid = static_cast<std::uint32_t>(getpid());
  all->started = static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
                 static_cast<std::uint64_t>(now.tv_nsec);
  all->site_count.store(1, std::memory_order_relaxed);
  preload::publish(*all, session_kind, sizeof(session));
  return true;
}

void process_state::attach() noexcept {
  if (!preload::find_functions_of_program() || !open()) return;
  preload::hook_modules();
  all->attached.store(attachment::on, std::memory_order_release);
}

void process_state::detach() noexcept {
  if (!gate_.is_open()) return;
  for (int tries = 0; !preload::unhook_modules() && tries < 1000; ++tries) sched_yield();
  all->attached.store(attachment::over, std::memory_order_release);
}

// Must be called before any lock is taken.
void process_state::hook_new_modules() noexcept {
  const std::uint32_t now = all->module_changes.load(std::memory_order_acquire);
  if (hooked_modules_ != now && preload::hook_modules()) hooked_modules_ = now;
}

// The memory is the parent's, which goes on writing to it, so the child is not counted.
void process_state::after_fork() noexcept {
  process.gate_.close();
  stop_in_this_thread();
}

thread_counts* process_state::open_thread() noexcept {
  const locked hold(lock_);
  const std::uint32_t count = all->thread_count.load(std::memory_order_relaxed);
  std::uint32_t at = 0;
  while (at < count && all->threads[at].tid.load(std::memory_order_relaxed) != 0) ++at;
  if (at == most_threads) return &all->others;
  thread_counts& slot = all->threads[at];
  slot.tid.store(static_cast<std::uint32_t>(syscall(SYS_gettid)), std::memory_order_relaxed);
  if (at == count) all->thread_count.store(count + 1, std::memory_order_release);
  walks_[at].open(rules_, false, walked_frames);
  pthread_setspecific(key_, &slot);
  return &slot;
}

void process_state::close_thread(thread_counts& slot) noexcept {
  const locked hold(lock_);
  live::add(all->ended.allocations, slot.allocations.exchange(0, std::memory_order_relaxed));
  live::add(all->ended.bytes, slot.bytes.exchange(0, std::memory_order_relaxed));
  live::add(all->ended.frees, slot.frees.exchange(0, std::memory_order_relaxed));
  slot.tid.store(0, std::memory_order_release);
}

std::uint64_t process_state::address_of(std::uint64_t ip) noexcept {
  const unwind::module_range found = unwind::module_of(ip - 1);
  if (found.module == nullptr) return 0;
  const char* const path = found.module->l_name[0] == '\0' ? program_ : found.module->l_name;
  std::uint32_t number = 0;
  const std::uint32_t count = all->module_count.load(std::memory_order_relaxed);
  while (number < count && strcmp(all->modules[number].text, path) != 0) ++number;
  if (number == count) {
    if (count == most_modules || strlen(path) >= path_bytes) return 0;
    strcpy(all->modules[count].text, path);
    all->module_count.store(count + 1, std::memory_order_release);
  }
  return std::uint64_t{number + 1} << module_shift | (ip - found.module->l_addr);
}

std::uint32_t process_state::add(std::uint64_t key, std::uint32_t parent, std::uint64_t ip,
                                 std::uint64_t) noexcept {
  preload::known_node& at = nodes_.find(key);
  const std::uint32_t number = all->site_count.load(std::memory_order_relaxed);
  if (number == most_sites) return 0;
  at = {key, number};
  site& fresh = all->sites[number];
  fresh.parent = parent;
  fresh.address.store(address_of(ip), std::memory_order_relaxed);
  all->site_count.store(number + 1, std::memory_order_release);
  return number;
}

std::uint32_t process_state::site_of(const thread_counts& by,
                                     const unwind::frame_state& caller) noexcept {
  if (is_others(&by)) return 0;
  // Many events lie between two samples, so all frames are checked.
  return walks_[&by - all->threads].node_of(caller, false, true, *this);
}

void process_state::add_sample(const thread_counts& by, const unwind::frame_state& caller,
                               const void* block, std::uint64_t bytes,
                               std::uint64_t blocks) noexcept {
  if (all->attached.load(std::memory_order_relaxed) == attachment::on) hook_new_modules();
  const locked hold(lock_);
  const std::uint32_t number = site_of(by, caller);
  site& at = all->sites[number];
  live::add(at.allocations, blocks);
  live::add(at.bytes, bytes);
  const sampled_block one{reinterpret_cast<std::uint64_t>(block), bytes,
                          static_cast<std::uint32_t>(blocks), number};
  if (!samples.add(one)) {
    live::add(all->not_kept, 1);
    count_freed(one);
  }
}

sampled_block process_state::take_sample(const void* block) noexcept {
  const locked hold(lock_);
  return samples.take(block);
}

void process_state::put_back(const sampled_block& one) noexcept {
  const locked hold(lock_);
  if (!samples.add(one)) count_freed(one);
}

void process_state::count_freed(const sampled_block& one) noexcept {
  site& at = all->sites[one.site];
  live::add(at.freed_blocks, one.blocks);
  live::add(at.freed_bytes, one.bytes);
}

void process_state::forget_addresses() noexcept {
  if (!gate_.is_open()) return;
  if (all->attached.load(std::memory_order_relaxed) == attachment::on) {
    preload::forget_unloaded_modules();
  }
  const locked hold(lock_);
  rules_.clear();
  nodes_.clear();
  for (std::size_t i = 0; i < all->thread_count.load(std::memory_order_relaxed); ++i) {
    walks_[i].forget();
  }
}

}  // namespace mallard::live
