// SPDX-License-Identifier: Apache-2.0
// Functions that PTX calls without defining them: the device system's, as nvcc uses them.
#pragma once
#include <string_view>

#include "ptx/exec/warp.h"

namespace gpuloom::ptx {

// Whether gpuloom provides the function; the passes refuse a program that calls any other.
bool is_external_function(std::string_view name);
// Calls CallSite::external for each lane, in lane order.
void call_external(Warp& w, const Instr& in, uint32_t lanes, const CallSite& site);

}  // namespace gpuloom::ptx
