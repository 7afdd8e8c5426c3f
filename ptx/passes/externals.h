// SPDX-License-Identifier: Apache-2.0
// Functions that PTX may call without defining them, because the device system provides them.
#pragma once
#include <string_view>

namespace gpuloom::ptx {

inline constexpr std::string_view kExternals[] = {"vprintf", "__assertfail", "malloc", "free"};

inline bool is_external(std::string_view name) {
  for (const std::string_view known : kExternals) {
    if (known == name) return true;
  }
  return false;
}

}  // namespace gpuloom::ptx
