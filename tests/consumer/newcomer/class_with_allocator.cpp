// A class of one's own that passes its memory on to its members, and one resource for a program.
#include <memory>
#include <memory_resource>
#include <string>
#include <utility>
#include <vector>

#include <mallard/mallard.hpp>

class person {
 public:
  using allocator_type = std::pmr::polymorphic_allocator<>;
  person(std::string_view name, allocator_type a = {}) : name_(name, a), friends_(a) {}
  person(const person& other, allocator_type a = {})
      : name_(other.name_, a), friends_(other.friends_, a) {}
  person(person&& other, allocator_type a)
      : name_(std::move(other.name_), a), friends_(std::move(other.friends_), a) {}
  person(person&&) = default;
  void meets(std::string_view name) { friends_.emplace_back(name); }
  const std::pmr::string& name() const { return name_; }
  std::size_t friends() const { return friends_.size(); }
  const void* memory() const { return friends_.get_allocator().resource(); }

 private:
  std::pmr::string name_;
  std::pmr::vector<std::pmr::string> friends_;
};

int main() {
  mallard::multipool_resource pool;
  std::pmr::memory_resource* const before = std::pmr::set_default_resource(&pool);
  int status = 1;
  {
    std::pmr::vector<person> people;
    people.emplace_back("somebody with a name of more than a few letters");
    people.back().meets("somebody else with such a name");
    people.push_back(people.back());
    auto shared = std::allocate_shared<person>(
        mallard::allocator<person, mallard::multipool_resource>(&pool), "another one");
    if (people.back().friends() == 1 && people.back().memory() == &pool && shared->friends() == 0) {
      status = 0;
    }
  }
  std::pmr::set_default_resource(before);
  return status;
}
