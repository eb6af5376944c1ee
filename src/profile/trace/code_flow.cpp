#include "profile/trace/code_flow.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "profile/trace/elf_file.hpp"
#include "profile/trace/instruction.hpp"
#include "profile/trace/symbolizer.hpp"

namespace mallard::profile {
namespace {

// The file's bytes by their addresses, read piece by piece.
class file_image {
 public:
  explicit file_image(const std::string& path) : file_(path) {}

  std::uint16_t machine() const { return file_.machine(); }
  const std::vector<Elf64_Phdr>& segments() const { return file_.segments(); }

  // Up to so many bytes; fewer where the file has no more.
  std::string_view at(std::uint64_t address, std::size_t bytes, bool code = false) {
    for (const Elf64_Phdr& one : file_.segments()) {
      const std::uint64_t inside = address - one.p_vaddr;
      if (one.p_type != PT_LOAD || inside >= one.p_filesz || (code && !(one.p_flags & PF_X))) {
        continue;
      }
      const std::uint64_t piece = inside / piece_bytes * piece_bytes;
      const auto [at, fresh] = pieces_.try_emplace(one.p_vaddr + piece);
      if (fresh) {
        at->second = file_.bytes(one.p_offset + piece,
                                 std::min<std::uint64_t>(piece_bytes + most, one.p_filesz - piece));
      }
      const std::string_view all = at->second;
      const std::size_t from = std::min<std::size_t>(inside - piece, all.size());
      return all.substr(from, std::min(bytes, most));
    }
    return {};
  }

 private:
  static constexpr std::size_t piece_bytes = 1 << 14;
  static constexpr std::size_t most = 64;  // asked for at once
  elf_file file_;
  std::unordered_map<std::uint64_t, std::string> pieces_;
};

// Reads the DWARF tables for unwinding; wrong ones read as noughts.
class table_reader {
 public:
  table_reader(file_image& image, std::uint64_t address) : image_(image), address_(address) {}

  std::uint64_t address() const { return address_; }
  void skip(std::uint64_t bytes) { address_ += bytes; }

  template <class T>
  T number() {
    T out{};
    const std::string_view raw = image_.at(address_, sizeof out);
    if (raw.size() == sizeof out) std::memcpy(&out, raw.data(), sizeof out);
    address_ += sizeof out;
    return out;
  }
  std::uint64_t uleb() {
    std::uint64_t out = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto one = number<std::uint8_t>();
      out |= std::uint64_t{one & 0x7fu} << shift;
      if ((one & 0x80) == 0) break;
    }
    return out;
  }
  // A pointer as the encoding has it (DW_EH_PE); 0 for what is not understood.
  std::uint64_t pointer(std::uint8_t encoding) {
    const std::uint64_t here = address_;
    std::uint64_t out = 0;
    switch (encoding & 0x0f) {
      case 0x00:
      case 0x04:
      case 0x0c:
        out = number<std::uint64_t>();
        break;
      case 0x01:
        out = uleb();
        break;
      case 0x03:
        out = number<std::uint32_t>();
        break;
      case 0x0b:
        out = static_cast<std::uint64_t>(std::int64_t{number<std::int32_t>()});
        break;
      default:
        return 0;
    }
    const bool from_here = (encoding & 0x70) == 0x10;
    return out == 0 || !from_here ? out : out + here;
  }

 private:
  file_image& image_;
  std::uint64_t address_;
};

// Finds the handler that a throw at an address leads to.
class handler_table {
 public:
  handler_table(file_image& image, const std::string& path)
      : image_(image), functions_(described_functions(path)) {}

  bool begins_at(std::uint64_t address) const {
    const described_function* const one = function_at(functions_, address);
    return one != nullptr && one->start == address;
  }

  // 0: none.
  std::uint64_t handler_of(std::uint64_t address) const {
    const described_function* const one = function_at(functions_, address);
    const std::uint64_t table = one == nullptr ? 0 : handlers_of_frame(one->frame);
    return table == 0 ? 0 : handler_in(table, one->start, address);
  }

