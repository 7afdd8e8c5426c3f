// SPDX-License-Identifier: Apache-2.0
// Objects that live until they are taken out, known by their addresses: handles of programs are checked by
// it.
#pragma once
#include <memory>
#include <unordered_map>
#include <utility>

namespace gpuloom {

template <class T>
class OwnedSet {
 public:
  template <class... A>
  T& make(A&&... arguments) {
    auto made = std::make_unique<T>(std::forward<A>(arguments)...);
    T& object = *made;
    objects_[&object] = std::move(made);
    return object;
  }
  bool holds(const T* object) const { return objects_.contains(object); }
  void erase(const T& object) { objects_.erase(&object); }
  template <class F>
  void for_each(F&& f) {
    for (auto& [address, object] : objects_) f(*object);
  }
  template <class F>
  void for_each(F&& f) const {
    for (const auto& [address, object] : objects_) f(std::as_const(*object));
  }

 private:
  std::unordered_map<const T*, std::unique_ptr<T>> objects_;
};

}  // namespace gpuloom
