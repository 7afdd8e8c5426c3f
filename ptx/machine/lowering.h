// SPDX-License-Identifier: Apache-2.0
// How machine operations are made from PTX.
#pragma once
#include <cstdint>

namespace gpuloom::ptx {

enum class Lowering : uint8_t {
  kNone,     // one operation a decoded instruction, in order
  kMachine,  // as ptxas would: select, fuse, expand, schedule, allocate
};

}  // namespace gpuloom::ptx
