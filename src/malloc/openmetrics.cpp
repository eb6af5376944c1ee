// Malloc's figures in the text format of OpenMetrics 1.0, which Prometheus reads: all are gauges
// with the unit at the end of the name, and the last line says that nothing is missing.
#include "malloc/stats.hpp"
#include "malloc/usage.hpp"

namespace mallard::inline v1::detail {
namespace {

class metrics {
 public:
  explicit metrics(text_out& out) noexcept : out_(out) {}

  void begin(const char* name, const char* unit, const char* help) noexcept {
    name_ = name;
    out_ << "# TYPE " << prefix << name << " gauge\n";
    if (*unit != '\0') out_ << "# UNIT " << prefix << name << " " << unit << "\n";
    out_ << "# HELP " << prefix << name << " " << help << "\n";
  }
  void add(std::size_t value) noexcept { out_ << prefix << name_ << " " << value << "\n"; }
  template <class Label>
  void add(const char* label, Label of, std::size_t value) noexcept {
    out_ << prefix << name_ << "{" << label << "=\"" << of << "\"} " << value << "\n";
  }
  void single(const char* name, const char* unit, const char* help, std::size_t value) noexcept {
    begin(name, unit, help);
    add(value);
  }

 private:
  static constexpr const char* prefix = "mallard_malloc_";
  text_out& out_;
  const char* name_ = "";
};

void write_kinds(metrics& to, const malloc_usage& u) noexcept {
  to.begin("blocks", "", "Blocks in use; of small ones with those that lie ready for a thread.");
  to.add("kind", "small", u.slab_blocks());
  to.add("kind", "large", u.space_blocks());
  to.add("kind", "huge", u.huge.blocks);
  to.begin("blocks_bytes", "bytes", "Bytes of blocks in use.");
  to.add("kind", "small", u.slab_bytes());
  to.add("kind", "large", u.space_bytes());
  to.add("kind", "huge", u.huge.mapped_bytes);
}

void write_classes(metrics& to, const class_usages& classes) noexcept {
  to.begin("class_slabs", "", "Slabs of the blocks of one size.");
  for (unsigned c = 0; c < classes.size(); ++c) {
    if (classes[c].slabs != 0) to.add("bytes", class_bytes(c), classes[c].slabs);
  }
  to.begin("class_slots", "", "Blocks of one size that these have room for.");
  for (unsigned c = 0; c < classes.size(); ++c) {
    if (classes[c].slabs != 0) to.add("bytes", class_bytes(c), classes[c].slots);
  }
  to.begin("class_taken", "", "Blocks of one size in use, or ready for a thread.");
  for (unsigned c = 0; c < classes.size(); ++c) {
    if (classes[c].slabs != 0) to.add("bytes", class_bytes(c), classes[c].taken);
  }
}

}  // namespace

void write_stats_openmetrics(text_out& out) noexcept {
  const malloc_usage u = usage_of_malloc();
  if (!u.is_interrupted) {
    metrics to(out);
    to.single("in_use_bytes", "bytes", "Bytes of blocks in use.", u.in_use_bytes());
    to.single("held_bytes", "bytes", "Bytes taken from the system.", u.held_bytes());
    to.single("free_bytes", "bytes", "Bytes kept for blocks to come.", u.free_bytes());
    to.single("regions", "", "Ranges of addresses for small and large blocks.", u.supply.regions);
    to.begin("heaps", "", "Heaps of threads.");
    to.add("thread", "running", u.heaps - u.idle_heaps);
    to.add("thread", "ended", u.idle_heaps);
    write_kinds(to, u);
    write_classes(to, u.classes);
  }
  out << "# EOF\n";
}

}  // namespace mallard::inline v1::detail
