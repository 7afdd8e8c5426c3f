// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>

namespace gpuloom {

// "0.2.0": the project's version, from CMakeLists.txt.
std::string_view version();

// 16 hexadecimal digits: a digest of the sources that decide what a run gives (cmake/SourceDigest.cmake). Two
// builds with the same one give the same results.
std::string_view source_digest();

}  // namespace gpuloom
