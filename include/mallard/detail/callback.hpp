// Purpose: owns and calls a function object of the user's without knowing its type. The header of
// std::function would be a quarter of the cost of compiling ours.
#pragma once

#include <concepts>
#include <new>
#include <type_traits>
#include <utility>

#include "mallard/detail/config.hpp"

namespace mallard::inline v1::detail {

template <class Signature>
class callback;

template <class Result, class... Args>
class callback<Result(Args...)> {
 public:
  template <class F>
    requires(!std::same_as<std::remove_cvref_t<F>, callback> &&
             std::is_invocable_r_v<Result, std::decay_t<F>&, Args...>)
  callback(F&& f)  // NOLINT: implicit, as std::function
      : object_(new std::decay_t<F>(std::forward<F>(f))),
        call_([](void* object, Args... args) -> Result {
          return (*static_cast<std::decay_t<F>*>(object))(std::forward<Args>(args)...);
        }),
        destroy_([](void* object) { delete static_cast<std::decay_t<F>*>(object); }) {}
  callback(callback&& other) noexcept
      : object_(std::exchange(other.object_, nullptr)),
        call_(other.call_),
        destroy_(other.destroy_) {}
  callback& operator=(callback&&) = delete;
  ~callback() {
    if (object_ != nullptr) destroy_(object_);
  }

  Result operator()(Args... args) const { return call_(object_, std::forward<Args>(args)...); }

 private:
  void* object_;
  Result (*call_)(void* object, Args... args);
  void (*destroy_)(void* object);
};

}  // namespace mallard::inline v1::detail
