// Layout of a bench on the page, beside its title and measures. All of it may be left out: then
// there is a card with lines along the coordinate with the most values.
#pragma once

#include <string>
#include <vector>

#include "lab/measuring/place.hpp"

namespace mallard::lab {

// Paragraphs under "Method and caveats".
struct page_topic {
  std::string title = {};
  std::vector<std::string> paragraphs = {};
};

// Benches with the same id share a section.
struct page_section {
  std::string id = {};  // empty: the bench's own, named and titled as the bench
  std::string name = {};
  std::string title = {};
  std::string text = {};
  int order = 100;  // among the sections
  std::vector<page_topic> method = {};
};

enum class page_view {
  measures,     // bars or lines of one measure after the other, and a table
  percentages,  // the global heap in seconds and others in per cent of it, beside what was
                // published
  surfaces,     // ratios over two coordinates, beside what was published
  kinds,        // lines for each value of a coordinate `kinds` and each contender of a library
};

struct page_group {
  std::string title = {};
  std::vector<std::string> measures = {};
};

struct page_card {
  page_view view = page_view::measures;
  std::string title = {};  // empty: the bench's
  std::string hint = {};
  bool half = false;       // two stand beside each other
  bool of_series = false;  // it shows the series that comes with the cells

  // measures, kinds: what it runs along, what changes with that, and how it is called and written.
  std::string along = {};
  std::string beside = {};
  std::string along_title = {};
  std::string along_unit = {};             // "B"; "share": per cent of the greatest
  std::vector<std::string> measures = {};  // to choose from; none: all, the main one first
  std::vector<page_group> groups = {};     // of measures side by side, in place of `along`
  std::string reference = {};              // a measure that is the same for all contenders
  std::vector<std::string> bases = {};     // columns that figures may be divided by
  bool any_base = false;                   // any contender may be one
  bool bars = false;
  bool logarithmic = false;  // bars
  bool linear = false;       // lines, which are logarithmic else
  int height = 0;            // in pixels; 0: the usual one
  std::string kinds = {};

  // percentages, surfaces: tables as they were published, by (the beginning of) their name. The
  // coordinates of a row; cells elsewhere than at `where` have no part in it.
  std::string published = {};
  std::vector<std::string> rows = {};
  place where = {};
};

// A mean speed-up on the first screen: of cells of `who` over those of `over`. Equal ones of
// several benches make one figure, in which each bench counts once.
struct page_headline {
  struct column {
    std::string strategy = "AS1";
    std::string peer = {};  // empty: of the first library that was measured
    std::string malloc = {};
  };
  std::string title = {};    // of the figure by itself
  std::string subject = {};  // "Lists of nodes in bursts have", then the figure,
  std::string text = {};     // then "the speed of those of single nodes"
  std::string measure = "time";
  column who = {};
  column over = {};
  place where = {};
  place at_least = {};
};

struct bench_page {
  page_section section = {};
  std::vector<page_card> cards = {};
  std::vector<page_headline> headlines = {};
  std::vector<std::string> logarithms = {};  // coordinates that are powers of two
};

}  // namespace mallard::lab