 private:
  // A function's description says where its language has a table of its own.
  std::uint64_t handlers_of_frame(std::uint64_t frame) const {
    table_reader in(image_, frame);
    in.skip(4);
    const std::uint64_t here = in.address();
    const std::uint64_t common = here - in.number<std::uint32_t>();
    table_reader about(image_, common);
    about.skip(8);
    if (about.number<std::uint8_t>() != 1) return 0;
    std::string augmentation;
    while (const char one = about.number<char>()) augmentation += one;
    if (augmentation.find('L') == augmentation.npos || augmentation[0] != 'z') return 0;
    for (int i = 0; i < 4; ++i) about.uleb();  // alignments, the return's register, a length
    std::uint8_t of_table = 0xff, of_code = 0;
    for (const char one : augmentation.substr(1)) {
      if (one == 'L') of_table = about.number<std::uint8_t>();
      if (one == 'R') of_code = about.number<std::uint8_t>();
      if (one == 'P') about.pointer(about.number<std::uint8_t>());
    }
    in.pointer(of_code);
    in.pointer(of_code & 0x0f);
    in.uleb();
    return of_table == 0xff ? 0 : in.pointer(of_table & 0x7f);
  }

  std::uint64_t handler_in(std::uint64_t table, std::uint64_t start, std::uint64_t address) const {
    table_reader in(image_, table);
    std::uint64_t base = start;
    if (const auto encoding = in.number<std::uint8_t>(); encoding != 0xff) {
      base = in.pointer(encoding);
    }
    if (in.number<std::uint8_t>() != 0xff) in.uleb();
    const auto encoding = in.number<std::uint8_t>();
    const std::uint64_t bytes = in.uleb();
    for (const std::uint64_t end = in.address() + bytes; in.address() < end;) {
      const std::uint64_t from = start + in.pointer(encoding);
      const std::uint64_t length = in.pointer(encoding);
      const std::uint64_t handler = in.pointer(encoding);
      in.uleb();
      if (address >= from && address - from < length) return handler == 0 ? 0 : base + handler;
    }
    return 0;
  }

  file_image& image_;
  std::vector<described_function> functions_;
};

// The functions of other modules that are called through the file's table, by their places in it.
class import_table {
 public:
  explicit import_table(file_image& image) {
    std::map<std::int64_t, std::uint64_t> about;
    for (const Elf64_Phdr& one : image.segments()) {
      if (one.p_type != PT_DYNAMIC) continue;
      table_reader in(image, one.p_vaddr);
      for (std::uint64_t left = one.p_memsz / sizeof(Elf64_Dyn); left > 0; --left) {
        const auto what = in.number<std::int64_t>();
        about[what] = in.number<std::uint64_t>();
      }
    }
    table_reader in(image, about[DT_JMPREL]);
    for (std::uint64_t left = about[DT_PLTRELSZ] / sizeof(Elf64_Rela); left > 0; --left) {
      const auto one = in.number<Elf64_Rela>();
      const std::uint64_t symbol = about[DT_SYMTAB] + ELF64_R_SYM(one.r_info) * sizeof(Elf64_Sym);
      const auto name = table_reader(image, symbol).number<Elf64_Word>();
      const std::string_view text = image.at(about[DT_STRTAB] + name, 64);
      names_[one.r_offset] = text.substr(0, text.find('\0'));
    }
  }

  bool has_jumps_of_its_own() const {
    return std::any_of(names_.begin(), names_.end(), [](const auto& one) {
      return one.second.find("longjmp") != one.second.npos ||
             one.second.find("setjmp") != one.second.npos;
    });
  }
  bool allocates(std::uint64_t place) const { return is_one_of(allocating, place); }
  bool never_allocates(std::uint64_t place) const { return is_one_of(not_allocating, place); }

 private:
  static constexpr std::string_view allocating[] = {"malloc",
                                                    "calloc",
                                                    "realloc",
                                                    "reallocarray",
                                                    "aligned_alloc",
                                                    "memalign",
                                                    "posix_memalign",
                                                    "_Znwm",
                                                    "_Znam",
                                                    "_ZnwmSt11align_val_t",
                                                    "_ZnamSt11align_val_t",
                                                    "_ZnwmRKSt9nothrow_t",
                                                    "_ZnamRKSt9nothrow_t"};
  static constexpr std::string_view not_allocating[] = {"free",
                                                        "_ZdlPv",
                                                        "_ZdaPv",
                                                        "_ZdlPvm",
                                                        "_ZdaPvm",
                                                        "_ZdlPvSt11align_val_t",
                                                        "_ZdlPvmSt11align_val_t",
                                                        "memcpy",
                                                        "memmove",
                                                        "memset",
                                                        "memcmp",
                                                        "strlen",
                                                        "strcmp"};

