#include "profile/trace/trace_reader.hpp"

#include <algorithm>
#include <fstream>
#include <functional>
#include <map>

#include "profile/trace/lacks.hpp"

namespace mallard::profile {

namespace {

bool has_samples(chunk_kind kind) {
  return kind == chunk_kind::samples || kind == chunk_kind::located_samples;
}

}  // namespace

// The events or the samples of one thread. A chunk is loaded when its turn comes.
class event_stream::cursor {
 public:
  cursor(std::uint32_t thread, bool samples, codec::model_pool& models)
      : thread_(thread), samples_(samples), models_(models) {}

  void add(const chunk_place& place) { places_.push_back(place); }
  std::uint32_t thread() const { return thread_; }
  bool samples() const { return samples_; }
  bool in_heap() const { return in_heap_; }
  const event& front() const { return front_; }

  // When the next event is, at the earliest; its chunk need not be loaded for that.
  std::optional<std::uint64_t> time() const {
    if (has_front_) return front_.time;
    if (next_ < places_.size()) return places_[next_].header.first_time;
    return std::nullopt;
  }

  // Effects: front() is the next event of `part`. Returns: whether there is one.
  bool advance(chunk_file& file, const selection& part) {
    for (;;) {
      while (loaded_) {
        if (!decode(file)) break;
        if (front_.time < part.from) continue;
        if (front_.time >= part.until) break;
        return has_front_ = true;
      }
      if (!load(file, part)) return has_front_ = false;
    }
  }
  bool has_front() const { return has_front_; }

 private:
  bool decode(chunk_file& file) {
    try {
      if (!samples_) {
        if (events_.next(front_)) return true;
      } else if (left_ > 0) {
        --left_;
        front_ = {};
        front_.time = sample_time_ += bytes_.varint();
        sample_place_ = bytes_.difference(sample_place_);
        const bool located = places_[next_ - 1].header.kind == chunk_kind::located_samples;
        front_.stack = static_cast<std::uint32_t>(located ? sample_place_ >> 1 : sample_place_);
        in_heap_ = located && (sample_place_ & 1) != 0;
        return true;
      }
    } catch (const malformed& problem) {
      file.add_problem(places_[next_ - 1], problem.what());
    }
    loaded_ = false;
    return false;
  }

  bool load(chunk_file& file, const selection& part) {
    while (next_ < places_.size()) {
      const chunk_place& place = places_[next_++];
      const chunk_header& header = place.header;
      if (header.last_time < part.from || header.first_time >= part.until) continue;
      if (!file.load(place, raw_)) continue;
      try {
        if (samples_) {
          bytes_ = byte_reader(raw_);
          left_ = header.count;
          sample_time_ = 0;
          sample_place_ = 0;
        } else {
          events_ = event_decoder(raw_, models_);
        }
        return loaded_ = true;
      } catch (const malformed& problem) {
        file.add_problem(place, problem.what());
      }
    }
    raw_ = {};
    return false;
  }

