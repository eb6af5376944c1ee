// Reads profile.proto by hand; see export/pprof.cpp for the encoding. Messages come in any order,
// so they are parsed first and connected at the end. A location is a function and those inlined
// into it, the innermost first. A sample's stack begins with its innermost location. Locations
// without functions, as programs in production write them, are looked up in the mapped files.
#include "profile/import/pprof.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <stdexcept>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "profile/function_names.hpp"
#include "profile/import/mapped_names.hpp"
#include "profile/import/packed_file.hpp"
#include "profile/import/profile_builder.hpp"
#include "profile/trace/varint.hpp"

namespace mallard::profile {
namespace {

// A damaged file may claim more.
constexpr std::size_t most_bytes = std::size_t{1} << 31;

std::string unpacked(packed_file& file) {
  std::string out;
  while (out.size() < most_bytes && file.append(out)) continue;
  if (file.damaged()) throw malformed("the compressed data ends in the middle");
  return out;
}

struct field {
  std::uint64_t number = 0;
  std::uint64_t value = 0;  // a varint's
  std::string_view bytes;   // of a message, a text or packed numbers
  bool is_bytes = false;

  // Appends one number or packed ones.
  void append_to(std::vector<std::uint64_t>& out) const {
    if (!is_bytes) {
      out.push_back(value);
      return;
    }
    for (byte_reader packed(bytes); !packed.done();) out.push_back(packed.varint());
  }
};

template <class Take>
void for_each_field(std::string_view message, const Take& take) {
  for (byte_reader bytes(message); !bytes.done();) {
    const std::uint64_t key = bytes.varint();
    field one{key >> 3, 0, {}, false};
    switch (key & 7) {
      case 0:
        one.value = bytes.varint();
        break;
      case 1:
        bytes.bytes(8);
        break;
      case 2:
        one.bytes = bytes.text();
        one.is_bytes = true;
        break;
      case 5:
        bytes.bytes(4);
        break;
      default:
        throw malformed("a field has an unknown type");
    }
    take(one);
  }
}

struct value_type {
  std::uint64_t type = 0, unit = 0;
};
struct line {
  std::uint64_t function = 0, number = 0;
};
struct mapping {
  std::uint64_t begin = 0, end = 0, offset = 0;
  std::uint64_t file = 0, build_id = 0;
};
struct location {
  std::uint64_t mapping = 0, address = 0;
  std::vector<line> lines;
  std::vector<function_name> found;  // if it has none
};
struct function_entry {
  std::uint64_t name = 0, file = 0;
};

// Value names of heap profiles: Go's and ours have a prefix, tcmalloc's have none.
std::uint64_t stack_weights::* weight_of(std::string_view type, std::string_view unit) {
  if (const weight_kind* known = find_weight(type)) return known->value;
  const bool bytes = unit == "bytes";
  if (type == "space" || type == "objects" || type == "inuse" || type == "live") {
    return bytes ? &stack_weights::leaked_bytes : &stack_weights::leaked_blocks;
  }
  if (type == "alloc" || type == "allocated" || type == "allocations") {
    return bytes ? &stack_weights::bytes : &stack_weights::allocations;
  }
  return nullptr;
}

// Whether it is our malloc's. Debug information gives its functions short names.
bool is_of_linked_malloc(const function_name& function) {
  return function.file.find("/src/malloc/") != function.file.npos;
}

class profile_reader {
 public:
  explicit profile_reader(std::string_view whole) {
    for_each_field(whole, [&](const field& one) { take(one); });
    for (const value_type& type : types_) {
      weights_.push_back(weight_of(text(type.type), text(type.unit)));
    }
  }

  bool is_profile() const { return !types_.empty() && strings_.size() > 1 && strings_[0].empty(); }
  bool is_of_memory() const {
    return has(&stack_weights::bytes) || has(&stack_weights::leaked_bytes) ||
           has(&stack_weights::peak_bytes);
  }

