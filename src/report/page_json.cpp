#include "report/page_json.hpp"

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lab/results/cell_json.hpp"

namespace mallard::report {
namespace {

using json = nlohmann::ordered_json;

// An object of those members that are not empty, false, zero or nothing.
class said {
 public:
  template <class T>
  said& operator()(const char* name, const T& value) {
    bool nothing = false;
    if constexpr (requires { value.empty(); }) {
      nothing = value.empty();
    } else {
      nothing = value == T{};
    }
    if (!nothing) object_[name] = value;
    return *this;
  }
  json take() { return std::move(object_); }

 private:
  json object_ = json::object();
};

json place_json(const lab::place& at) {
  return at.empty() ? json() : lab::to_json(at);
}

template <class Whole, class Write>
json list(const std::vector<Whole>& all, const Write& write) {
  json made = json::array();
  for (const Whole& one : all) made.push_back(write(one));
  return made;
}

const char* view_name(lab::page_view view) {
  constexpr std::array names = {"measures", "percentages", "surfaces", "kinds"};
  return names.at(static_cast<std::size_t>(view));
}

json topic_json(const lab::page_topic& topic) {
  return json::array({topic.title, topic.paragraphs});
}

json section_json(const lab::page_section& of) {
  return said()("id", of.id)("name", of.name)("title", of.title)("text", of.text)(
             "order", of.order)("method", list(of.method, topic_json))
      .take();
}

json group_json(const lab::page_group& of) {
  return json::array({of.title, of.measures});
}

json card_json(const lab::page_card& of) {
  return said()("view", std::string(view_name(of.view)))("title", of.title)("hint", of.hint)(
             "half", of.half)("along", of.along)("beside", of.beside)("xName", of.along_title)(
             "alongUnit", of.along_unit)("measures", of.measures)(
             "groups", list(of.groups, group_json))("reference", of.reference)("bases", of.bases)(
             "anyBase", of.any_base)("bars", of.bars)("log", of.logarithmic)("linear", of.linear)(
             "height", of.height)("kinds", of.kinds)("published", of.published)("rows", of.rows)(
             "where", place_json(of.where))
      .take();
}

json column_json(const lab::page_headline::column& of) {
  return said()("strategy", of.strategy)("peer", of.peer)("malloc", of.malloc).take();
}

json headline_json(const lab::page_headline& of) {
  return said()("title", of.title)("subject", of.subject)("text", of.text)("measure", of.measure)(
             "who", column_json(of.who))("over", column_json(of.over))(
             "where", place_json(of.where))("atLeast", place_json(of.at_least))
      .take();
}

}  // namespace

json page_json(const lab::bench_page& page, bool of_series) {
  std::vector<lab::page_card> cards;
  for (const lab::page_card& one : page.cards) {
    if (one.of_series == of_series) cards.push_back(one);
  }
  json made = said()("section", section_json(page.section))("cards", list(cards, card_json))(
                  "logarithms", page.logarithms)
                  .take();
  if (!of_series && !page.headlines.empty()) {
    made["headlines"] = list(page.headlines, headline_json);
  }
  return made;
}

}  // namespace mallard::report
