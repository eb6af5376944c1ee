#include "profile/views/timeline.hpp"

#include <algorithm>
#include <utility>

namespace mallard::profile {

timeline_builder::timeline_builder(std::vector<std::string> names, std::uint64_t duration)
    : duration_(std::max<std::uint64_t>(duration, 1)),
      now_(names.size()),
      at_highest_(names.size()) {
  made_.names = std::move(names);
  made_.live.resize(now_.size());
  made_.epochs.resize(now_.size());
}

// The end of the current stretch; computed in two parts, so that the product does not overflow.
std::uint64_t timeline_builder::stretch_end() const {
  const std::uint64_t i = made_.times.size() + 1;
  return duration_ / stretches * i + duration_ % stretches * i / stretches;
}

// Call it before live bytes fall: growth is noted once, at its end.
void timeline_builder::note_highest() {
  if (noted_ && live_ <= highest_) return;
  noted_ = true;
  highest_ = live_;
  for (std::size_t s = 0; s < now_.size(); ++s) at_highest_[s] = now_[s].bytes;
}

void timeline_builder::end_stretch() {
  note_highest();
  noted_ = false;
  made_.times.push_back(stretch_end());
  for (std::size_t s = 0; s < now_.size(); ++s) made_.live[s].push_back(at_highest_[s]);
}

void timeline_builder::advance(std::uint64_t time) {
  while (made_.times.size() < stretches && time > stretch_end()) end_stretch();
}

void timeline_builder::born(std::size_t subsystem, std::uint64_t bytes, std::uint64_t time) {
  advance(time);
  state& now = now_[subsystem];
  if (now.blocks++ == 0) now.epoch_began = time;
  now.bytes += bytes;
  live_ += bytes;
}

void timeline_builder::died(std::size_t subsystem, std::uint64_t bytes, std::uint64_t time) {
  advance(time);
  note_highest();
  state& now = now_[subsystem];
  now.bytes -= bytes;
  live_ -= bytes;
  if (--now.blocks != 0) return;
  subsystem_epochs& epochs = made_.epochs[subsystem];
  ++epochs.count;
  if (epochs.shown.size() < most_epochs_shown) epochs.shown.push_back({now.epoch_began, time});
}

// Blocks alive at the end belong to epochs that the recording does not see end.
timeline timeline_builder::finish() {
  while (made_.times.size() < stretches) end_stretch();
  for (std::size_t s = 0; s < now_.size(); ++s) {
    if (now_[s].blocks == 0) continue;
    subsystem_epochs& epochs = made_.epochs[s];
    ++epochs.count;
    if (epochs.shown.size() < most_epochs_shown) {
      epochs.shown.push_back({now_[s].epoch_began, duration_});
    }
  }
  return std::move(made_);
}

}  // namespace mallard::profile
