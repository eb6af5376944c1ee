// The layout of a bench on the page, besides its title and measures. Without one there is a card
// with lines along the coordinate with the most values.
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
  std::string id = {};  // empty: a section of its own, with the bench's name and title
  std::string name = {};
  std::string title = {};
  std::string text = {};
  int order = 100;  // among the sections
  std::vector<page_topic> method = {};
};

enum class page_view {
  measures,     // bars or lines of one measure after another, and a table
  percentages,  // the global heap in seconds, others in per cent of it; beside published figures
  surfaces,     // ratios over two coordinates, beside published ones
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
  bool half = false;       // two cards stand side by side
  bool of_series = false;  // shows the series that comes with the cells

  // For measures and kinds: the coordinate along which it runs, the one that varies, and their
  // titles and units.
  std::string along = {};
  std::string beside = {};
  std::string along_title = {};
  std::string along_unit = {};             // "B"; "share": per cent of the largest
  std::vector<std::string> measures = {};  // to choose from; empty: all, the main one first
  std::vector<page_group> groups = {};     // of measures side by side, instead of `along`
  std::string reference = {};              // a measure that is equal for all contenders
  std::vector<std::string> bases = {};     // columns by which figures may be divided
  bool any_base = false;                   // any contender may be one
  bool bars = false;
  bool logarithmic = false;  // bars
  bool linear = false;       // otherwise lines are logarithmic
  int height = 0;            // in pixels; 0: the default
  std::string kinds = {};

  // For percentages and surfaces: the published tables, by (the beginning of) their names. `rows`:
  // the coordinates of a row. Only cells at `where` take part.
  std::string published = {};
  std::vector<std::string> rows = {};
  place where = {};
};

// A mean speed-up on the first screen: cells of `who` over those of `over`. Equal headlines of
// several benches make one figure, in which each bench counts once.
struct page_headline {
  struct column {
    std::string strategy = "AS1";
    std::string peer = {};  // empty: the first measured library
    std::string malloc = {};
  };
  std::string title = {};    // of the figure alone
  std::string subject = {};  // "Lists of nodes in bursts have", followed by the figure
  std::string text = {};     // "the speed of those of single nodes" follows it
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
  std::vector<std::string> logarithms = {};  // coordinates whose values are powers of two
};

}  // namespace mallard::lab
