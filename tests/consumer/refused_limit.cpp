// The checks throw an exception of the kinds of memory, which may be left out.
#include <mallard/mallard.hpp>

int main() {
  try {
    mallard::limit_resource refused({.bytes = 0});
  } catch (const mallard::memory_error& error) {
    return error.fault() == mallard::memory_fault::bad_limit ? 0 : 1;
  }
  return 1;
}
