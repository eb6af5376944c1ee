// The memory that is shared with the programs that are started, and what addresses in it are
// called.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "profile/trace/symbolizer.hpp"
#include "route/session.hpp"
#include "whatif/pattern.hpp"
#include "whatif/whatif.hpp"

namespace mallard::whatif {

class route_session {
 public:
  // `all` must outlive it. Throws std::system_error.
  explicit route_session(const conditions& all, bool by_frame_pointers);
  ~route_session();
  route_session(const route_session&) = delete;
  route_session& operator=(const route_session&) = delete;

  // Path by which another process finds it; valid as long as this process lives.
  std::string path() const;

  // The next run's purpose; counts begin at 0.
  enum class purpose {
    counts,     // its time is
    names,      // addresses are found that have no names yet, and survivors
    by_malloc,  // time as well: that of the hook, as a malloc serves all
    in_turns,   // so are the turns of both, of routes that are all scoped
  };
  void prepare(const std::vector<route::route_rule>& routes, purpose what);
  // All variants have the same conditions, for one function's frames: see session::knows_frames.
  void know_frames() { session_->knows_frames = true; }
  // Gives marks to the addresses that were seen in runs so far.
  void mark_addresses();
  // Effects: calls `run`, and gives marks to what is seen meanwhile: blocks are found faster where
  // that is known.
  void mark_during(const std::function<void()>& run);
  // Throws std::runtime_error with one line for a condition that nothing fulfils that was seen so
  // far, with what comes near it.
  void check() const;

  // Outcome of the run. `of`: the routes that were given to prepare().
  std::vector<route_outcome> outcomes(const std::vector<whatif_route>& of) const;
  // Seconds by which the run would have been faster had a malloc not served in turns; of each group
  // of turns, or none if too few of them have both.
  std::vector<double> saved() const;
  // The survivors' names, by route.
  std::vector<std::vector<std::string>> survivor_names() const;
  bool was_out_of_addresses() const { return session_->no_address_space.load() != 0; }

 private:
  struct place_name {
    std::string function, file;
    std::uint32_t line = 0;
  };
  std::vector<place_name> names_of(std::uint64_t key) const;
  std::vector<std::string> module_paths() const;

  const conditions& conditions_;
  profile::symbolizer symbolizer_;
  int file_ = -1;
  route::session* session_ = nullptr;
  std::map<std::uint64_t, std::vector<place_name>> names_;  // by key, the innermost first
};

}  // namespace mallard::whatif
