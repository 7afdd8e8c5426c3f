// SPDX-License-Identifier: Apache-2.0
// The program or library that this code is linked into, as it lies in memory. Not for users of lower().
#pragma once
#include <cstdint>
#include <string>

namespace gpuloom::ptx {

struct OwnCode {
  uintptr_t base = 0, end = 0;  // what its addresses count from, and behind its last segment
  std::string name;             // the linker's build ID in hexadecimal; empty: it has none
};

const OwnCode& own_code();

}  // namespace gpuloom::ptx
