#include "lab/mallocs/team.hpp"

#include <pthread.h>
#include <time.h>

#include <algorithm>

#include "lab/measuring/executed.hpp"

namespace mallard::lab::mallocs {
namespace {

// Mallocs keep their tables for a thread there too.
constexpr std::size_t stack_bytes = std::size_t{256} << 10;

struct member {
  const team_task* task = nullptr;
  meeting* line = nullptr;
  stretch* own = nullptr;
  unsigned number = 0;
  pthread_t thread{};
};

void* live(void* argument) {
  const member& self = *static_cast<member*>(argument);
  settle_down(self.number);
  self.task->prepare(self.task->data, self.number);
  self.line->wait();
  self.own->start = now();
  self.task->work(self.task->data, self.number);
  self.own->end = now();
  return nullptr;
}

// The affinity of the process as it was when first asked for.
const cpu_set_t& own_processors() {
  static const cpu_set_t all = [] {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    sched_getaffinity(0, sizeof allowed, &allowed);
    return allowed;
  }();
  return all;
}

}  // namespace

double now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

double duration(std::span<const stretch> all) {
  double start = all[0].start;
  double end = all[0].end;
  for (const stretch& one : all) {
    start = std::min(start, one.start);
    end = std::max(end, one.end);
  }
  return end - start;
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

team_times run_team(own_memory& own, unsigned threads, const team_task& task) {
  own_processors();
  const auto members = own.make<member>(threads);
  const auto stretches = own.make<stretch>(threads);
  meeting& line = own.make<meeting>(1)[0];
  line.expect(threads);
  for (unsigned i = 0; i < threads; ++i) members[i] = {&task, &line, &stretches[i], i, {}};

  const double start = now();
  for (member& one : members) {
    const auto stack = own.make_stack(stack_bytes);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstack(&attributes, stack.data(), stack.size());
    const int problem = pthread_create(&one.thread, &attributes, live, &one);
    pthread_attr_destroy(&attributes);
    if (problem != 0) give_up("a thread cannot be created");
  }
  for (const member& one : members) pthread_join(one.thread, nullptr);
  return {duration(stretches), now() - start};
}

}  // namespace mallard::lab::mallocs
