// Keeps the optimiser from seeing more than in a real program.
#pragma once

namespace mallard::lab {

// Returns the pointer, and makes the compiler forget its object. So a virtual call through the
// result stays virtual in the machine code.
template <class T>
inline T* launder_pointer(T* pointer) noexcept {
  asm volatile("" : "+r"(pointer) : : "memory");
  return pointer;
}

// Makes the compiler forget what it knows about a value.
template <class T>
inline void forget_value(T& value) noexcept {
  asm volatile("" : "+r"(value));
}

// Makes the compiler believe that the memory at the pointer is read here.
inline void consume_memory(const void* pointer) noexcept {
  asm volatile("" : : "r"(pointer) : "memory");
}

// Makes the compiler believe that only this object is read and written here. Everything else may
// stay in registers.
template <class T>
inline void renew(T& object) noexcept {
  asm volatile("" : "+m"(object));
}

}  // namespace mallard::lab
