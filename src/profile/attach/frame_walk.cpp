#include "profile/attach/frame_walk.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>

#include "profile/trace/elf_file.hpp"
#include "unwind/frame_step.hpp"

namespace mallard::profile {
namespace {

using unwind::frame_rule;
using unwind::frame_state;

constexpr std::uint64_t page_bytes = 4096;

// A module's file, mapped here as it lies there, to be read.
class module_image {
 public:
  module_image(const std::string& path, std::uint64_t start) : start_(start) {
    const elf_file file(path);
    std::uint64_t end = 0, frames = 0;
    for (const Elf64_Phdr& one : file.segments()) {
      if (one.p_type == PT_LOAD) end = std::max(end, one.p_vaddr + one.p_memsz);
      if (one.p_type == PT_LOAD && first_ == UINT64_MAX)
        first_ = one.p_vaddr / page_bytes * page_bytes;
      if (one.p_type == PT_GNU_EH_FRAME) frames = one.p_vaddr;
    }
    if (frames == 0 || first_ == UINT64_MAX || frames < first_ || frames >= end) return;
    bytes_ = end - first_;
    void* const room = mmap(nullptr, bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED) return;
    memory_ = static_cast<std::uint8_t*>(room);
    const int from = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    bool all = from >= 0;
    for (const Elf64_Phdr& one : file.segments()) {
      if (one.p_type != PT_LOAD || one.p_filesz == 0) continue;
      const std::uint64_t before = one.p_vaddr % page_bytes;
      const std::uint64_t inside = one.p_vaddr - first_;
      all = all && inside < bytes_ && one.p_filesz <= bytes_ - inside && one.p_offset >= before &&
            mmap(memory_ + (one.p_vaddr - before - first_), one.p_filesz + before, PROT_READ,
                 MAP_PRIVATE | MAP_FIXED, from,
                 static_cast<off_t>(one.p_offset - before)) != MAP_FAILED;
    }
    if (from >= 0) close(from);
    if (all) frames_ = memory_ + (frames - first_);
  }
  ~module_image() {
    if (memory_ != nullptr) munmap(memory_, bytes_);
  }
  module_image(const module_image&) = delete;
  module_image& operator=(const module_image&) = delete;

  frame_rule rule_at(std::uint64_t ip) const {
    if (frames_ == nullptr || ip - start_ >= bytes_) return {frame_rule::address::not_described};
    return unwind::find_frame_rule(frames_,
                                   reinterpret_cast<std::uint64_t>(memory_) + (ip - start_));
  }

 private:
  std::uint64_t start_;               // there
  std::uint64_t first_ = UINT64_MAX;  // its first address in the file
  std::uint64_t bytes_ = 0;
  std::uint8_t* memory_ = nullptr;
  const std::uint8_t* frames_ = nullptr;
};

// The process's words, as a step from frame to frame reads them.
struct words_of_process {
  const process_memory& memory;

  bool has(std::uint64_t at) const {
    std::uint64_t word = 0;
    return (at & 7) == 0 && memory.read(at, &word, sizeof word);
  }
  std::uint64_t load(std::uint64_t at) const {
    std::uint64_t word = 0;
    memory.read(at, &word, sizeof word);
    return word;
  }
};

class walker {
 public:
  walker(const process_memory& memory, const std::vector<mapping>& modules)
      : memory_{memory}, modules_(modules) {}

  frame_walk walk(frame_state at, const std::function<bool(std::uint64_t)>& looked_for) {
    constexpr int most_frames = 1000;
    bool called = false;  // the address is behind a call
    for (int i = 0; i < most_frames; ++i) {
      if (looked_for(at.ip)) return {.met = true, .whole = false, .stack = at.sp};
      const frame_rule rule = rule_at(at.ip - (called ? 1 : 0));
      if (rule.how == frame_rule::address::outermost) {
        return {.met = false, .whole = true, .stack = at.sp};
      }
      const std::uint64_t before = at.sp;
      if (!step(rule, at)) return {.met = false, .whole = false, .stack = before};
      called = true;
    }
    return {.met = false, .whole = false, .stack = at.sp};
  }

 private:
  // To the caller's frame.
  bool step(const frame_rule& rule, frame_state& at) const {
    const unwind::frame_end end = unwind::end_of_frame(at, rule, memory_);
    if (end.address == 0) return false;
    at = unwind::caller_of(at, end, unwind::saved_bp_place(at, rule, end, memory_), memory_);
    return true;
  }

  frame_rule rule_at(std::uint64_t ip) {
    constexpr frame_rule unknown{frame_rule::address::not_described};
    const auto is = std::find_if(modules_.begin(), modules_.end(),
                                 [=](const mapping& one) { return one.range.has(ip); });
    if (is == modules_.end() || is->path.empty() || is->path.front() != '/') return unknown;
    const auto first = std::find_if(modules_.begin(), modules_.end(),
                                    [&](const mapping& one) { return one.path == is->path; });
    std::unique_ptr<module_image>& image = images_[is->path];
    if (!image) image = std::make_unique<module_image>(is->path, first->range.start);
    return image->rule_at(ip);
  }

  words_of_process memory_;
  const std::vector<mapping>& modules_;
  std::map<std::string, std::unique_ptr<module_image>> images_;
};

}  // namespace

frame_walk walk_frames(const process_memory& memory, const std::vector<mapping>& modules,
                       const user_regs_struct& registers,
                       const std::function<bool(std::uint64_t)>& looked_for) {
  return walker(memory, modules)
      .walk({.ip = registers.rip, .sp = registers.rsp, .bp = registers.rbp}, looked_for);
}

}  // namespace mallard::profile
