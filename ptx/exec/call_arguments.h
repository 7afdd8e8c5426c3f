// SPDX-License-Identifier: Apache-2.0
// Arguments and result of a call of a function that gpuloom provides, for one lane.
#pragma once
#include <algorithm>
#include <cstring>
#include <string>

#include "ptx/exec/check/checks.h"
#include "ptx/exec/cta.h"
#include "ptx/exec/fault.h"
#include "ptx/exec/memory_path.h"

namespace gpuloom::ptx {

// Reads and writes the caller's values of one lane.
class CallArguments {
 public:
  CallArguments(Warp& w, const Instr& in, const CallSite& site, unsigned lane)
      : w_(w), in_(in), site_(site), lane_(lane) {}

  uint64_t get(size_t k) const {
    uint64_t value = 0;
    if (k >= site_.arguments.size()) return value;
    const CallValue& from = site_.arguments[k];
    const uint32_t bytes = std::min(from.bytes, 8u);
    if (from.row.present()) {
      std::memcpy(&value, source<uint8_t>(w_, from.row) + lane_ * from.bytes, bytes);
      return value;
    }
    for (uint32_t b = 0; b < bytes; ++b)
      value |= uint64_t(*host_of(w_, in_, lane_, Space::kLocal, w_.local_frame + from.local + b, 1,
                                 AccessOp::kLoad))
               << (8 * b);
    return value;
  }

  // An argument of any size; it lies in the caller's parameter space.
  void get(size_t k, void* to, size_t bytes) const {
    const CallValue& from = site_.arguments.at(k);
    if (from.row.present() || from.bytes < bytes)
      fault(w_, in_, lane_, FaultKind::kIllegal,
            "calls '" + site_.external + "' with other arguments than it has");
    for (size_t b = 0; b < bytes; ++b)
      static_cast<uint8_t*>(to)[b] =
          *host_of(w_, in_, lane_, Space::kLocal, w_.local_frame + from.local + static_cast<uint32_t>(b), 1,
                   AccessOp::kLoad);
  }

  void result(uint64_t value) {
    if (site_.results.empty()) return;
    const CallValue& to = site_.results[0];
    const uint32_t bytes = std::min(to.bytes, 8u);
    if (to.row.present()) {
      std::memcpy(w_.regs + to.row.at + lane_ * to.bytes, &value, bytes);
      return;
    }
    for (uint32_t b = 0; b < bytes; ++b)
      *host_of(w_, in_, lane_, Space::kLocal, w_.local_frame + to.local + b, 1, AccessOp::kStore) =
          static_cast<uint8_t>(value >> (8 * b));
    if (Checks* checks = w_.launch->checks)
      checks->local_written(w_, lane_, w_.local_frame + to.local, bytes);
  }

  // Bytes at a generic address.
  void read(uint64_t address, void* to, size_t bytes) const {
    const Space space = space_of_generic(address);
    for (size_t b = 0; b < bytes; ++b)
      static_cast<uint8_t*>(to)[b] = *host_of(w_, in_, lane_, space, address + b, 1, AccessOp::kLoad);
  }

  void write(uint64_t address, const void* from, size_t bytes) const {
    const Space space = space_of_generic(address);
    for (size_t b = 0; b < bytes; ++b)
      *host_of(w_, in_, lane_, space, address + b, 1, AccessOp::kStore) =
          static_cast<const uint8_t*>(from)[b];
  }

  std::string text(uint64_t address) const {
    constexpr size_t kLongest = 4096;
    std::string out;
    if (address == 0) return "(null)";
    for (char c; out.size() < kLongest; ++address) {
      read(address, &c, 1);
      if (c == 0) break;
      out += c;
    }
    return out;
  }

  unsigned lane() const { return lane_; }
  Warp& warp() const { return w_; }
  const Instr& instr() const { return in_; }

 private:
  Warp& w_;
  const Instr& in_;
  const CallSite& site_;
  unsigned lane_;
};

}  // namespace gpuloom::ptx
