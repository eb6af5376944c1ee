// A C++ program that is linked statically with the malloc: operator new does there what it has to.
#include <cstdint>
#include <cstdio>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "mallard/malloc/malloc.h"

namespace {

int handler_calls = 0;
struct refusal {};

volatile std::size_t too_much = PTRDIFF_MAX;

template <class Exception>
bool throws(std::new_handler handler) {
  std::set_new_handler(handler);
  try {
    ::operator delete(::operator new(too_much));
  } catch (const Exception&) {
    return true;
  } catch (...) {
  }
  return false;
}

bool is_sound() {
  // Some allocation is the malloc's.
  std::vector<std::string> texts(1'000, std::string(100, 'x'));
  if (mallard_unfreed_bytes() < 100'000) return false;
  std::thread([&] { texts.clear(); }).join();

  if (!throws<std::bad_alloc>(nullptr)) return false;
  if (!throws<refusal>([] { throw refusal(); })) return false;
  if (!throws<std::bad_alloc>([] {
        ++handler_calls;
        std::set_new_handler(nullptr);
      })) {
    return false;
  }
  return handler_calls == 1 &&
         ::operator new(too_much, std::nothrow) ==
             nullptr&& ::operator new[](too_much, std::align_val_t{64}, std::nothrow) == nullptr;
}

}  // namespace

int main() {
  const bool sound = is_sound();
  std::puts(sound ? "sound" : "not sound");
  return sound ? 0 : 1;
}
