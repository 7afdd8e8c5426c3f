// SPDX-License-Identifier: Apache-2.0
// What a memory instruction did: filled by its lane function, read by the timing model (coalescer, bank rule)
// and the analyses.
#pragma once
#include <cstdint>

#include "ptx/ir/kernel.h"

namespace gpuloom::ptx {

enum class AccessOp : uint8_t {
  kNone,
  kLoad,
  kStore,
  kAtomic,
  kReduce,
  kAsyncCopy,
  kMatrixLoad,
  kMatrixStore,
  kPrefetch
};

// Cache operators and eviction hints (PTX ISA 9.7.9.1, 9.7.9.2); kept apart from the op so that policies can
// use them.
enum class CacheOp : uint8_t { kDefault, kCa, kCg, kCs, kLu, kCv, kWb, kWt, kNonCoherent };

enum class Ordering : uint8_t { kWeak, kVolatile, kRelaxed, kAcquire, kRelease, kAcqRel, kMmio };
enum class Scope : uint8_t { kNone, kCta, kCluster, kGpu, kSys };

// One atomic operation on one location. Applied at issue, or by the memory partition in merge order
// (DESIGN.md section 3). `old` receives the previous value; `size` in bytes is the instruction's width.
// Pointers are to host memory of the location.
using AtomicFn = void (*)(void* location, const void* operand_b, const void* operand_c, void* old);

struct MemoryAccess {
  AccessOp op = AccessOp::kNone;
  Space space =
      Space::kGlobal;         // resolved: a generic access names the space that its first lane hit; see mixed
  bool mixed_spaces = false;  // a generic access whose lanes hit different spaces; space_of tells each
  bool uniform_address = false;
  uint8_t lane_bytes = 0;  // bytes a lane moves: 1 2 4 8 16 (32)
  CacheOp cache = CacheOp::kDefault;
  Ordering ordering = Ordering::kWeak;
  Scope scope = Scope::kNone;
  uint32_t lanes = 0;    // lanes that take part
  uint64_t address[32];  // global: device address; shared: offset in the CTA's window; local: byte offset in
                         // the lane's frame space
  Space space_of[32];    // valid only where mixed_spaces
  // kAsyncCopy: source address[] is global; destination offsets in shared memory.
  uint32_t shared_offset[32];
  uint8_t source_bytes = 0;  // kAsyncCopy: bytes read (the rest is zero-filled)
  // kMatrixLoad/kMatrixStore: address[] holds the row addresses, rows is 8, 16 or 32.
  uint8_t rows = 0;
};

// An atomic that takes effect at the memory partition: operands captured at issue.
struct DeferredAtomic {
  AtomicFn fn = nullptr;
  uint8_t size = 0;  // bytes of the location
  bool has_result = false;
  Place result;  // register row that receives the old value (first of `vec` rows for vector atomics)
  uint8_t vec = 1;
  uint8_t result_bytes = 0;  // width of a lane in the result row
  bool sign_extend = false;
  uint32_t lanes = 0;
  uint64_t address[32];
  alignas(16) uint8_t operand_b[32][16];
  alignas(16) uint8_t operand_c[32][16];
};

}  // namespace gpuloom::ptx