  summed_profile make() {
    find_names();
    for (const std::string_view sample : samples_) add(sample);
    std::vector<std::string> lacks = {
        "times", "threads", "addresses", "sizes", "the order of operations", "peaks of subsystems"};
    if (!has(&stack_weights::bytes)) lacks.emplace_back("what was freed");
    if (!has(&stack_weights::peak_bytes)) lacks.emplace_back("the peak");
    return {command(), made_.take(), std::move(lacks)};
  }

 private:
  bool has(std::uint64_t stack_weights::* weight) const {
    return std::find(weights_.begin(), weights_.end(), weight) != weights_.end();
  }

  void take(const field& one) {
    if (one.number == 6 && one.is_bytes) strings_.push_back(one.bytes);
    if (!one.is_bytes) return;
    switch (one.number) {
      case 1: {
        value_type type;
        for_each_field(one.bytes, [&](const field& part) {
          if (part.number == 1) type.type = part.value;
          if (part.number == 2) type.unit = part.value;
        });
        types_.push_back(type);
        break;
      }
      case 2:
        samples_.push_back(one.bytes);
        break;
      case 3:
        take_mapping(one.bytes);
        break;
      case 4:
        take_location(one.bytes);
        break;
      case 5:
        take_function(one.bytes);
        break;
      default:
        break;
    }
  }

  void take_mapping(std::string_view message) {
    std::uint64_t id = 0;
    mapping made;
    for_each_field(message, [&](const field& part) {
      if (part.number == 1) id = part.value;
      if (part.number == 2) made.begin = part.value;
      if (part.number == 3) made.end = part.value;
      if (part.number == 4) made.offset = part.value;
      if (part.number == 5) made.file = part.value;
      if (part.number == 6) made.build_id = part.value;
    });
    if (mappings_.empty()) program_ = made.file;  // pprof's rule: the first one is the program
    mappings_[id] = made;
  }

  void take_location(std::string_view message) {
    std::uint64_t id = 0;
    location made;
    for_each_field(message, [&](const field& part) {
      if (part.number == 1) id = part.value;
      if (part.number == 2) made.mapping = part.value;
      if (part.number == 3) made.address = part.value;
      if (part.number != 4) return;
      line one;
      for_each_field(part.bytes, [&](const field& of_line) {
        if (of_line.number == 1) one.function = of_line.value;
        if (of_line.number == 2) one.number = of_line.value;
      });
      made.lines.push_back(one);
    });
    locations_[id] = std::move(made);
  }

  void take_function(std::string_view message) {
    std::uint64_t id = 0, system_name = 0;
    function_entry made;
    for_each_field(message, [&](const field& part) {
      if (part.number == 1) id = part.value;
      if (part.number == 2) made.name = part.value;
      if (part.number == 3) system_name = part.value;
      if (part.number == 4) made.file = part.value;
    });
    if (text(made.name).empty() && made.name == 0) made.name = system_name;
    functions_[id] = made;
  }

  std::string_view text(std::uint64_t index) const {
    return index < strings_.size() ? strings_[index] : std::string_view();
  }

  // A location's address is in the call; the return address is behind it.
  static std::uint64_t return_address(const location& one) { return one.address + 1; }

  // Looks names up in the files, if they exist and are unchanged.
  void find_names() {
    std::vector<mapped_file> files;
    for (const auto& [id, one] : mappings_) {
      files.push_back({one.begin, one.end, one.offset, std::string(text(one.file)),
                       bytes_of(text(one.build_id))});
    }
    std::vector<std::uint64_t> addresses;
    for (const auto& [id, one] : locations_) {
      if (one.lines.empty() && one.address != 0) addresses.push_back(return_address(one));
    }
    const names_by_address names = find_mapped_names(files, addresses);
    for (auto& [id, one] : locations_) {
      const auto known = one.lines.empty() ? names.find(return_address(one)) : names.end();
      if (known != names.end()) one.found = known->second;
    }
  }

