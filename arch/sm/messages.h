// SPDX-License-Identifier: Apache-2.0
// What leaves an SM during a window.
#pragma once
#include <bit>
#include <cstdint>

#include "arch/systemc/memory_request.h"
#include "arch/types.h"
#include "ptx/exec/access.h"

namespace gpuloom::ptx {
struct Warp;
}

namespace gpuloom::arch {

// What the answer becomes in the SM.
enum class Reply : uint8_t { kFill, kStore, kAtomic, kNone };

constexpr uint16_t kNoWarp = UINT16_MAX;

struct OutMessage {
  Cycle cycle = 0;
  sim::MemoryRequest request;
  Reply reply = Reply::kFill;
  uint16_t warp = 0;                     // kStore; kNoWarp where none waits
  uint8_t grid = 0;                      // of those in the SM: whose it is
  ptx::DeferredAtomic* apply = nullptr;  // takes effect when this is served
  ptx::Warp* apply_warp = nullptr;       // whose registers get the result; null where nobody reads one
  // Nobody waits for an answer: it leaves its place on the way out free once it has been taken.
  bool posted() const { return reply == Reply::kStore || request.op == sim::RequestOp::kReduce; }
  // That count as the SM's writes until the answer is here: a load that takes effect at L2 is none.
  uint16_t held_sectors() const {
    return request.op == sim::RequestOp::kRead ? 0 : static_cast<uint16_t>(std::popcount(request.sectors));
  }
  bool combined = false;  // ideal.combined_atomics: it takes effect, and asks nothing of anybody
};

}  // namespace gpuloom::arch
