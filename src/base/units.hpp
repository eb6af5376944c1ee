// Numbers as people read them: one rounding, to three significant digits, for every command, page
// and piece of advice. report/src/format.js writes the same numbers on the page.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace mallard::base {

// Three significant digits, without an exponent: "1.23", "12.3", "123", "1234".
std::string figure_text(double value);

// "12 B", "1.5 KiB", "10 MiB", "1.25 GiB": exact below a kibibyte; zeros at the end are left out.
std::string bytes_text(double bytes);
std::string bytes_text(std::integral auto bytes) {
  return bytes_text(static_cast<double>(bytes));
}

// From seconds: "1.5 s", "20 ms", "300 us", "5 ns".
std::string time_text(double seconds);

// "950", "12.3 k", "1.23 M".
std::string count_text(double count);

// Exact, with its noun: "1 event", "2 events".
std::string counted(std::uint64_t count, std::string_view noun);

// From a share: "12 %", "0.5 %", "99.9 %". Below 10 % and above 99 % with one decimal, and 100 %
// only where it is all.
std::string share_text(double share);

}  // namespace mallard::base
