#include "malloc/stats.hpp"

#include "mallard/detail/os/uncancelled.hpp"
#include "malloc/malloc_heaps.hpp"
#include "malloc/usage.hpp"

namespace mallard::inline v1::detail {
namespace {

// The first heap; the list behind it never changes.
const malloc_heap* first_heap() noexcept {
  const holding hold(the_heaps.lock());
  return the_heaps.first();
}

}  // namespace

void write_stats_text(text_out& out, bool all) noexcept {
  const malloc_usage u = usage_of_malloc();
  if (u.is_interrupted) {
    out << "mallard: no figures, in the middle of malloc\n";
    return;
  }
  out << "mallard: in use " << u.in_use_bytes() << " bytes, held " << u.held_bytes()
      << " bytes, of these free " << u.free_bytes() << "\n";
  out << "mallard: heaps " << u.heaps << ", without a thread " << u.idle_heaps << "\n";
  for (unsigned c = 0; c < u.classes.size(); ++c) {
    const class_usage& k = u.classes[c];
    if (k.slabs == 0 || !all) continue;
    out << "mallard: blocks of " << class_bytes(c) << ": slabs " << k.slabs << ", taken " << k.taken
        << " of " << k.slots << "\n";
  }
  out << "mallard: large blocks " << u.space_blocks() << ", bytes " << u.space_bytes() << "\n";
  out << "mallard: huge blocks " << u.huge.blocks << ", bytes " << u.huge.mapped_bytes << "\n";
}

void write_stats_json(text_out& out) noexcept {
  const malloc_usage u = usage_of_malloc();
  if (u.is_interrupted) {
    out << "{\"interrupted\":true}";
    return;
  }
  out << "{\"in_use_bytes\":" << u.in_use_bytes() << ",\"held_bytes\":" << u.held_bytes()
      << ",\"free_bytes\":" << u.free_bytes() << ",\"regions\":" << u.supply.regions
      << ",\"classes\":[";
  const char* comma = "";
  for (unsigned c = 0; c < u.classes.size(); ++c) {
    const class_usage& k = u.classes[c];
    if (k.slabs == 0) continue;
    out << comma << "{\"bytes\":" << class_bytes(c) << ",\"slabs\":" << k.slabs
        << ",\"slots\":" << k.slots << ",\"taken\":" << k.taken << "}";
    comma = ",";
  }
  out << "],\"heaps\":[";
  comma = "";
  for (const malloc_heap* h = first_heap(); h != nullptr; h = h->next) {
    out << comma << "{\"idle\":" << (h->idle.load(std::memory_order_relaxed) ? "true" : "false")
        << ",\"taken_bytes\":" << h->taken_of_slabs() << "}";
    comma = ",";
  }
  out << "],\"large\":[";
  comma = "";
  for (const space_usage& s : u.spaces) {
    out << comma << "{\"blocks\":" << s.blocks << ",\"in_use_bytes\":" << s.in_use_bytes
        << ",\"reserved_bytes\":" << s.reserved_bytes << "}";
    comma = ",";
  }
  out << "],\"huge\":{\"blocks\":" << u.huge.blocks << ",\"mapped_bytes\":" << u.huge.mapped_bytes
      << "}}";
}

// The elements are those of glibc, as far as there is an equivalent.
void write_stats_xml(text_out& out) noexcept {
  const malloc_usage u = usage_of_malloc();
  if (u.is_interrupted) {
    out << "<malloc version=\"1\"/>\n";
    return;
  }
  out << "<malloc version=\"1\">\n<heap nr=\"0\">\n<sizes>\n";
  for (unsigned c = 0; c < u.classes.size(); ++c) {
    const class_usage& k = u.classes[c];
    if (k.slabs == 0) continue;
    const std::size_t free = k.slots - k.taken;
    out << "<size from=\"" << (c == 0 ? 1 : class_bytes(c - 1) + 1) << "\" to=\"" << class_bytes(c)
        << "\" total=\"" << free * class_bytes(c) << "\" count=\"" << free << "\"/>\n";
  }
  out << "</sizes>\n</heap>\n";
  out << "<total type=\"small\" count=\"" << u.slab_blocks() << "\" size=\"" << u.slab_bytes()
      << "\"/>\n<total type=\"large\" count=\"" << u.space_blocks() << "\" size=\""
      << u.space_bytes() << "\"/>\n<total type=\"mmap\" count=\"" << u.huge.blocks << "\" size=\""
      << u.huge.mapped_bytes << "\"/>\n<system type=\"current\" size=\"" << u.held_bytes()
      << "\"/>\n<aspace type=\"total\" size=\""
      << u.supply.regions * region_bytes + u.huge.mapped_bytes << "\"/>\n</malloc>\n";
}

}  // namespace mallard::inline v1::detail
