// SPDX-License-Identifier: Apache-2.0
#include "ptx/exec/memory_path.h"

#include <string>

#include "ptx/exec/cta.h"
#include "ptx/exec/fault.h"

namespace gpuloom::ptx {
namespace {

const char* verb(AccessOp op) {
  switch (op) {
    case AccessOp::kStore:
    case AccessOp::kMatrixStore:
      return "writes";
    case AccessOp::kAtomic:
    case AccessOp::kReduce:
      return "updates";
    default:
      return "reads";
  }
}

[[noreturn]] void bad(Warp& w, const Instr& in, unsigned lane, FaultKind kind, Space space, uint64_t address,
                      uint64_t bytes, AccessOp op) {
  fault_address(w, in, lane, kind, verb(op), space, address, bytes);
}

// Addresses from rows of T, sums in T: nvcc lets 32-bit addresses go below 0 and come back by the offset. All
// arrays are 32 long; the compiler turns the loops into vector code.
template <class T>
Pattern from_rows(const T* base, int64_t offset, uint32_t lanes, uint32_t bytes, uint64_t* out) {
  const unsigned shift = static_cast<unsigned>(std::countr_zero(bytes));
  const T imm = static_cast<T>(offset);
  uint64_t apart = 0, ragged = 0;
  if (lanes == ~0u) {
    const uint64_t a0 = static_cast<T>(base[0] + imm);
    for (unsigned l = 0; l < 32; ++l) {
      const uint64_t a = static_cast<T>(base[l] + imm);
      out[l] = a;
      apart |= a ^ a0;
      ragged |= a ^ (a0 + (uint64_t(l) << shift));
    }
    return apart == 0 ? Pattern::kUniform : ragged == 0 ? Pattern::kConsecutive : Pattern::kScattered;
  }
  const uint64_t a0 = static_cast<T>(base[std::countr_zero(lanes)] + imm);
  for (unsigned l = 0; l < 32; ++l) {
    const uint64_t on = 0 - uint64_t(lanes >> l & 1);
    const uint64_t a = (static_cast<T>(base[l] + imm) & on) | (a0 & ~on);
    out[l] = a;
    apart |= a ^ a0;
  }
  return apart == 0 ? Pattern::kUniform : Pattern::kScattered;
}

[[gnu::noinline]] void refuse_misaligned(Warp& w, const Instr& in, uint32_t lanes, uint32_t bytes,
                                         Space space, AccessOp op) {
  const uint64_t* a = w.access.address;
  for_lanes(lanes, [&](unsigned l) {
    if (a[l] & (bytes - 1)) bad(w, in, l, FaultKind::kMisaligned, space, a[l], bytes, op);
  });
}

inline void check_alignment(Warp& w, const Instr& in, uint32_t lanes, uint32_t bytes, Space space,
                            Pattern pattern, AccessOp op) {
  const uint64_t* a = w.access.address;
  uint64_t low = a[0];
  if (pattern == Pattern::kScattered)
    for (unsigned l = 1; l < 32; ++l) low |= a[l];
  if ((low & (bytes - 1)) != 0) refuse_misaligned(w, in, lanes, bytes, space, op);
}

// Least and greatest address of the lanes (lanes that are off repeat an active one's).
inline void bounds(const Warp& w, Pattern pattern, uint64_t& least, uint64_t& greatest) {
  const uint64_t* a = w.access.address;
  if (pattern != Pattern::kScattered) {
    least = a[0];
    greatest = a[31];
    return;
  }
  uint64_t lo = a[0], hi = a[0];
  for (unsigned l = 1; l < 32; ++l) {
    lo = a[l] < lo ? a[l] : lo;
    hi = a[l] > hi ? a[l] : hi;
  }
  least = lo;
  greatest = hi;
}

Located in_global(Warp& w, const Instr& in, uint32_t lanes, uint32_t bytes, Pattern pattern, AccessOp op) {
  check_alignment(w, in, lanes, bytes, Space::kGlobal, pattern, op);
  uint64_t least, greatest;
  bounds(w, pattern, least, greatest);
  const auto inside = [&] { return least >= w.global_low && greatest + bytes <= w.global_high; };
  if (!inside()) {
    // Mostly all lanes lie in the allocation of the first.
    const auto first = static_cast<unsigned>(std::countr_zero(lanes));
    host_of(w, in, first, Space::kGlobal, w.access.address[first], bytes, op);
  }
  if (!inside()) {
    for_lanes(lanes, [&](unsigned l) {
      const uint64_t a = w.access.address[l];
      if (a >= w.global_low && a + bytes <= w.global_high) return;
      host_of(w, in, l, Space::kGlobal, a, bytes, op);
    });
  }
  return {w.global_base, pattern, true};
}

// A space that is one array on the host.
Located in_array(Warp& w, const Instr& in, uint32_t lanes, uint32_t bytes, Pattern pattern, AccessOp op,
                 Space space, const uint8_t* base, uint64_t size) {
  check_alignment(w, in, lanes, bytes, space, pattern, op);
  uint64_t least, greatest;
  bounds(w, pattern, least, greatest);
  if (greatest + bytes > size || greatest + bytes < greatest)
    for_lanes(lanes, [&](unsigned l) {
      const uint64_t a = w.access.address[l];
      if (a + bytes > size || a + bytes < a) bad(w, in, l, FaultKind::kOutOfBounds, space, a, bytes, op);
    });
  return {reinterpret_cast<uintptr_t>(base), pattern, true};
}

// Shared addresses with a rank in them, or generic ones of several spaces: lane by lane.
Located in_mixed(Warp& w, const Instr& in, uint32_t lanes, uint32_t bytes, AccessOp op) {
  for_lanes(lanes, [&](unsigned l) {
    host_of(w, in, l, w.access.space_of[l], w.access.address[l], bytes, op);
    if (w.access.address[l] & (bytes - 1))
      bad(w, in, l, FaultKind::kMisaligned, w.access.space_of[l], w.access.address[l], bytes, op);
  });
  return {0, Pattern::kScattered, false};
}

Located in_shared(Warp& w, const Instr& in, uint32_t lanes, uint32_t bytes, Pattern pattern, AccessOp op) {
  uint64_t* a = w.access.address;
  uint64_t top = 0;
  for (unsigned l = 0; l < 32; ++l) top |= a[l];
  if (top >> kSharedRankShift == 0)
    return in_array(w, in, lanes, bytes, pattern, op, Space::kShared, w.shared, w.shared_bytes);
  // Some lane names a rank; where it is always its own, this is an ordinary access.
  const uint64_t own = uint64_t(w.cta->cluster_rank) + 1;
  bool foreign = false;
  for_lanes(lanes, [&](unsigned l) {
    const uint64_t rank = a[l] >> kSharedRankShift;
    foreign = foreign || (rank != 0 && rank != own);
  });
  constexpr uint64_t kOffset = (1u << kSharedRankShift) - 1;
  if (!foreign) {
    for (unsigned l = 0; l < 32; ++l) a[l] &= kOffset;
    return in_array(w, in, lanes, bytes, pattern, op, Space::kShared, w.shared, w.shared_bytes);
  }
  w.access.space = Space::kSharedCluster;
  for (unsigned l = 0; l < 32; ++l) w.access.space_of[l] = Space::kSharedCluster;
  w.access.mixed_spaces = true;
  Located where = in_mixed(w, in, lanes, bytes, op);
  w.access.mixed_spaces = false;
  return where;
}

Located in_local(Warp& w, const Instr& in, uint32_t lanes, uint32_t bytes, Pattern pattern, AccessOp op) {
  Located where = in_array(w, in, lanes, bytes, pattern, op, Space::kLocal, w.local, w.local_bytes);
  where.linear = false;
  return where;
}

Located in_space(Warp& w, const Instr& in, Space space, uint32_t lanes, uint32_t bytes, Pattern pattern,
                 AccessOp op);

Located in_generic(Warp& w, const Instr& in, uint32_t lanes, uint32_t bytes, Pattern pattern, AccessOp op) {
  uint64_t* a = w.access.address;
  uint64_t least, greatest;
  bounds(w, pattern, least, greatest);
  if (least >= kGlobalBase) {
    w.access.space = Space::kGlobal;
    return in_global(w, in, lanes, bytes, pattern, op);
  }
  const unsigned first = static_cast<unsigned>(std::countr_zero(lanes));
  uint64_t probe = a[first];
  const Space space = space_of_generic(probe);
  const uint64_t window = a[first] - probe;
  bool mixed = false;
  for_lanes(lanes, [&](unsigned l) {
    uint64_t address = a[l];
    w.access.space_of[l] = space_of_generic(address);
    mixed = mixed || w.access.space_of[l] != space;
  });
  w.access.space = space;
  if (!mixed) {
    for (unsigned l = 0; l < 32; ++l) a[l] -= window;
    return in_space(w, in, space, lanes, bytes, pattern, op);
  }
  for_lanes(lanes, [&](unsigned l) { space_of_generic(a[l]); });
  w.access.mixed_spaces = true;
  return in_mixed(w, in, lanes, bytes, op);
}

void refuse_write(Warp& w, const Instr& in, uint32_t lanes, uint32_t bytes, AccessOp op, Space space) {
  if (op == AccessOp::kLoad || op == AccessOp::kPrefetch) return;
  const unsigned l = static_cast<unsigned>(std::countr_zero(lanes));
  bad(w, in, l, FaultKind::kReadOnly, space, w.access.address[l], bytes, op);
}

Located in_space(Warp& w, const Instr& in, Space space, uint32_t lanes, uint32_t bytes, Pattern pattern,
                 AccessOp op) {
  switch (space) {
    case Space::kGlobal:
      return in_global(w, in, lanes, bytes, pattern, op);
    case Space::kShared:
    case Space::kSharedCluster:
      return in_shared(w, in, lanes, bytes, pattern, op);
    case Space::kLocal:
    case Space::kParamFunction:
      return in_local(w, in, lanes, bytes, pattern, op);
    case Space::kConst:
      refuse_write(w, in, lanes, bytes, op, space);
      return in_array(w, in, lanes, bytes, pattern, op, space, w.launch->const_bank, w.launch->const_bytes);
    case Space::kParam:
      refuse_write(w, in, lanes, bytes, op, space);
      return in_array(w, in, lanes, bytes, pattern, op, space, w.launch->params.data(),
                      w.launch->params.size());
    default:
      return in_generic(w, in, lanes, bytes, pattern, op);
  }
}

// CUDA C++ guide, distributed shared memory: the block must still run. The H200 stops the kernel (error 719)
// for loads, stores, atomics, arrivals and copies alike (bench/silicon/probes/warpgroups). Whether the block
// still ran is a question of time, so without time its memory stays until the cluster has ended, and the
// launch remarks on it. With time an arrival at an mbarrier, which nobody waits for any more, is remarked
// upon too: kernels arrive in their last cycles, and the model's error must not end them.
void in_ended_block(Warp& w, const Instr& in, unsigned lane, unsigned rank, Space space, uint64_t address,
                    uint64_t bytes, AccessOp op) {
  const std::string what =
      "names a block of its cluster that has ended (rank " + std::to_string(rank) + ") when it " + verb(op);
  if (!w.launch->timeless && in.kind != InstrKind::kMbarrier)
    fault_address(w, in, lane, FaultKind::kWrongSpace, what, space, address, bytes);
  if (w.launch->remarks == nullptr) return;
  const auto pc = static_cast<uint32_t>(&in - w.code);
  w.launch->remarks->reached_ended_block(place_name(*w.program, pc) + ": " + thread_name(w, lane) + " " +
                                         what + " " + std::to_string(bytes) + " bytes");
}

}  // namespace

Space space_of_generic(uint64_t& address) {
  if (address >= kGlobalBase) return Space::kGlobal;
  const auto within = [&](uint64_t base, uint64_t size) {
    if (address - base >= size) return false;
    address -= base;
    return true;
  };
  if (within(kSharedWindowBase, kSharedWindowSize)) return Space::kShared;
  if (within(kLocalWindowBase, kLocalWindowSize)) return Space::kLocal;
  if (within(kConstWindowBase, kConstWindowSize)) return Space::kConst;
  if (within(kParamWindowBase, kParamWindowSize)) return Space::kParam;
  return Space::kGlobal;  // in no window: no allocation will hold it
}

uint8_t* host_of(Warp& w, const Instr& in, unsigned lane, Space space, uint64_t address, uint64_t bytes,
                 AccessOp op) {
  const auto check = [&](uint64_t offset, uint64_t size) {
    if (offset + bytes > size || offset + bytes < offset)
      bad(w, in, lane, FaultKind::kOutOfBounds, space, address, bytes, op);
  };
  switch (space) {
    case Space::kShared:
    case Space::kSharedCluster: {
      const uint64_t rank = address >> kSharedRankShift;
      const uint64_t offset = address & ((1u << kSharedRankShift) - 1);
      Cta* cta = w.cta;
      if (rank != 0) {
        const auto& all = w.cta->cluster->ctas;
        constexpr uint64_t kMostBlocks = 16;  // of a cluster: beyond it the address is not any block's
        if (rank > kMostBlocks) bad(w, in, lane, FaultKind::kOutOfBounds, Space::kShared, address, bytes, op);
        if (rank > all.size() || all[rank - 1] == nullptr)
          fault_address(w, in, lane, FaultKind::kWrongSpace,
                        "names a block that its cluster does not have (rank " + std::to_string(rank - 1) +
                            ") when it " + verb(op),
                        space, address, bytes);
        cta = all[rank - 1];
        if (cta != w.cta && cta->live_warps == 0)
          in_ended_block(w, in, lane, static_cast<unsigned>(rank - 1), space, address, bytes, op);
      }
      check(offset, cta->shared.size());
      return cta->shared.data() + offset;
    }
    case Space::kConst: {
      check(address, w.launch->const_bytes);
      return const_cast<uint8_t*>(w.launch->const_bank) + address;
    }
    case Space::kParam: {
      check(address, w.launch->params.size());
      return w.launch->params.data() + address;
    }
    case Space::kLocal:
    case Space::kParamFunction: {
      check(address, w.local_bytes);
      return w.local + ((address >> 2) * 32 + lane) * 4 + (address & 3);
    }
    default:
      break;
  }
  uint64_t low = 0, high = 0;
  if (w.launch->memory == nullptr || !w.launch->memory->locate(address, bytes, low, high)) {
    const FaultKind kind = w.launch->memory ? w.launch->memory->fault_kind(address) : FaultKind::kOutOfBounds;
    bad(w, in, lane, kind, Space::kGlobal, address, bytes, op);
  }
  w.global_low = low;
  w.global_high = high;
  return reinterpret_cast<uint8_t*>(w.global_base + address);
}

Pattern lane_addresses(Warp& w, const Instr& in, Place base, uint32_t lanes, uint32_t bytes) {
  const unsigned width = in.target & 3;
  uint64_t* a = w.access.address;
  if (width == 2) return from_rows(source<uint64_t>(w, base), in.imm, lanes, bytes, a);
  if (width == 1) return from_rows(source<uint32_t>(w, base), in.imm, lanes, bytes, a);
  for (unsigned l = 0; l < 32; ++l) a[l] = static_cast<uint64_t>(in.imm);
  return Pattern::kUniform;
}

Located locate_in(Warp& w, const Instr& in, Place base, Space space, uint32_t lanes, uint32_t bytes,
                  AccessOp op) {
  MemoryAccess& access = w.access;
  const MemoryFlags flags = MemoryFlags::unpack(in.target);
  access.op = op;
  access.space = space;
  access.mixed_spaces = access.sums = false;
  access.lane_bytes = static_cast<uint8_t>(bytes);
  access.cache = flags.cache;
  access.ordering = flags.ordering;
  access.scope = flags.scope;
  access.l1_eviction = flags.l1_eviction;
  access.l2_eviction = flags.l2_eviction;
  access.l2_prefetch = flags.l2_prefetch;
  access.lanes = lanes;
  access.pieces = 1;
  const Pattern pattern = lane_addresses(w, in, base, lanes, bytes);
  access.uniform_address = pattern == Pattern::kUniform;
  if (flags.ordering != Ordering::kWeak) w.simt.polled = true;
  if (space == Space::kParamFunction)
    for (unsigned l = 0; l < 32; ++l) access.address[l] += w.local_frame;
  return in_space(w, in, space, lanes, bytes, pattern, op);
}

Located locate(Warp& w, const Instr& in, Place base, uint32_t lanes, uint32_t bytes, AccessOp op) {
  return locate_in(w, in, base, in.space, lanes, bytes, op);
}

uint8_t* lane_pointer(Warp& w, unsigned lane, uint32_t at) {
  const MemoryAccess& access = w.access;
  const Space space = access.mixed_spaces ? access.space_of[lane] : access.space;
  const uint64_t address = access.address[lane] + at;
  switch (space) {
    case Space::kLocal:
    case Space::kParamFunction:
      return w.local + ((address >> 2) * 32 + lane) * 4 + (address & 3);
    case Space::kShared:
      return w.shared + (address & ((1u << kSharedRankShift) - 1));
    case Space::kSharedCluster: {
      const uint64_t rank = address >> kSharedRankShift;
      Cta& cta = rank == 0 ? *w.cta : *w.cta->cluster->ctas[rank - 1];
      return cta.shared.data() + (address & ((1u << kSharedRankShift) - 1));
    }
    case Space::kConst:
      return const_cast<uint8_t*>(w.launch->const_bank) + address;
    case Space::kParam:
      return w.launch->params.data() + address;
    default:
      return reinterpret_cast<uint8_t*>(w.global_base + address);
  }
}

void read_lane(Warp& w, unsigned lane, void* to, uint32_t bytes) {
  for (uint32_t at = 0; at < bytes; at += 4)
    std::memcpy(static_cast<uint8_t*>(to) + at, lane_pointer(w, lane, at), bytes - at < 4 ? bytes - at : 4);
}

void write_lane(Warp& w, unsigned lane, const void* from, uint32_t bytes) {
  for (uint32_t at = 0; at < bytes; at += 4)
    std::memcpy(lane_pointer(w, lane, at), static_cast<const uint8_t*>(from) + at,
                bytes - at < 4 ? bytes - at : 4);
}

uint32_t global_lanes(const Warp& w) {
  const MemoryAccess& access = w.access;
  if (!access.mixed_spaces) return access.space == Space::kGlobal ? access.lanes : 0;
  uint32_t lanes = 0;
  for_lanes(access.lanes, [&](unsigned l) {
    if (access.space_of[l] == Space::kGlobal) lanes |= 1u << l;
  });
  return lanes;
}

}  // namespace gpuloom::ptx