  template <std::size_t count>
  bool is_one_of(const std::string_view (&names)[count], std::uint64_t place) const {
    const auto found = names_.find(place);
    return found != names_.end() &&
           std::find(std::begin(names), std::end(names), found->second) != std::end(names);
  }

  std::unordered_map<std::uint64_t, std::string> names_;
};

struct instruction_at {
  std::uint64_t address = 0;
  instruction is;
};

// Finds where a jump leads that goes through a table, as gcc and clang write one for a switch:
//   cmp $last,%edi; ja past; lea table(%rip),%rdx; movslq (%rdx,%rdi,4),%rax; add %rdx,%rax; jmp
//   *%rax
// or, in code that has a fixed address, cmp and ja, then jmp *table(,%rdi,8). The compared value
// may be moved to the index in between. The jump is known only where nothing else stands behind the
// branch, which might change the index or the table's address, where nothing jumps into its midst,
// and where each entry leads to code: an entry too few would be a way that is not seen.
class switch_reader {
 public:
  // `run`: the instructions that come one after the other up to the jump, and the jump.
  switch_reader(file_image& image, std::span<const instruction_at> run)
      : image_(image), run_(run), branch_(run.size() - 1) {
    while (branch_ > 0 && run_[branch_].is.kind != instruction_kind::branch) --branch_;
  }

  // Nothing may jump behind it, up to the jump.
  std::uint64_t begin() const { return run_[branch_].address; }

  // Empty: not known.
  std::vector<std::uint64_t> targets() {
    if (branch_ == 0 || !read_parts()) return {};
    const operand& jump = run_.back().is.rm;
    const bool is_sum = jump.is_register && sum_ == jump.base;
    const bool is_entry = !jump.is_register && table_ == nullptr && jump.scale == 8 &&
                          jump.base == operand::none && jump.index != operand::none;
    if (!is_sum && !is_entry) return {};
    const std::uint64_t table =
        is_sum ? table_->address + table_->is.bytes +
                     static_cast<std::uint64_t>(std::int64_t{table_->is.rm.distance})
               : static_cast<std::uint32_t>(jump.distance);
    std::vector<std::uint64_t> out(cases_of(is_sum ? entry_->rm.index : jump.index));
    for (std::size_t i = 0; i < out.size(); ++i) {
      table_reader in(image_, table + (is_sum ? 4 : 8) * i);
      out[i] = is_sum ? table + static_cast<std::uint64_t>(in.number<std::int32_t>())
                      : in.number<std::uint64_t>();
      if (image_.at(out[i], 1, true).empty()) return {};
    }
    return out;
  }

 private:
  // The instructions between branch and jump. False: there are others.
  bool read_parts() {
    for (const instruction_at& one : run_.subspan(branch_ + 1, run_.size() - branch_ - 2)) {
      const instruction& is = one.is;
      if (table_ == nullptr && is_table(is)) {
        table_ = &one;
      } else if (table_ != nullptr && entry_ == nullptr && is_entry(is)) {
        entry_ = &is;
      } else if (entry_ != nullptr && sum_ == operand::none && is_sum(is)) {
        sum_ = is.opcode == 0x01 ? is.rm.base : is.reg;
      } else if (entry_ == nullptr && move_ == nullptr && is_move(is)) {
        move_ = &is;
      } else {
        return false;
      }
    }
    return true;
  }

  static bool is_table(const instruction& one) {
    return one.opcode == 0x8d && one.rm.base == operand::next_instruction;
  }
  bool is_entry(const instruction& one) const {
    return one.opcode == 0x63 && !one.rm.is_register && one.rm.base == table_->is.reg &&
           one.rm.index != operand::none && one.rm.scale == 4 && one.rm.distance == 0;
  }
  bool is_sum(const instruction& one) const {
    const std::uint8_t base = table_->is.reg, read = entry_->reg;
    return (one.opcode == 0x01 || one.opcode == 0x03) && one.rm.is_register &&
           ((one.reg == base && one.rm.base == read) || (one.reg == read && one.rm.base == base));
  }
  static bool is_move(const instruction& one) {
    return one.opcode == 0x8b || one.opcode == 0x89 || one.opcode == 0x63 || one.opcode == 0x0fb6 ||
           one.opcode == 0x0fb7;
  }

