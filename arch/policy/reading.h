// SPDX-License-Identifier: Apache-2.0
// Policies in configurations: what readers of groups ask for.
#pragma once
#include <memory>
#include <string_view>

#include "arch/policy/choice.h"
#include "base/config/config_view.h"

namespace gpuloom::arch {

namespace policy_reading {
// `make` and `destroy` of the kind on a host that stands for any.
using Try = void (*)(const policy::Entry& entry, policy::Parameters& parameters);
PolicyChoice read(const ConfigView& view, std::string_view key, const char* kind, Try try_out,
                  const ReadAt& at);
}  // namespace policy_reading

// Reads `key`: the name of a built-in policy, of a group beside it that has the key `library`, or the path of
// a shared object (./mine.so, from the file that says it). Its parameters come from the group beside `key`
// that is named as it is, or as the file without `.so`; groups of built-in policies that are not chosen are
// read too, so that a wrong value is found before somebody chooses them. Problems are the view's.
template <class Policy>
PolicyChoice read_policy(const ConfigView& view, std::string_view key, const char* kind,
                         ReadAt at = ReadAt::current()) {
  return policy_reading::read(
      view, key, kind,
      [](const policy::Entry& entry, policy::Parameters& parameters) {
        const typename Policy::Host host;
        const std::unique_ptr<Policy> once(static_cast<Policy*>(entry.make(parameters, &host)));
      },
      at);
}

}  // namespace gpuloom::arch
