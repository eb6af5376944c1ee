#include "mallard/memory/shared.hpp"
#include "mallard/multipool.hpp"

int main() {
  mallard::shared_resource shared;
  shared.make<mallard::multipool_resource>("pool");
}
