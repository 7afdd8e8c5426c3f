// SPDX-License-Identifier: Apache-2.0
// The policy that a configuration names for one place, with its parameters: what units make theirs from.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arch/policy/interface.h"

namespace gpuloom::arch {

struct PolicyChoice {
  std::string name;     // as configured
  std::string library;  // path of the shared object it comes from; "" for one that is built in
  std::string key;      // of the configuration, that names the shared object
  const policy::Entry* entry = nullptr;  // null after a problem of the configuration
  std::vector<std::pair<std::string, double>> parameters;

  // A new object for a unit.
  template <class Policy>
  std::unique_ptr<Policy> make(const typename Policy::Host& host) const {
    return std::unique_ptr<Policy>(static_cast<Policy*>(make_object(&host)));
  }

 private:
  void* make_object(const void* host) const;
};

// A policy that is built in, without parameters: for tests and programs that make units themselves.
PolicyChoice built_in_policy(std::string_view kind, std::string_view name);

// Built-in policies of a kind, by name.
const std::vector<const policy::Entry*>& policies(std::string_view kind);

}  // namespace gpuloom::arch