  // As many as the comparison of the index lets through; 0: not known.
  std::size_t cases_of(std::uint8_t index) {
    const unsigned past = run_[branch_].is.opcode;
    if (past != 0x77 && past != 0x0f87) return 0;  // if it is above
    const instruction_at& compares = run_[branch_ - 1];
    const unsigned opcode = compares.is.opcode;
    const bool is_far = opcode == 0x81 || opcode == 0x3d;
    const bool of_rm = (opcode >= 0x80 && opcode <= 0x83) && (compares.is.reg & 7) == 7;
    if (!of_rm && opcode != 0x3c && opcode != 0x3d) return 0;
    const operand what = of_rm ? compares.is.rm : operand{.is_register = true, .base = 0};
    if (!is_or_becomes(what, {.is_register = true, .base = index})) return 0;
    const std::size_t bytes = is_far ? 4 : 1;
    table_reader in(image_, compares.address + compares.is.bytes - bytes);
    const std::int64_t cases =
        is_far ? in.number<std::int32_t>() : std::int64_t{in.number<std::int8_t>()};
    constexpr std::int64_t most = 1000;
    return cases < 0 || cases >= most ? 0 : static_cast<std::size_t>(cases) + 1;
  }

  // Relative to another instruction, the same distance is another place.
  bool is_or_becomes(const operand& what, const operand& index) const {
    if (move_ == nullptr) return what == index;
    const operand beside{.is_register = true, .base = move_->reg};
    const bool to_rm = move_->opcode == 0x89;
    return what.base != operand::next_instruction && (to_rm ? move_->rm : beside) == index &&
           (to_rm ? beside : move_->rm) == what;
  }

  file_image& image_;
  std::span<const instruction_at> run_;
  std::size_t branch_;                     // its place in the run; 0: none, or nothing before it
  const instruction_at* table_ = nullptr;  // loads the table's address
  const instruction* move_ = nullptr;      // of what was compared
  const instruction* entry_ = nullptr;     // reads the entry
  std::uint8_t sum_ = operand::none;       // register of the entry's target
};

// Goes through the code.
class code_walker {
 public:
  code_walker(const std::string& path, const std::vector<code_place>& places)
      : image_(path), handlers_(image_, path), imports_(image_) {
    for (const code_place& one : places) {
      places_.insert(one.place);
      starts_.insert(one.start);
    }
  }

  bool understands() const {
    return image_.machine() == EM_X86_64 && !imports_.has_jumps_of_its_own();
  }

  struct way {
    bool known = true;
    bool leaves = false;
    bool jumps_on = false;
    std::set<std::uint64_t> places = {};  // the first that are come to
  };

  // A signal's handler returns to the beginning of code, which the table may let begin a byte
  // before; no call ends there.
  way from_place(std::uint64_t place) {
    if (handlers_.begins_at(place) || handlers_.begins_at(place - 1)) return {.known = false};
    std::vector<std::uint64_t> begins{place};
    if (const std::uint64_t handler = handler_of_call(place)) begins.push_back(handler);
    return from(std::move(begins));
  }
  way from_start(std::uint64_t start) { return start == 0 ? way{.known = false} : from({start}); }

  // The function that the call before the place is of; 0: no direct call stands there.
  std::uint64_t called_before(std::uint64_t place) {
    std::uint64_t out = 0;
    if (image_.machine() == EM_X86_64) {
      constexpr std::uint64_t call_bytes = 5;
      const instruction call = decode(image_.at(place - call_bytes, call_bytes, true));
      if (call.kind != instruction_kind::call || call.bytes != call_bytes) return 0;
      out = place - call_bytes + static_cast<std::uint64_t>(call.target);
    } else if (image_.machine() == EM_AARCH64) {
      const auto call = table_reader(image_, place - 4).number<std::uint32_t>();
      if ((call & 0xfc000000) != 0x94000000) return 0;
      const auto words = static_cast<std::int32_t>(call << 6) >> 6;
      out = place - 4 + static_cast<std::uint64_t>(std::int64_t{words} * 4);
    }
    return image_.at(out, 1, true).empty() ? 0 : out;
  }

  // A call of what begins there is one of another module's function that always allocates.
  bool allocates_outside(std::uint64_t start) {
    instruction first = decode_at(start);
    // A mark for indirect calls may stand first.
    if (first.kind == instruction_kind::plain) {
      start += first.bytes;
      first = decode_at(start);
    }
    return first.kind == instruction_kind::jump_outside &&
           imports_.allocates(start + static_cast<std::uint64_t>(first.target));
  }

