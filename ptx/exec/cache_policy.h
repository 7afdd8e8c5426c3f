// SPDX-License-Identifier: Apache-2.0
// Cache policies as createpolicy makes them (PTX ISA 9.7.9.18). Their 64 bits are opaque to programs; this is
// our layout:
//   bit 0         1: range, 0: fractional
//   bits 1-3      primary eviction priority (enum Eviction)
//   bits 4-6      secondary eviction priority
//   fractional:   bits 8-24  share of the addresses that get the primary priority, in 1/65536
//   range:        bits 7-31  (first address - kGlobalBase) / 64 KiB
//                 bits 32-47, 48-63  primary and total size in 64 KiB, rounded up (at most 4 GiB)
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "ptx/exec/access.h"
#include "ptx/exec/memory_view.h"

namespace gpuloom::ptx {

struct CachePolicy {
  bool range = false;
  Eviction primary = Eviction::kNormal, secondary = Eviction::kUnchanged;
  double fraction = 1.0;                             // fractional
  uint64_t first = 0, primary_bytes = 0, bytes = 0;  // range: device addresses

  static constexpr uint64_t kUnit = 64 << 10;

  uint64_t encode() const {
    uint64_t v = uint64_t(range) | uint64_t(primary) << 1 | uint64_t(secondary) << 4;
    if (!range) return v | static_cast<uint64_t>(std::llround(fraction * 65536.0)) << 8;
    const auto units = [](uint64_t n) { return std::min<uint64_t>((n + kUnit - 1) / kUnit, 0xffff); };
    return v | ((first - kGlobalBase) / kUnit & 0x1ff'ffff) << 7 | units(primary_bytes) << 32 |
           units(bytes) << 48;
  }
  static CachePolicy decode(uint64_t v) {
    CachePolicy p;
    p.range = v & 1;
    p.primary = static_cast<Eviction>(v >> 1 & 7);
    p.secondary = static_cast<Eviction>(v >> 4 & 7);
    if (!p.range) {
      p.fraction = static_cast<double>(v >> 8 & 0x1'ffff) / 65536.0;
      return p;
    }
    p.first = kGlobalBase + (v >> 7 & 0x1ff'ffff) * kUnit;
    p.primary_bytes = (v >> 32 & 0xffff) * kUnit;
    p.bytes = (v >> 48) * kUnit;
    return p;
  }
};

}  // namespace gpuloom::ptx
