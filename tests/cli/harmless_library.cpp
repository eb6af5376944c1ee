// A library that does not care about malloc.
extern "C" int harmless() {
  return 0;
}
