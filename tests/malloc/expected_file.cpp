#include "malloc/expected_file.hpp"

namespace malloc_test {

const char* const expected_file = MALLARD_MALLOC_FILE;

}  // namespace malloc_test
