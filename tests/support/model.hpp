// Random programs over a resource, compared step by step with the model of live_blocks.
#pragma once

#include "support/choices.hpp"
#include "support/subject.hpp"

namespace mallard_test {

// Effects: makes the resource and uses every verb it has as `decisions` say, until they are used
// up. Upstream is made to fail now and then. Errors: check_failure when the resource breaks a
// promise.
void run_random_program(const resource_case& what, choices& decisions);

}  // namespace mallard_test