  std::uint32_t thread_;
  bool samples_;
  codec::model_pool& models_;
  std::vector<chunk_place> places_;
  std::size_t next_ = 0;
  bool loaded_ = false;
  bool has_front_ = false;
  event front_;
  std::string raw_;
  event_decoder events_;
  byte_reader bytes_;
  std::uint64_t left_ = 0;
  std::uint64_t sample_time_ = 0;
  std::uint64_t sample_place_ = 0;  // its stack, and whether it is in the heap
  bool in_heap_ = false;
};

event_stream::event_stream(chunk_file& file, const read_stacks& stacks, const selection& part)
    : file_(file), stacks_(stacks), part_(part), models_(std::make_unique<codec::model_pool>()) {
  std::map<std::pair<std::uint32_t, bool>, std::uint32_t> ranks;
  for (const chunk_place& place : file.chunks()) {
    const chunk_header& header = place.header;
    const bool samples = has_samples(header.kind);
    if (!samples && header.kind != chunk_kind::events) continue;
    if (part.threads && std::find(part.threads->begin(), part.threads->end(), header.thread) ==
                            part.threads->end()) {
      continue;
    }
    ranks.try_emplace({header.thread, samples});
  }
  for (auto& [key, rank] : ranks) {
    rank = static_cast<std::uint32_t>(cursors_.size());
    cursors_.push_back(std::make_unique<cursor>(key.first, key.second, *models_));
  }
  for (const chunk_place& place : file.chunks()) {
    const auto found = ranks.find({place.header.thread, has_samples(place.header.kind)});
    const bool wanted = has_samples(place.header.kind) || place.header.kind == chunk_kind::events;
    if (wanted && found != ranks.end()) cursors_[found->second]->add(place);
  }
  for (std::uint32_t rank = 0; rank < cursors_.size(); ++rank) push(rank);
}

event_stream::event_stream(event_stream&&) noexcept = default;
event_stream::~event_stream() = default;

void event_stream::push(std::uint32_t rank) {
  const auto time = cursors_[rank]->time();
  if (!time) return;
  heap_.push_back({*time, rank});
  std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
}

// The thread whose turn it is stays so until another has an earlier event, which with threads that
// allocate in bursts is seldom.
bool event_stream::next(recorded& one) {
  for (;;) {
    if (!current_) {
      if (heap_.empty()) return false;
      std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
      current_rank_ = heap_.back().rank;
      heap_.pop_back();
      current_ = cursors_[current_rank_].get();
      if (!current_->has_front() && !current_->advance(file_, part_)) {
        current_ = nullptr;
        continue;
      }
    }
    const entry mine{current_->front().time, current_rank_};
    if (!heap_.empty() && mine > heap_.front()) {
      push(current_rank_);
      current_ = nullptr;
      continue;
    }
    one.thread = current_->thread();
    one.sample = current_->samples();
    one.in_heap = current_->in_heap();
    one.what = current_->front();
    one.what.stack = stacks_.number(one.what.stack);
    if (!current_->advance(file_, part_)) current_ = nullptr;
    return true;
  }
}

bool is_trace(const std::filesystem::path& path) {
  std::ifstream in(path == "-" ? "/dev/stdin" : path, std::ios::binary);
  std::string start(trace_magic.size(), '\0');
  in.read(start.data(), static_cast<std::streamsize>(start.size()));
  return start == trace_magic;
}

namespace {

// Returns the number of stacks the headers announce, limited to an amount that a damaged file may
// make us reserve.
std::size_t stacks_said(const chunk_file& file) {
  std::size_t out = 1;
  for (const chunk_place& place : file.chunks()) {
    if (place.header.kind == chunk_kind::stacks) out += place.header.count;
  }
  return static_cast<std::size_t>(std::min<std::uint64_t>(out, 8 * file.bytes()));
}

// Times count from the recording's first moment. A process may begin later, and what is recorded of
// it later still.
std::uint64_t first_moment(const trace_facts& facts, std::uint64_t first_event) {
  if (facts.process.begins != 0) return facts.process.begins;
  if (lacks(facts.process, the_start)) return first_event;
  if (facts.threads.empty()) return 0;
  std::uint64_t out = first_event;
  for (const auto& [id, thread] : facts.threads) out = std::min(out, thread.started);
  return out;
}

}  // namespace

trace_reader::trace_reader(const std::string& path) : file_(path) {
  std::string raw;
  std::uint64_t first_event = UINT64_MAX;
  stacks_.reserve(stacks_said(file_));
  for (const chunk_place& place : file_.chunks()) {
    const chunk_header& header = place.header;
    if (header.kind == chunk_kind::events || has_samples(header.kind)) {
      (header.kind == chunk_kind::events ? event_count_ : sample_count_) += header.count;
      first_event = std::min(first_event, header.first_time);
      last_time_ = std::max(last_time_, header.last_time);
      continue;
    }
    if (!file_.load(place, raw)) continue;
    try {
      if (header.kind == chunk_kind::facts) read_facts(raw, facts_);
      if (header.kind == chunk_kind::stacks) stacks_.add(raw);
      if (header.kind == chunk_kind::symbols) read_symbols(raw, symbols_);
    } catch (const malformed& problem) {
      file_.add_problem(place, problem.what());
    }
  }
  for (module_info& one : facts_.modules) {
    one.first_stack = stacks_.numbers_before(one.first_stack);
    if (one.last_stack != UINT32_MAX) one.last_stack = stacks_.numbers_before(one.last_stack);
  }
  if (facts_.end.how == end_kind::went_on && !lacks(facts_.process, the_end)) {
    facts_.process.not_recorded.emplace_back(the_end);
  }
  last_time_ = std::max(last_time_, facts_.end.time);
  first_time_ = std::min(first_moment(facts_, first_event), last_time_);
}

std::span<const symbol_line> trace_reader::lines_of(std::uint32_t stack) const {
  const std::uint64_t ip = stacks()[stack].ip;
  const auto found = symbols_.of.find({module_at(facts_.modules, ip, stack), ip});
  if (found == symbols_.of.end()) return {};
  return found->second.lines;
}

std::uint64_t trace_reader::dropped() const {
  std::uint64_t sum = 0;
  for (const auto& [thread, loss] : facts_.losses) sum += loss.dropped;
  return sum;
}

}  // namespace mallard::profile
