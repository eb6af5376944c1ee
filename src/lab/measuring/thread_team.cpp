#include "lab/measuring/thread_team.hpp"

#include <time.h>

#include <algorithm>
#include <system_error>
#include <vector>

namespace mallard::lab {
namespace {

const cpu_set_t& own_processors() {
  static const cpu_set_t all = [] {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    sched_getaffinity(0, sizeof allowed, &allowed);
    return allowed;
  }();
  return all;
}

void* live(void* argument) {
  team_member& self = *static_cast<team_member*>(argument);
  settle_down(self.number);
  try {
    self.task->prepare(self.task->data, self.number);
  } catch (...) {
    self.problem = std::current_exception();
    self.line->call_off();
  }
  if (!self.line->wait()) return nullptr;
  self.work.start = now();
  try {
    self.task->work(self.task->data, self.number);
  } catch (...) {
    self.problem = std::current_exception();
  }
  self.work.end = now();
  return nullptr;
}

// Returns: an error number; 0 if there is no error.
int begin(team_member& one) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  if (!one.stack.empty()) {
    pthread_attr_setstack(&attributes, one.stack.data(), one.stack.size());
  }
  const int problem = pthread_create(&one.thread, &attributes, live, &one);
  pthread_attr_destroy(&attributes);
  return problem;
}

}  // namespace

double now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

void stretch::add(const stretch& other) {
  start = std::min(start, other.start);
  end = std::max(end, other.end);
}

double duration(std::span<const stretch> all) {
  stretch whole = all[0];
  for (const stretch& one : all) whole.add(one);
  return whole.end - whole.start;
}

void settle_down(unsigned number) {
  const cpu_set_t& allowed = own_processors();
  const int count = CPU_COUNT(&allowed);
  if (count == 0) return;
  int rest = static_cast<int>(number % static_cast<unsigned>(count));
  for (int one = 0; one < CPU_SETSIZE; ++one) {
    if (!CPU_ISSET(one, &allowed) || rest-- > 0) continue;
    cpu_set_t chosen;
    CPU_ZERO(&chosen);
    CPU_SET(one, &chosen);
    sched_setaffinity(0, sizeof chosen, &chosen);
    return;
  }
}

team_times run_team(std::span<team_member> members, const team_task& task) {
  own_processors();
  meeting line;
  line.expect(static_cast<unsigned>(members.size()));
  unsigned number = 0;
  for (team_member& one : members) {
    one.task = &task;
    one.line = &line;
    one.number = number++;
  }
  const double begun = now();
  std::size_t made = 0;
  int problem = 0;
  while (made < members.size() && (problem = begin(members[made])) == 0) ++made;
  if (problem != 0) line.call_off();
  for (const team_member& one : members.first(made)) pthread_join(one.thread, nullptr);
  if (problem != 0) {
    throw std::system_error(problem, std::generic_category(), "a thread cannot be created");
  }
  stretch work = members[0].work;
  for (const team_member& one : members) {
    if (one.problem) std::rethrow_exception(one.problem);
    work.add(one.work);
  }
  return {work.end - work.start, now() - begun};
}

double run_team(unsigned threads, const std::function<void(unsigned)>& prepare,
                const std::function<void(unsigned)>& work) {
  std::vector<team_member> members(threads);
  return run_team(members, prepare, work).work;
}

}  // namespace mallard::lab
