// Purpose: a number for a type, stored with an object that other programs find by its name.
//
// Programs of other compilers find it too, so the number consists of what all agree about: size,
// alignment, whether it is a signed, unsigned or floating number, a bool, an enumeration or a
// class, and the name of a class or an enumeration. The name comes from __PRETTY_FUNCTION__. Only
// its last part counts, without namespaces and template arguments, which gcc and clang write
// differently. Template arguments that are types count by their own numbers, an element of an array
// by its. So `long` and `long long` are one type, as are `a::point` and `b::point` of one size;
// `long` and `double`, `std::atomic` of either, and `point` and `size` are not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace mallard::inline v1::detail {

struct type_record {
  std::uint64_t bytes = 0;  // 0: the type is not known
  std::uint64_t alignment = 0;
  std::uint64_t mark = 0;

  bool operator==(const type_record&) const noexcept = default;
};

// FNV-1a of the eight bytes.
constexpr std::uint64_t mixed_in(std::uint64_t sum, std::uint64_t more) noexcept {
  for (int i = 0; i < 8; ++i, more >>= 8) sum = (sum ^ (more & 255)) * 0x100000001B3u;
  return sum;
}

// The identifier that a type's full name ends in, before its template arguments.
constexpr std::string_view last_name(std::string_view full) noexcept {
  std::size_t begin = 0;
  std::size_t end = full.size();
  int depth = 0;  // of brackets
  for (std::size_t i = 0; i < full.size(); ++i) {
    const char c = full[i];
    if (depth == 0 && c == '<') end = i;
    if (c == '<' || c == '(' || c == '{' || c == '[') ++depth;
    if (c == '>' || c == ')' || c == '}' || c == ']') --depth;
    if (depth == 0 && c == ':') {
      begin = i + 1;
      end = full.size();
    }
  }
  return full.substr(begin, end - begin);
}

template <class T>
constexpr std::string_view name_of_type() noexcept {
  // "... [with T = ns::point]" in gcc, "... [T = ns::point]" in clang. gcc may add more after `;`.
  std::string_view text = __PRETTY_FUNCTION__;
  text.remove_prefix(text.find("T = ") + 4);
  text.remove_suffix(1);
  return last_name(text.substr(0, text.find(';')));
}

template <class T>
constexpr std::uint64_t type_mark() noexcept;

// 0 for anything else than a template of types, or of a type and a count.
template <class T>
inline constexpr std::uint64_t arguments_mark = 0;
template <template <class...> class Of, class... Args>
inline constexpr std::uint64_t arguments_mark<Of<Args...>> = [] {
  std::uint64_t sum = 0;
  ((sum = mixed_in(sum, type_mark<Args>())), ...);
  return sum;
}();
template <template <class, std::size_t> class Of, class T, std::size_t Count>
inline constexpr std::uint64_t arguments_mark<Of<T, Count>> = mixed_in(Count, type_mark<T>());

template <class Qualified>
constexpr std::uint64_t type_mark() noexcept {
  using T = std::remove_cv_t<std::remove_all_extents_t<Qualified>>;
  if constexpr (std::is_class_v<T> || std::is_union_v<T> || std::is_enum_v<T>) {
    std::uint64_t sum = mixed_in(std::is_enum_v<T> ? 'e' : 'c', arguments_mark<T>);
    for (const char c : name_of_type<T>()) sum = mixed_in(sum, static_cast<unsigned char>(c));
    return sum;
  } else if constexpr (std::is_same_v<T, bool>) {
    return 'b';
  } else if constexpr (std::is_integral_v<T>) {
    return mixed_in(std::is_signed_v<T> ? 'i' : 'u', sizeof(T));
  } else if constexpr (std::is_floating_point_v<T>) {
    return mixed_in('f', sizeof(T));
  } else {
    return 'o';
  }
}

template <class T>
inline constexpr type_record record_of_type{sizeof(T), alignof(T), type_mark<T>()};

}  // namespace mallard::inline v1::detail