  // Bytes from hexadecimal digits; empty for anything else, such as Go's build ids.
  static std::string bytes_of(std::string_view digits) {
    std::string out;
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
      unsigned value = 0;
      const auto [end, error] =
          std::from_chars(digits.data() + i, digits.data() + i + 2, value, 16);
      if (error != std::errc() || end != digits.data() + i + 2) return {};
      out.push_back(static_cast<char>(value));
    }
    return out;
  }

  void add(std::string_view sample) {
    std::vector<std::uint64_t> stack, values;
    for_each_field(sample, [&](const field& part) {
      if (part.number == 1) part.append_to(stack);
      if (part.number == 2) part.append_to(values);
    });
    if (values.size() != weights_.size())
      throw malformed("a sample does not have a value of each type");
    std::uint32_t node = 0;
    for (auto at = stack.rbegin(); at != stack.rend(); ++at) node = enter(node, *at);
    stack_weights& own = made_.own(node);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (weights_[i]) own.*weights_[i] += values[i];
    }
    // Such profiles do not count frees by place.
    if (!has(&stack_weights::operations)) own.operations = own.allocations;
  }

  // The node below `node` for this location, with the functions inlined there.
  std::uint32_t enter(std::uint32_t node, std::uint64_t id) {
    const auto found = locations_.find(id);
    if (found == locations_.end()) throw malformed("a sample has an unknown location");
    const location& at = found->second;
    const std::string module(text(mapping_file(at.mapping)));
    for (auto one = at.found.rbegin(); one != at.found.rend(); ++one) {
      if (is_allocation_function(one->name) || is_of_linked_malloc(*one)) return node;
      node = made_.child(node, *one);
    }
    if (!at.found.empty()) return node;
    if (at.lines.empty()) return made_.child(node, {nameless_in(module), module, {}, 0});
    for (auto one = at.lines.rbegin(); one != at.lines.rend(); ++one) {
      const auto of = functions_.find(one->function);
      if (of == functions_.end()) throw malformed("a line has an unknown function");
      std::string name(text(of->second.name));
      if (is_allocation_function(name)) break;  // its callees are the heap's, too
      if (name.empty()) name = nameless_in(module);
      node = made_.child(node, {std::move(name), module, std::string(text(of->second.file)),
                                static_cast<unsigned>(one->number)});
    }
    return node;
  }

  std::uint64_t mapping_file(std::uint64_t id) const {
    const auto found = mappings_.find(id);
    return found == mappings_.end() ? 0 : found->second.file;
  }

  std::string command() const { return std::string(text(program_)); }

  std::vector<std::string_view> strings_;
  std::vector<value_type> types_;
  std::vector<std::string_view> samples_;
  std::uint64_t program_ = 0;
  std::map<std::uint64_t, mapping> mappings_;
  std::unordered_map<std::uint64_t, location> locations_;
  std::unordered_map<std::uint64_t, function_entry> functions_;
  std::vector<std::uint64_t stack_weights::*> weights_;  // by value; null: not about memory
  profile_builder made_;
};

}  // namespace

bool is_pprof(const std::string& path) {
  try {
    // Unpack the file only if it begins with a field of a profile.
    std::string start;
    packed_file(path).append(start);
    const unsigned first = start.empty() ? 0 : static_cast<unsigned char>(start[0]);
    const bool is_field =
        first >> 3 >= 1 && first >> 3 <= 14 && ((first & 7) == 0 || (first & 7) == 2);
    if (!is_field) return false;
    packed_file file(path);
    const std::string whole = unpacked(file);
    return profile_reader(whole).is_profile();
  } catch (const std::runtime_error&) {
    return false;
  }
}

summed_profile read_pprof(const std::string& path) {
  packed_file file(path);
  try {
    const std::string whole = unpacked(file);
    profile_reader reader(whole);
    if (!reader.is_profile()) throw malformed("is not a profile of pprof");
    if (!reader.is_of_memory()) throw malformed("is not a profile of memory");
    return reader.make();
  } catch (const std::runtime_error& problem) {
    throw std::runtime_error(path + ": " + problem.what());
  }
}

}  // namespace mallard::profile
