// SPDX-License-Identifier: Apache-2.0
// Handles of arrays.
#pragma once
#include "sim/cudart/process.h"

namespace gpuloom::cudart {

inline host::Array* array_of(ArrayHandle handle) { return reinterpret_cast<host::Array*>(handle); }
inline ArrayHandle handle_of(host::Array& array) { return reinterpret_cast<ArrayHandle>(&array); }
inline host::ChannelDesc channels_of(const ChannelDescAbi& d) { return {{d.x, d.y, d.z, d.w}, d.kind}; }
inline ChannelDescAbi abi_of(const host::ChannelDesc& d) {
  return {d.bits[0], d.bits[1], d.bits[2], d.bits[3], d.kind};
}

}  // namespace gpuloom::cudart