 private:
  instruction decode_at(std::uint64_t address) { return decode(image_.at(address, 15, true)); }

  // The handler of a call that returns to that place; 0: none.
  std::uint64_t handler_of_call(std::uint64_t place) {
    const auto [at, fresh] = handlers_of_calls_.try_emplace(place);
    if (fresh) at->second = handlers_.handler_of(place - 1);
    return at->second;
  }

  way from(std::vector<std::uint64_t> ahead) {
    constexpr std::size_t most_instructions = 8000;
    way out;
    const std::uint64_t own = ahead.front();
    std::unordered_set<std::uint64_t> met;
    std::vector<instruction_at> run;                                 // since the last jump
    std::vector<std::pair<std::uint64_t, std::uint64_t>> unentered;  // nothing may jump into these
    std::vector<std::uint64_t> targets;
    while (!ahead.empty() && out.known) {
      std::uint64_t at = ahead.back();
      ahead.pop_back();
      run.clear();
      targets.push_back(at);
      for (bool goes_on = true; goes_on && out.known && met.insert(at).second;) {
        const instruction one = decode_at(at);
        run.push_back({at, one});
        const std::uint64_t behind = at + one.bytes;
        const std::uint64_t target = at + static_cast<std::uint64_t>(one.target);
        switch (one.kind) {
          case instruction_kind::plain:
            break;
          case instruction_kind::call:
          case instruction_kind::call_indirect:
            goes_on = !places_.contains(behind);
            if (!goes_on) {
              out.places.insert(behind);
            } else if (const std::uint64_t handler = handler_of_call(behind)) {
              ahead.push_back(handler);
            }
            break;
          case instruction_kind::branch:
          case instruction_kind::jump:
            ahead.push_back(target);
            out.jumps_on = out.jumps_on || (target != own && starts_.contains(target));
            goes_on = one.kind == instruction_kind::branch;
            break;
          case instruction_kind::jump_outside:
            out.jumps_on = out.jumps_on || !imports_.never_allocates(target);
            [[fallthrough]];
          case instruction_kind::leave:
            out.leaves = true;
            goes_on = false;
            break;
          case instruction_kind::stop:
            goes_on = false;
            break;
          case instruction_kind::jump_indirect: {
            switch_reader of_switch(image_, run);
            const std::vector<std::uint64_t> cases = of_switch.targets();
            out.known = !cases.empty();
            ahead.insert(ahead.end(), cases.begin(), cases.end());
            unentered.emplace_back(of_switch.begin(), at);
            goes_on = false;
            break;
          }
          case instruction_kind::unknown:
            out.known = false;
            break;
        }
        // No function runs on into the next: what was called last does not return.
        if (handlers_.begins_at(behind)) goes_on = false;
        if (met.size() > most_instructions) out.known = false;
        at = behind;
      }
    }
    for (const auto& [after, last] : unentered) {
      out.known = out.known && std::none_of(targets.begin(), targets.end(), [&](std::uint64_t to) {
                    return to > after && to <= last;
                  });
    }
    return out;
  }

  file_image image_;
  handler_table handlers_;
  import_table imports_;
  std::unordered_map<std::uint64_t, std::uint64_t> handlers_of_calls_;
  std::unordered_set<std::uint64_t> places_, starts_;
};

}  // namespace

std::vector<place_flow> flows_of(const std::string& path, const std::vector<code_place>& places) {
  std::vector<place_flow> out(places.size());
  code_walker code(path, places);
  for (std::size_t i = 0; i < places.size(); ++i) {
    out[i].calls = code.called_before(places[i].place);
  }
  if (!code.understands()) return out;
  std::map<std::uint64_t, code_walker::way> from_starts;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const code_place& one = places[i];
    const code_walker::way way = code.from_place(one.place);
    if (!way.known) continue;
    const auto [start, fresh] = from_starts.try_emplace(one.start);
    if (fresh) start->second = code.from_start(one.start);
    place_flow& flow = out[i];
    flow.known = true;
    flow.leaves = way.leaves;
    flow.skips = !start->second.known || start->second.leaves;
    flow.jumps_on = !start->second.known || start->second.jumps_on;
    flow.next.assign(way.places.begin(), way.places.end());
    if (fresh && start->second.known) {
      flow.begins.emplace(start->second.places.begin(), start->second.places.end());
    }
    flow.outside = flow.calls != 0 && code.allocates_outside(flow.calls);
  }
  return out;
}

}  // namespace mallard::profile
