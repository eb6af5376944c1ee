// The processes of a program, also those whose parents have ended.
#pragma once

#include <sys/types.h>

#include <set>
#include <vector>

namespace mallard::process {

// While it lives, this process becomes the parent of descendants whose parents have ended, so that
// none is lost. Begin it before the program starts, and ask when the program was waited for.
class adoption {
 public:
  explicit adoption(bool wanted = true);
  ~adoption();
  adoption(const adoption&) = delete;
  adoption& operator=(const adoption&) = delete;

  // Whether any child of this process is left; those that have ended are reaped.
  bool has_living() const;
  // Ends all that the program left running: SIGTERM, and SIGKILL a second later.
  void end_all() const;

 private:
  std::vector<pid_t> living() const;

  bool wanted_;
  int before_ = 0;
  std::set<pid_t> others_;  // children that are not the program's
};

}  // namespace mallard::process
