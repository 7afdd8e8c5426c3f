// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.9.25.3 cp.async and its groups
//
//   cp.async.ca.shared{::cta}.global{.level::cache_hint}{.level::prefetch_size}
//       [dst], [src], cp-size{, src-size}{, cache-policy};        cp-size = { 4, 8, 16 }
//   cp.async.cg.shared{::cta}.global{...}  [dst], [src], 16{, src-size}{, cache-policy};
//   cp.async...  [dst], [src], cp-size{, ignore-src}{, cache-policy};
//   cp.async.commit_group;
//   cp.async.wait_group n;
//   cp.async.wait_all;
//   cp.async.mbarrier.arrive{.noinc}{.shared{::cta}}.b64  [addr];     9.7.13.16.15
//
// Waits: Instr::imm is the number of groups that may stay open; aux 0 wait_group, 2 wait_all.
#include <string>

#include "ptx/exec/async_copy.h"
#include "ptx/exec/fault.h"
#include "ptx/exec/mbarrier.h"
#include "ptx/exec/memory_flags.h"
#include "ptx/isa/memory/memory_sets.h"

namespace gpuloom::ptx {
namespace {

enum class Amount : uint8_t { kAll, kSize, kIgnore };  // what operand 3 says

// ops: dst, src, (size), src-size or ignore-src, policy. Instr::aux: cp-size; the source's row is 64 bits.
template <Amount A>
void cp_async(Warp& w, const Instr& in, uint32_t lanes) {
  const uint32_t size = in.aux;
  MemoryAccess& access = w.access;
  locate_in(w, in, in.ops[0], Space::kShared, lanes, size, AccessOp::kStore);
  for_lanes(lanes, [&](unsigned l) { access.shared_offset[l] = static_cast<uint32_t>(access.address[l]); });
  access.op = AccessOp::kAsyncCopy;
  access.space = Space::kGlobal;
  if (in.ops[4].present()) access.policy = source<uint64_t>(w, in.ops[4])[std::countr_zero(lanes)];
  const uint64_t* from = source<uint64_t>(w, in.ops[1]);
  const uint32_t ignored = A == Amount::kIgnore ? predicate(w, in.ops[3]) : 0;
  for_lanes(lanes, [&](unsigned l) {
    AsyncOperation op;
    op.kind = AsyncKind::kCopy;
    op.lane = static_cast<uint8_t>(l);
    op.source = from[l];
    op.target = access.shared_offset[l];
    op.bytes = op.source_bytes = size;
    if (A == Amount::kSize) op.source_bytes = source<uint32_t>(w, in.ops[3])[l];
    if (ignored >> l & 1) op.source_bytes = 0;
    if (op.source_bytes > size)
      fault(w, in, l, FaultKind::kIllegal,
            "copies " + std::to_string(op.source_bytes) + " bytes where cp-size is " + std::to_string(size));
    // Where nothing is read the address may be anything (H200: probes/warpgroups, zfill).
    if (op.source_bytes != 0 && op.source % size != 0)
      fault_address(w, in, l, FaultKind::kMisaligned, "copies", Space::kGlobal, op.source, size);
    access.address[l] = op.source;
    access.source_bytes[l] = static_cast<uint8_t>(op.source_bytes);
    issue_async(w, in, op);
  });
}

LaneFn pick(const FormUse& use) {
  if (use.form().operands[3].type == Type::kPred) return cp_async<Amount::kIgnore>;
  return use.operand(3).kind == OperandKind::kNone ? cp_async<Amount::kAll> : cp_async<Amount::kSize>;
}

void encode(const FormUse& use, Instr& in) {
  MemoryFlags flags = memory_flags(use, 0);
  flags.cache = use.has(".cg") ? CacheOp::kCg : CacheOp::kCa;  // .cg goes past L1
  in.target = flags.pack();
  in.aux = static_cast<uint8_t>(use.operand(2).value);
  in.space = Space::kShared;
}

std::string check(const FormUse& use) {
  const int64_t size = use.operand(2).value;
  const Operand& source = use.operand(3);
  if (source.kind == OperandKind::kImmediate && (source.value < 0 || source.value > size))
    return "the source size is 0 to " + std::to_string(size) + ", the size of the copy";
  if (size == 16 || (use.has(".ca") && (size == 4 || size == 8))) return {};
  return use.has(".cg") ? "cp.async.cg copies 16 bytes" : "cp.async.ca copies 4, 8 or 16 bytes";
}

void nothing(Warp&, const Instr&, uint32_t) {}
void encode_group(const FormUse& use, Instr& in) { in.imm = use.operand(0).value; }
void encode_all(const FormUse&, Instr& in) { in.aux = 2; }

// ops: mbarrier.
void arrive_on_copies(Warp& w, const Instr& in, uint32_t lanes) {
  lane_addresses(w, in, in.ops[0], lanes, 8);
  const bool noinc = MemoryFlags::unpack(in.target).noinc;
  for_lanes(lanes, [&](unsigned l) {
    AsyncOperation op;
    op.kind = AsyncKind::kArriveOnCopies;
    op.lane = static_cast<uint8_t>(l);
    op.noinc = noinc;
    op.mbarrier = shared_address(w, in, l, in.space == Space::kGeneric, w.access.address[l]);
    op.has_mbarrier = true;
    const MbarrierPlace m = mbarrier_at(w, in, l, op.mbarrier, true);
    if (!noinc) mbarrier_add_pending(w, in, l, m);
    issue_async(w, in, op);
  });
}
void encode_arrive(const FormUse& use, Instr& in) { in.target = memory_flags(use, 0).pack(); }

void declare_copy(IsaBuilder& isa, const std::string& operands) {
  for (const char* level : {".ca", ".cg"})
    isa.form("cp.async" + std::string(level) +
             ".ss.global{.level::cache_hint}{.level::prefetch_size} [dst], [src], #size" + operands)
        .set(".ss", ".shared .shared::cta@7.8")
        .set(".level::cache_hint", kCacheHint)
        .set(".level::prefetch_size", kPrefetchSize)
        .kind(InstrKind::kAsyncCopy)
        .op(OpClass::ldgsts)
        .check(check)
        .encode(encode)
        .meaning(pick)
        .since("7.0")
        .needs("sm_80");
}

}  // namespace

void register_async_cp_async(IsaBuilder& isa) {
  isa.instruction("cp.async", "9.7.9.25.3", "Asynchronous copy from global to shared memory.");
  declare_copy(isa, "{, src_size:u32}{, c:b64}");
  declare_copy(isa, "{, ignore:pred}{, c:b64}");
  isa.form("cp.async.commit_group")
      .kind(InstrKind::kAsyncCommit)
      .op(OpClass::ldgdepbar)
      .meaning(nothing)
      .since("7.0")
      .needs("sm_80");
  isa.form("cp.async.wait_group #n")
      .kind(InstrKind::kAsyncWait)
      .op(OpClass::depbar)
      .encode(encode_group)
      .meaning(nothing)
      .since("7.0")
      .needs("sm_80");
  isa.form("cp.async.wait_all")
      .kind(InstrKind::kAsyncWait)
      .op(OpClass::depbar)
      .encode(encode_all)
      .meaning(nothing)
      .since("7.0")
      .needs("sm_80");
  isa.form("cp.async.mbarrier.arrive{.noinc}{.ss}.b64 [a]")
      .set(".ss", ".shared .shared::cta@7.8")
      .kind(InstrKind::kMbarrier)
      .op(OpClass::syncs)
      .encode(encode_arrive)
      .meaning(arrive_on_copies)
      .since("7.0")
      .needs("sm_80");
}

}  // namespace gpuloom::ptx
