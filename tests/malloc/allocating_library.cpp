// A library that allocates when it is loaded, in its threads, and when it goes.
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

struct at_load {
  std::vector<std::string> names = std::vector<std::string>(100, std::string(100, 'n'));
  ~at_load() { names.emplace_back(5000, 'm'); }
};
const at_load loaded;
thread_local std::string of_thread;

}  // namespace

// The caller frees the text.
extern "C" char* make_text(std::size_t length) {
  of_thread.assign(length, loaded.names.front().front());
  auto* const text = static_cast<char*>(std::malloc(length + 1));
  if (text != nullptr) std::memcpy(text, of_thread.c_str(), length + 1);
  return text;
}
