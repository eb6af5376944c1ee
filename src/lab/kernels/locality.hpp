// Benchmark II: elements move between lists, which makes walking the lists slower.
#pragma once

#include <list>
#include <memory>
#include <vector>

#include "lab/kernels/barrier.hpp"
#include "lab/kernels/series_work.hpp"
#include "lab/measuring/meters.hpp"
#include "lab/measuring/random.hpp"

namespace mallard::lab {

// A list with its own allocator, of the same lifetime.
template <class Arena>
struct subsystem {
  using list_type = std::list<int, typename Arena::template allocator<int>>;

  void fill(std::uint64_t links) {
    for (std::uint64_t i = 0; i < links; ++i) list.push_back(static_cast<int>(i));
  }

  Arena arena;
  list_type list{arena.template make_allocator<int>()};
};

template <class Arena>
using subsystems = std::vector<std::unique_ptr<subsystem<Arena>>>;

// Makes one subsystem after another, each with all its links, as in the paper and the code. In the
// slides the vector of lists exists before the first link.
template <class Arena>
void create(subsystems<Arena>& all, const locality_work& work) {
  for (auto& one : all) {
    one = std::make_unique<subsystem<Arena>>();
    if (work.how != wandering::slides) one->fill(work.links_per_list);
  }
  if (work.how != wandering::slides) return;
  for (auto& one : all) one->fill(work.links_per_list);
}

// The first non-empty list from `start` on.
template <class Arena>
std::size_t next_filled(const subsystems<Arena>& all, std::size_t start) {
  while (all[start]->list.empty()) start = start + 1 == all.size() ? 0 : start + 1;
  return start;
}

// As in the code: removes the front of a random non-empty list, and adds a new element at the back
// of the next list in turn.
template <class Arena>
void shuffle_as_code(subsystems<Arena>& all, const locality_work& work, random_stream& random) {
  const auto count = static_cast<std::uint32_t>(all.size());
  std::size_t turn = 0;
  for (std::uint64_t move = 0; move < work.moves; ++move) {
    std::uint32_t from = random.below(count);
    while (all[from]->list.empty()) from = random.below(count);
    all[from]->list.pop_front();
    all[turn]->list.push_back(-9);
    turn = turn + 1 == count ? 0 : turn + 1;
  }
}

// `move(from, to)` moves an element of each non-empty list in turn to a random one.
template <class Arena, class Move>
void shuffle_in_turn(subsystems<Arena>& all, const locality_work& work, random_stream& random,
                     const Move& move) {
  const auto count = static_cast<std::uint32_t>(all.size());
  std::size_t turn = 0;
  for (std::uint64_t moved = 0; moved < work.moves; ++moved) {
    turn = next_filled(all, turn);
    move(all[turn]->list, all[random.below(count)]->list);
    turn = turn + 1 == count ? 0 : turn + 1;
  }
}

// As in the paper: each list in turn loses its front, and a random one gets a new element at its
// back.
inline constexpr auto move_as_paper = [](auto& from, auto& to) {
  from.pop_front();
  to.push_back(-9);
};

// As in the slides: the last element of each list in turn becomes the first of a random one.
inline constexpr auto move_as_slides = [](auto& from, auto& to) {
  const int value = from.back();
  from.pop_back();
  to.push_front(value);
};

template <class Arena>
void shuffle_links(subsystems<Arena>& all, const locality_work& work) {
  random_stream random(work.seed);
  switch (work.how) {
    case wandering::code:
      return shuffle_as_code(all, work, random);
    case wandering::paper:
      return shuffle_in_turn(all, work, random, move_as_paper);
    case wandering::slides:
      return shuffle_in_turn(all, work, random, move_as_slides);
  }
}

// The order of walks. The turn of an empty list goes to one half-way round, which was not walked
// just before. So every phase makes the same number of steps.
template <class Arena>
struct itinerary {
  using list_type = typename subsystem<Arena>::list_type;

  explicit itinerary(const subsystems<Arena>& all) : turns(all.size()) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      const bool empty = all[i]->list.empty();
      empty_lists += empty;
      const std::size_t instead = (i + all.size() / 2) % all.size();
      turns[i] = &all[empty ? next_filled(all, instead) : i]->list;
    }
  }

  std::vector<list_type*> turns;
  std::uint64_t empty_lists = 0;
};

// Increments the elements, round and round. Returns: the number of steps.
template <class List>
[[gnu::noinline]] std::uint64_t walk(const std::vector<List*>& turns, const locality_work& work) {
  std::uint64_t steps = 0;
  for (std::uint64_t repeat = 0; repeat < work.repeats; ++repeat) {
    for (List* list : turns) {
      auto at = list->begin();
      const auto end = list->end();
      for (std::uint64_t step = 0; step < work.steps_per_list; ++step) {
        ++*at;
        if (++at == end) at = list->begin();
      }
      steps += work.steps_per_list;
    }
  }
  return steps;
}

// A checksum of all elements, equal for all strategies.
template <class Arena>
std::uint64_t content_of(const subsystems<Arena>& all) {
  std::uint64_t sum = 0;
  for (const auto& one : all) {
    for (const int value : one->list) sum += static_cast<std::uint64_t>(value) * 31 + 1;
    sum = sum * 3 + one->list.size();
  }
  return sum;
}

template <class Arena>
void run_locality(const locality_work& work, readings& taken) {
  subsystems<Arena> all(work.lists);
  const auto timed = [](auto&& phase) {
    const double start = read_thread_seconds();
    phase();
    return read_thread_seconds() - start;
  };
  const std::uint64_t resident_before = read_resident_bytes();
  const double creating = timed([&] { create(all, work); });
  const std::uint64_t resident = read_resident_bytes();

  std::uint64_t steps = 0;
  const itinerary<Arena> before(all);
  const double walking_before = timed([&] { steps = walk(before.turns, work); });
  const double shuffling = timed([&] { shuffle_links(all, work); });
  const itinerary<Arena> after(all);
  const double walking_after = timed([&] { steps = walk(after.turns, work); });

  const auto lists = static_cast<double>(work.lists);
  const double links = lists * static_cast<double>(work.links_per_list);
  const std::uint64_t grown = resident > resident_before ? resident - resident_before : 0;
  taken.add("create", creating);
  taken.add("access_before", walking_before);
  taken.add("shuffle", shuffling);
  taken.add("access_after", walking_after);
  taken.add("degradation", walking_after / walking_before);
  taken.add("bytes_per_node", static_cast<double>(grown) / links);
  taken.add("empty_share", static_cast<double>(after.empty_lists) / lists);
  taken.add("steps", static_cast<double>(steps));
  taken.checksum = content_of(all) * 31 + steps;
}

}  // namespace mallard::lab
