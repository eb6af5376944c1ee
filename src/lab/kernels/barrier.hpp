// Keeps the optimiser from seeing more than a real program would let it see.
#pragma once

namespace mallard::lab {

// The pointer, with everything forgotten that the compiler knew about the object behind it. A
// virtual call through the result is a virtual call in the machine code too.
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

// Makes the compiler believe that the memory behind the pointer is read here.
inline void consume_memory(const void* pointer) noexcept {
  asm volatile("" : : "r"(pointer) : "memory");
}

// Makes the compiler believe that this one object is read and written here. Unlike the above, it
// lets everything else stay in registers.
template <class T>
inline void renew(T& object) noexcept {
  asm volatile("" : "+m"(object));
}

}  // namespace mallard::lab
