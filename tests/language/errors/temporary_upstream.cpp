// A pool over a resource that is gone before the pool's first request.
#include "mallard/monotonic.hpp"
#include "mallard/multipool.hpp"

mallard::multipool_resource pool(mallard::monotonic_resource{});
mallard::multipool_resource with_options({}, mallard::monotonic_resource());
