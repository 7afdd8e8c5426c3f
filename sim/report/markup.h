// SPDX-License-Identifier: Apache-2.0
// Text within HTML and SVG.
#pragma once
#include <string>
#include <string_view>

namespace gpuloom {

// With entities for the characters that markup takes for its own.
std::string escaped_markup(std::string_view text);

}  // namespace gpuloom
