// The entry points that `mallard record --pid` calls in the attached process.
#include "preload/caller.hpp"
#include "recorder/preload/hook.hpp"

using namespace mallard::recorder;

MALLARD_ENTRY void mallard_record_attach(const char* path) noexcept {
  this_thread.busy = true;
  attach_process(path);
  this_thread.busy = false;
}

MALLARD_ENTRY void mallard_record_detach() noexcept {
  this_thread.busy = true;
  detach_process();
  this_thread.busy = false;
}
