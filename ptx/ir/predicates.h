// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace gpuloom::ptx {

// Of a thread: P0 to P6; PT is always true. What a comparison makes waits until one is free.
constexpr uint32_t kPredicateRegisters = 7;

}  // namespace gpuloom::ptx
