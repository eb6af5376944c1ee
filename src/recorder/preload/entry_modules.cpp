// dlclose, recorded: an address may mean another function from then on.
#include "recorder/preload/hook.hpp"

namespace {

using namespace mallard::recorder;

void look_for_unloaded() noexcept {
  entered log;
  if (!log.frees()) return;
  bool any = false;
  process.modules.remove_unloaded([&](std::uint64_t load_bias) {
    any = true;
    log->write_module_gone(load_bias);
  });
  if (!any) return;
  process.rules.clear();
  new_epoch();
}

}  // namespace

MALLARD_RECORDED int dlclose(void* handle) noexcept {
  using type = int(void*);
  static type* const next_dlclose = reinterpret_cast<type*>(dlsym(RTLD_NEXT, "dlclose"));
  const int result = next_dlclose(handle);
  look_for_unloaded();
  return result;
}
