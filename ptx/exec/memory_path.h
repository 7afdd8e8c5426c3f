// SPDX-License-Identifier: Apache-2.0
// The core that all memory instructions share: addresses of the lanes, bounds and alignment checks, and where
// the bytes are on the host. Fills Warp::access.
//
// Instr::target of a memory instruction holds packed MemoryFlags (no memory instruction jumps).
#pragma once
#include <bit>
#include <cstring>

#include "ptx/exec/warp.h"

namespace gpuloom::ptx {

// What the modifiers of a memory instruction say.
struct MemoryFlags {
  uint8_t base_bits = 0;  // width of the rows of the address base: 0 (none), 32 or 64
  CacheOp cache = CacheOp::kDefault;
  Ordering ordering = Ordering::kWeak;
  Scope scope = Scope::kNone;
  Eviction l1_eviction = Eviction::kNormal, l2_eviction = Eviction::kNormal;
  uint16_t l2_prefetch = 0;  // 0, 64, 128, 256
  bool noinc = false;        // cp.async.mbarrier.arrive.noinc

  uint32_t pack() const {
    return base_bits / 32u | uint32_t(cache) << 2 | uint32_t(ordering) << 6 | uint32_t(scope) << 9 |
           uint32_t(l1_eviction) << 12 | uint32_t(l2_eviction) << 15 | uint32_t(l2_prefetch / 64u) << 18 |
           uint32_t(noinc) << 21;
  }
  static MemoryFlags unpack(uint32_t v) {
    MemoryFlags f;
    f.base_bits = static_cast<uint8_t>((v & 3) * 32);
    f.cache = static_cast<CacheOp>(v >> 2 & 15);
    f.ordering = static_cast<Ordering>(v >> 6 & 7);
    f.scope = static_cast<Scope>(v >> 9 & 7);
    f.l1_eviction = static_cast<Eviction>(v >> 12 & 7);
    f.l2_eviction = static_cast<Eviction>(v >> 15 & 7);
    f.l2_prefetch = static_cast<uint16_t>((v >> 18 & 7) * 64);
    f.noinc = v >> 21 & 1;
    return f;
  }
};
static_assert(sizeof(MemoryFlags) <= 12);

// How the addresses of the active lanes lie.
enum class Pattern : uint8_t { kScattered, kUniform, kConsecutive };

// Where the lanes' bytes are. `linear`: at base + access.address[lane]; otherwise lane by lane through
// lane_pointer (local memory beyond 4 bytes is not contiguous: see there).
struct Located {
  uintptr_t base = 0;
  Pattern pattern = Pattern::kScattered;
  bool linear = true;
};

// Addresses of all lanes for [base + in.imm] into access.address; lanes that are off get the first active
// lane's. `bytes` a lane moves decide what is consecutive.
Pattern lane_addresses(Warp& w, const Instr& in, Place base, uint32_t lanes, uint32_t bytes);

// Resolves and checks an access of `bytes` a lane at [base + in.imm] in in.space. Throws Fault.
Located locate(Warp& w, const Instr& in, Place base, uint32_t lanes, uint32_t bytes, AccessOp op);
// The same when the access takes no more than the space `space` (for example generic addresses that must be
// shared). Space::kGeneric: any.
Located locate_in(Warp& w, const Instr& in, Place base, Space space, uint32_t lanes, uint32_t bytes,
                  AccessOp op);

// Where lane `lane` finds byte `at` (counted from its address) of a located access; valid for the rest of the
// aligned 4-byte word.
uint8_t* lane_pointer(Warp& w, unsigned lane, uint32_t at);
// Copies a lane's `bytes` out of or into a located access that is not linear.
void read_lane(Warp& w, unsigned lane, void* to, uint32_t bytes);
void write_lane(Warp& w, unsigned lane, const void* from, uint32_t bytes);

// Host memory of [address, address + bytes) in a space, for one lane. Shared addresses may carry a rank.
// Throws Fault.
uint8_t* host_of(Warp& w, const Instr& in, unsigned lane, Space space, uint64_t address, uint64_t bytes,
                 AccessOp op);
// The space of a generic address, the address within it in `address`.
Space space_of_generic(uint64_t& address);

// Whether the located access takes effect at the memory partition instead of at issue (README.md, Time).
inline bool takes_effect_late(const Warp& w, const Instr& in) {
  if (w.deferred == nullptr) return false;
  const MemoryFlags f = MemoryFlags::unpack(in.target);
  return f.ordering != Ordering::kWeak && f.scope >= Scope::kGpu;
}
// The located access takes effect at issue. Where something that it touches is still on its way to the memory
// partition, it does not overtake that: the set waits (Wait::kMemory) and executes `in` again. True: so it
// is.
bool waits_for_late(Warp& w, const Instr& in, uint32_t lanes);
inline bool must_wait_for_late(Warp& w, const Instr& in, uint32_t lanes) {
  return w.late != nullptr && !w.late->empty() && waits_for_late(w, in, lanes);
}
// Lanes of the located access that are in global memory.
uint32_t global_lanes(const Warp& w);
// Operand size of DeferredAtomic.
constexpr unsigned kOperandBytes = 32;
// Captures an ordered load of in.vec elements of `memory_bytes` into rows of `row_bytes` at in.ops[0].
void capture_load(Warp& w, const Instr& in, uint32_t lanes, unsigned memory_bytes, unsigned row_bytes,
                  bool sign_extend);
// Captures an ordered store of `bytes` a lane; returns where lane 0's value goes, others kOperandBytes apart.
uint8_t* capture_store(Warp& w, uint32_t lanes, unsigned bytes);

template <class F>
inline void for_lanes(uint32_t lanes, F&& f) {
  for (; lanes; lanes &= lanes - 1) f(static_cast<unsigned>(std::countr_zero(lanes)));
}

template <class T>
inline T load_as(const void* p) {
  T v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
template <class T>
inline void store_as(void* p, T v) {
  std::memcpy(p, &v, sizeof v);
}

struct alignas(16) Wide {  // a .b128 value
  uint64_t low, high;
};

}  // namespace gpuloom::ptx
