// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>

namespace gpuloom {

// "0.1.0": the project's version, from CMakeLists.txt.
std::string_view version();

}  // namespace gpuloom
