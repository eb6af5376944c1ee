#include "structure/layers.hpp"

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <regex>
#include <string_view>

namespace structure {
namespace {

// From the lowest to the highest. `common` is what even `os` may include; `umbrella` includes the
// library's public headers, so only the tool's layers may include it.
constexpr std::array layers = {
    "common",  "strategy",  "os",      "core",  "pages",    "threads", "resources", "bindings",
    "memory",  "checks",    "malloc",  "trace", "umbrella", "preload", "recorder",  "route",
    "live",    "measuring", "results", "bench", "mallocs",  "kernels", "benches",   "claims",
    "profile", "replay",    "whatif",  "watch", "advise",   "report",  "cli"};

struct place {
  std::string_view prefix;
  std::string_view layer;
};
// The first prefix that fits decides. Public headers of the resources are listed one by one.
constexpr place places[] = {
    {"include/mallard/detail/config.hpp", "common"},
    {"include/mallard/detail/assertions.hpp", "common"},
    {"include/mallard/detail/bits.hpp", "common"},
    {"include/mallard/detail/atomic.hpp", "common"},
    {"include/mallard/detail/callback.hpp", "common"},
    {"include/mallard/detail/failure.hpp", "common"},
    {"include/mallard/version.hpp", "common"},
    {"include/mallard/detail/os/", "os"},
    {"include/mallard/detail/core/", "core"},
    {"include/mallard/detail/pages/", "pages"},
    {"include/mallard/detail/threads/", "threads"},
    {"include/mallard/detail/resources/", "resources"},
    {"include/mallard/detail/bindings/", "bindings"},
    {"include/mallard/detail/memory/", "memory"},
    {"include/mallard/memory/", "memory"},
    {"src/memory/", "memory"},
    {"include/mallard/bindable.hpp", "common"},
    {"include/mallard/blocks.hpp", "core"},
    {"include/mallard/arena.hpp", "resources"},
    {"include/mallard/pmr.hpp", "resources"},
    {"include/mallard/monotonic.hpp", "resources"},
    {"include/mallard/buffered.hpp", "resources"},
    {"include/mallard/reserved.hpp", "resources"},
    {"include/mallard/multipool.hpp", "resources"},
    {"include/mallard/synchronized_multipool.hpp", "resources"},
    {"include/mallard/adaptive_pool.hpp", "resources"},
    {"include/mallard/heap.hpp", "resources"},
    {"include/mallard/synchronized_heap.hpp", "resources"},
    {"include/mallard/extended_allocator.hpp", "bindings"},
    {"include/mallard/expandable_allocator.hpp", "bindings"},
    {"include/mallard/adaptive_pool_allocator.hpp", "bindings"},
    {"include/mallard/page_source.hpp", "resources"},
    {"include/mallard/failure_callback.hpp", "resources"},
    {"include/mallard/fallback.hpp", "resources"},
    {"include/mallard/mark_scope.hpp", "resources"},
    {"include/mallard/resource_ref.hpp", "resources"},
    {"include/mallard/resource_handle.hpp", "bindings"},
    {"include/mallard/scratch.hpp", "resources"},
    {"include/mallard/segregating.hpp", "resources"},
    {"include/mallard/synchronized.hpp", "resources"},
    {"include/mallard/allocate_unique.hpp", "bindings"},
    {"include/mallard/copy.hpp", "bindings"},
    {"include/mallard/create.hpp", "bindings"},
    {"include/mallard/frame_from.hpp", "bindings"},
    {"include/mallard/new_object.hpp", "bindings"},
    {"include/mallard/boost.hpp", "bindings"},
    {"include/mallard/node_bytes.hpp", "bindings"},
    {"include/mallard/object_pool.hpp", "bindings"},
    {"include/mallard/typed.hpp", "bindings"},
    {"include/mallard/winkable.hpp", "bindings"},
    {"include/mallard/allocator.hpp", "bindings"},
    {"include/mallard/wink_out.hpp", "bindings"},
    {"include/mallard/detail/recorder_calls.hpp", "common"},
    {"include/mallard/profile.hpp", "checks"},
    {"include/mallard/checks/", "checks"},
    {"include/mallard/detail/checks/", "checks"},
    {"include/mallard/mallard.hpp", "umbrella"},
    {"src/strategy/", "strategy"},
    {"src/os/", "os"},
    {"src/core/", "core"},
    {"src/pages/", "pages"},
    {"src/resources/", "resources"},
    {"src/checks/", "checks"},
    {"include/mallard/malloc/", "malloc"},
    {"src/malloc/", "malloc"},
    {"src/preload/", "preload"},
    {"src/recorder/", "recorder"},
    {"src/route/", "route"},
    {"src/live/", "live"},
    {"src/lab/measuring/", "measuring"},
    {"src/lab/results/", "results"},
    {"src/lab/bench/", "bench"},
    {"src/lab/kernels/", "kernels"},
    {"src/lab/mallocs/", "mallocs"},
    {"src/lab/benches/", "benches"},
    {"src/lab/claims/", "claims"},
    {"src/profile/trace/", "trace"},
    {"src/profile/", "profile"},
    {"src/replay/", "replay"},
    {"src/whatif/", "whatif"},
    {"src/watch/", "watch"},
    {"src/advise/", "advise"},
    {"src/report/", "report"},
    {"src/cli/", "cli"},
};

std::optional<std::size_t> rank_of_layer(std::string_view layer) {
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (layers[i] == layer) return i;
  }
  return std::nullopt;
}

std::optional<std::size_t> rank_of_path(std::string_view path) {
  for (const place& p : places) {
    if (path.starts_with(p.prefix)) return rank_of_layer(p.layer);
  }
  return std::nullopt;
}

// Where a quoted include leads: beside include/ and src/ there is nothing to include.
std::string resolve(const std::string& include, const source_tree& tree) {
  const std::string in_src = "src/" + include;
  return tree.contains(in_src) ? in_src : "include/" + include;
}

std::vector<std::string> quoted_includes(const std::string& text) {
  static const std::regex pattern(R"re((^|\n)[ \t]*#[ \t]*include[ \t]*["<]([^">]+)[">])re");
  std::vector<std::string> out;
  for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at) {
    out.push_back((*at)[2]);
  }
  return out;
}

bool is_ours(const std::string& include, const source_tree& tree) {
  return include.starts_with("mallard/") || tree.contains("src/" + include);
}

}  // namespace

source_tree read_sources(const std::string& root) {
  namespace fs = std::filesystem;
  source_tree tree;
  for (const char* top : {"include", "src"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(root) / top)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".hpp" && extension != ".cpp" && extension != ".h") continue;
      std::ifstream in(entry.path());
      tree[fs::relative(entry.path(), root).generic_string()] =
          std::string(std::istreambuf_iterator<char>(in), {});
    }
  }
  return tree;
}

std::vector<std::string> layer_violations(const source_tree& tree) {
  std::vector<std::string> out;
  for (const auto& [path, text] : tree) {
    const auto rank = rank_of_path(path);
    if (!rank) {
      out.push_back(path + " belongs to no layer");
      continue;
    }
    for (const std::string& include : quoted_includes(text)) {
      if (!is_ours(include, tree)) continue;
      const std::string target = resolve(include, tree);
      const auto target_rank = rank_of_path(target);
      if (!target_rank) {
        out.push_back(path + " includes " + include + ", which belongs to no layer");
      } else if (*target_rank > *rank) {
        out.push_back(path + " (" + layers[*rank] + ") includes " + include + " (" +
                      layers[*target_rank] + ")");
      }
    }
  }
  return out;
}

}  // namespace structure
