// SPDX-License-Identifier: Apache-2.0
// What stands in a launch file for extents, numbers and bytes.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/exec/cta.h"

namespace gpuloom {
class ConfigView;
}

namespace gpuloom::sim {

// 16, [16, 16] or 16x16; each extent is at least `min`.
ptx::Dim3 launch_extents(const ConfigView& view, std::string_view key, uint32_t min);
bool is_integer_text(const std::string& text);
// `bytes: "00ff"`
std::vector<uint8_t> argument_bytes(const ConfigView& view);

}  // namespace gpuloom::sim
