// The entry points that `mallard live PID` calls in a process that was started without the library.
#include "live/preload/hook.hpp"

using namespace mallard::live;

MALLARD_ENTRY void mallard_live_attach() noexcept {
  this_thread.busy = true;
  process.attach();
  this_thread.busy = false;
}

MALLARD_ENTRY void mallard_live_detach() noexcept {
  this_thread.busy = true;
  process.detach();
  this_thread.busy = false;
}
