// A machine of 32 bits, as far as the first header can tell.
#undef __SIZEOF_POINTER__
#define __SIZEOF_POINTER__ 4
#include "mallard/detail/config.hpp"

int main() {}
