// Allocates nothing. With an argument, it runs until somebody ends it.
#include <unistd.h>

int main(int argc, char**) {
  if (argc > 1) pause();
}
