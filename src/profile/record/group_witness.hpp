// Tells whether a signal that this process got was sent to its whole process group.
//
// A signal to the group reaches the program, too, and must not be passed on to it a second time. No
// signal says to whom it was sent. So a child of this process, which has all signals blocked, waits
// in the group: what was sent to the group is pending there.
#pragma once

#include <sys/types.h>

namespace mallard::profile {

class group_witness {
 public:
  // Call it before other threads start. Without room for another process it sees nothing.
  group_witness();
  ~group_witness();
  group_witness(const group_witness&) = delete;
  group_witness& operator=(const group_witness&) = delete;

  // Whether the group got this signal, since the beginning or the last call.
  bool saw(int signal);

 private:
  void begin();
  void end();

  pid_t pid_ = -1;
};

}  // namespace mallard::profile
