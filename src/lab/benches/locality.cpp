// Benchmark II: elements move between lists, which makes walking the lists slower.
#include <fmt/format.h>

#include <algorithm>

#include "lab/kernels/strategy_bench.hpp"
#include "lab/measuring/usage_error.hpp"

namespace mallard::lab {
namespace {

constexpr std::uint64_t most_links = std::uint64_t{1} << 31;
constexpr std::uint64_t most_factors = 65536;
std::vector<std::string> variants() {
  return {"code", "paper", "slides"};
}

// The base of the logarithms that give sizes of lists.
std::uint64_t base_of(std::uint64_t links) {
  while (links > 1 && links % 10 == 0) links /= 10;
  return links == 1 ? 10 : 2;
}

bool is_decimal(const place& at) {
  const std::uint64_t links = count_of(at, "links");
  return links > 1 && base_of(links) == 10;
}

// Parses "2^21", "10^7", "100000".
axis links_axis() {
  axis made = integers("links", "2^21", "Links of all lists: 2^21, 2^23, 2^25, 10^7 or a number", 1,
                       most_links);
  made.read = [](std::string_view option, std::string_view text) {
    const auto bad = [&](std::string_view why) {
      throw usage_error(fmt::format("{}: '{}' {}, like 2^21, 10^7 or 100000", option, text, why));
    };
    std::vector<std::uint64_t> all;
    for (const std::string& item : split_list(text)) {
      const auto hat = item.find('^');
      if (hat != item.npos && item.substr(0, hat) != "2" && item.substr(0, hat) != "10") {
        bad("is not a number of links");
      }
      try {
        all.push_back(parse_count(option, item, 1, most_links));
      } catch (const usage_error&) {
        bad(hat == item.npos ? "is not a number of links" : "is too many: at most 2^31");
      }
    }
    return places_along("links", all);
  };
  return made.quickly("2^18").alias("global");
}

axis subsystem_axis() {
  const auto by_base = [](const char* decimal, const char* binary) -> axis_text {
    return
        [=](const place& before) -> std::string { return is_decimal(before) ? decimal : binary; };
  };
  return integers("subsystem", "",
                  "log2 of the links of a list, like 4,8-12; log10 where the links are a power of "
                  "ten",
                  0, 31)
      .defaults(by_base("1-6", "4,8,12,16,20"))
      .quickly(by_base("1-5", "4,8,12,16"))
      .said("4,8,12,16,20");
}

// Turns of each list: a number N, or "N / accesses" for N touches of each link.
axis repeats_axis() {
  axis made = integers("repeats", "32 / accesses", "Turns of each list", 1, most_factors);
  made.read = [](std::string_view option, std::string_view text) {
    constexpr std::string_view rest = " / accesses";
    const bool shared = text.ends_with(rest);
    if (shared) text.remove_suffix(rest.size());
    const auto count = parse_integers(option, text, 1, most_factors);
    if (count.size() != 1) unknown_value(option, text, "one number");
    const auto number = static_cast<std::int64_t>(count[0]);
    if (shared) return std::vector<place>{{{"repeats", fmt::format("{} / accesses", number)}}};
    return std::vector<place>{{{"repeats", number}}};
  };
  return made.quickly("16 / accesses").said("32 / accesses, at least 1").parameter();
}

std::uint64_t repeats_at(const place& at) {
  if (const auto* number = std::get_if<std::int64_t>(&at.at("repeats"))) {
    return static_cast<std::uint64_t>(*number);
  }
  const std::uint64_t touches = std::stoull(at.word("repeats"));
  return std::max<std::uint64_t>(1, touches / count_of(at, "accesses"));
}

std::uint64_t links_per_list(const place& at) {
  return power(is_decimal(at) ? 10 : 2, at.number("subsystem"));
}

locality_work work_at(const place& at) {
  locality_work work;
  work.links_per_list = links_per_list(at);
  work.lists = count_of(at, "links") / work.links_per_list;
  work.steps_per_list = count_of(at, "accesses") * work.links_per_list;
  work.repeats = repeats_at(at);
  work.moves = count_of(at, "shuffles") * work.lists * work.links_per_list;
  work.seed = count_of(at, "seed");
  work.how = choice_of<wandering>(at, "variant", variants());
  return work;
}

}  // namespace

bench make_locality() {
  return {
      .name = "locality",
      .summary = "Benchmark II: walking lists whose elements have wandered",
      .title = "Locality: walking lists after a shuffle",
      .contenders = strategies_of("AS1,AS2,AS7,AS9,AS13", "AS1,AS2,AS7,AS9"),
      .axes = {links_axis(), subsystem_axis(),
               integers("accesses", "8", "Walks of a list each time it has its turn", 1,
                        most_factors),
               integers("shuffles", "5", "Times that each link wanders, on average", 0,
                        most_factors),
               words("variant", variants(), "code",
                     "Let links wander as in the code, the paper or the slides"),
               repeats_axis()},
      .kernel =
          [](const contender& who, const place& at) {
            return make_task(find_locality_kernel(column_of(who)), work_at(at));
          },
      .measures = {{"access_after", "s", "Access after the shuffle"},
                   {"access_before", "s", "Access before the shuffle"},
                   {"degradation", "ratio", "Slow-down by the shuffle"},
                   {"create", "s", "Filling the lists"},
                   {"shuffle", "s", "The shuffle"},
                   {"bytes_per_node", "B", "Memory per link"},
                   {"empty_share", "ratio", "Lists empty after the shuffle"},
                   {"steps", "count", "Timed accesses"},
                   peak_measure()},
      .main = "access_after",
      .figures = {{.title = "ns per step, after shuffling",
                   .measure = "access_after",
                   .scale = 1e9,
                   .over = "steps"},
                  {.title = "degradation: walking after shuffling / before",
                   .measure = "degradation"},
                  {.title = "bytes of resident memory per link", .measure = "bytes_per_node"}},
      .table = {.tables = {"links", "variant"}, .rows = {"subsystem", "accesses", "shuffles"}},
      .expected_seconds =
          [](const place& at) {
            const locality_work work = work_at(at);
            const double steps = static_cast<double>(work.steps_per_list) *
                                 static_cast<double>(work.lists) *
                                 static_cast<double>(work.repeats);
            return 30e-9 * static_cast<double>(work.lists * work.links_per_list) +
                   80e-9 * static_cast<double>(work.moves) + 8e-9 * steps;
          },
      // Leaves out lists longer than all links together.
      .accept =
          [](place& at) {
            const auto limit = is_decimal(at) ? 9 : 31;
            return at.number("subsystem") <= limit && links_per_list(at) <= count_of(at, "links");
          },
      .repetitions = 3,
      .limits_memory = true,
      .page = {.section =
                   {.text = "Benchmark II: many lists are filled one after the other; then their "
                            "elements wander from list to list. The figure is how many times "
                            "slower walking the lists is after than before. Drag a surface to "
                            "turn it, or use the arrow keys. Beside it are the figures of P0089R1; "
                            "† marks cells that timed nothing, because their number of accesses "
                            "overflowed.",
                    .order = 20,
                    .method =
                        {{.title = "Locality",
                          .paragraphs =
                              {"Each list has an allocator of its own, or all have the global "
                               "heap. After the lists have been filled one by one, elements are "
                               "taken from one list and appended to another, as often as there "
                               "are elements, several times over. The slow-down is the time of "
                               "walking all lists after that, divided by the time of the same "
                               "walk before, both taken inside one process.",
                               "The original timed whole programs and subtracted others: three of "
                               "its cells of 2^25 links timed nothing, because a 32-bit number "
                               "of accesses overflowed, and of the lists with one link a third "
                               "were empty after the shuffle. Its code shuffles otherwise "
                               "than the paper or the slides say; each of the three is a variant "
                               "here."}}}},
               .cards = {{.view = page_view::surfaces,
                          .measures = {"access_after"},
                          .published = "benchmark2"}},
               .headlines = {multipool_gain("Access after a shuffle", "in access after a shuffle",
                                            "access_after")}},
  };
}

}  // namespace mallard::lab
