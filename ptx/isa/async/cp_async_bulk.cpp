// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.9.25.4 cp.async.bulk and its groups
//
//   cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes{.level::cache_hint}
//       [dst], [src], size, [mbar]{, cache-policy};
//   cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes{.multicast::cluster}{.level::cache_hint}
//       [dst], [src], size, [mbar]{, ctaMask}{, cache-policy};
//   cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes  [dst], [src], size, [mbar];
//   cp.async.bulk.global.shared::cta.bulk_group{.level::cache_hint}{.cp_mask}
//       [dst], [src], size{, cache-policy}{, byteMask};
//   cp.async.bulk.prefetch.L2.global{.level::cache_hint}  [src], size{, cache-policy};
//   cp.async.bulk.commit_group;
//   cp.async.bulk.wait_group{.read} n;
//
// Instr::aux: bit 0 the row of the source is 32 bits wide, bit 1 that of the mbarrier. Waits: Instr::imm is
// the number of groups that may stay open; aux bit 0 .read, bit 2 bulk.
#include "ptx/exec/async_copy.h"
#include "ptx/exec/memory_flags.h"
#include "ptx/isa/memory/memory_sets.h"

namespace gpuloom::ptx {
namespace {

// Which places an instruction's operands have; -1: it has no such operand.
struct Shape {
  Space target, source;
  int8_t mbarrier, multicast, policy, byte_mask;
};
constexpr Shape kGlobalToShared{Space::kShared, Space::kGlobal, 3, -1, 4, -1};
constexpr Shape kGlobalToCluster{Space::kSharedCluster, Space::kGlobal, 3, -1, 4, -1};
constexpr Shape kMulticast{Space::kSharedCluster, Space::kGlobal, 3, 4, 5, -1};
constexpr Shape kSharedToCluster{Space::kSharedCluster, Space::kShared, 3, -1, -1, -1};
constexpr Shape kSharedToGlobal{Space::kGlobal, Space::kShared, -1, -1, 3, -1};
constexpr Shape kMaskedToGlobal{Space::kGlobal, Space::kShared, -1, -1, 3, 4};

// For the timing model: what the copy reads, by lane.
void note_access(Warp& w, uint32_t lanes) {
  w.access.op = AccessOp::kAsyncCopy;
  w.access.lanes = lanes;
  w.access.lane_bytes = 16;
  w.access.mixed_spaces = false;
}

template <const Shape& S>
void bulk_copy(Warp& w, const Instr& in, uint32_t lanes) {
  lane_addresses(w, in, in.ops[0], lanes, 16);
  note_access(w, lanes);
  w.access.space = Space::kGlobal;
  const uint32_t* size = source<uint32_t>(w, in.ops[2]);
  for_lanes(lanes, [&](unsigned l) {
    AsyncOperation op;
    op.kind = AsyncKind::kBulkCopy;
    op.lane = static_cast<uint8_t>(l);
    op.target_space = S.target;
    op.source_space = S.source;
    op.target = w.access.address[l];
    op.source = row_address(w, in.ops[1], in.aux & 1 ? 32 : 64, l);
    op.bytes = op.source_bytes = size[l];
    op.bulk_group = S.mbarrier < 0;
    if (S.mbarrier >= 0) {
      op.has_mbarrier = true;
      op.mbarrier = row_address(w, in.ops[S.mbarrier], in.aux & 2 ? 32 : 64, l);
    }
    if (S.multicast >= 0) op.multicast = source<uint16_t>(w, in.ops[S.multicast])[l];
    if (S.policy >= 0 && in.ops[S.policy].present()) {
      op.has_policy = true;
      op.policy = source<uint64_t>(w, in.ops[S.policy])[l];
    }
    if (S.byte_mask >= 0) op.byte_mask = source<uint16_t>(w, in.ops[S.byte_mask])[l];
    check_bulk(w, in, op);
    issue_async(w, in, op);
  });
}

void bulk_prefetch(Warp& w, const Instr& in, uint32_t lanes) {
  lane_addresses(w, in, in.ops[0], lanes, 16);
  note_access(w, lanes);
  w.access.space = Space::kGlobal;
  const uint32_t* size = source<uint32_t>(w, in.ops[1]);
  for_lanes(lanes, [&](unsigned l) {
    AsyncOperation op;
    op.kind = AsyncKind::kBulkPrefetch;
    op.lane = static_cast<uint8_t>(l);
    op.source = w.access.address[l];
    op.bytes = op.source_bytes = size[l];
    if (in.ops[2].present()) {
      op.has_policy = true;
      op.policy = source<uint64_t>(w, in.ops[2])[l];
    }
    check_bulk(w, in, op);
    issue_async(w, in, op);
  });
}

void encode(const FormUse& use, Instr& in) {
  in.target = memory_flags(use, 0).pack();
  in.aux = static_cast<uint8_t>((address_bits(use, 1) == 32 ? 1 : 0) | (address_bits(use, 3) == 32 ? 2 : 0));
}
void encode_prefetch(const FormUse& use, Instr& in) { in.target = memory_flags(use, 0).pack(); }

void nothing(Warp&, const Instr&, uint32_t) {}
void encode_wait(const FormUse& use, Instr& in) {
  in.imm = use.operand(0).value;
  in.aux = static_cast<uint8_t>(4 | (use.has(".read") ? 1 : 0));
}

FormBuilder common(FormBuilder form) {
  return form.kind(InstrKind::kAsyncCopy).op(OpClass::ublkcp).encode(encode).since("8.0").needs("sm_90");
}
FormBuilder hinted(FormBuilder form) { return common(form).set(".level::cache_hint", kCacheHint); }

}  // namespace

#define MBAR ".mbarrier::complete_tx::bytes"
#define HINT "{.level::cache_hint}"

void register_async_cp_async_bulk(IsaBuilder& isa) {
  isa.instruction("cp.async.bulk", "9.7.9.25.4", "Asynchronous copy of a block of bytes.");
  hinted(isa.form("cp.async.bulk.shared::cta.global" MBAR HINT " [dst], [src], size:u32, [mbar]{, c:b64}"))
      .meaning(bulk_copy<kGlobalToShared>)
      .since("8.6");
  hinted(
      isa.form("cp.async.bulk.shared::cluster.global" MBAR HINT " [dst], [src], size:u32, [mbar]{, c:b64}"))
      .meaning(bulk_copy<kGlobalToCluster>);
  hinted(isa.form("cp.async.bulk.shared::cluster.global" MBAR ".multicast::cluster" HINT
                  " [dst], [src], size:u32, [mbar], mask:b16{, c:b64}"))
      .meaning(bulk_copy<kMulticast>);
  common(isa.form("cp.async.bulk.shared::cluster.shared::cta" MBAR " [dst], [src], size:u32, [mbar]"))
      .meaning(bulk_copy<kSharedToCluster>);
  hinted(isa.form("cp.async.bulk.global.shared::cta.bulk_group" HINT " [dst], [src], size:u32{, c:b64}"))
      .meaning(bulk_copy<kSharedToGlobal>);
  hinted(isa.form("cp.async.bulk.global.shared::cta.bulk_group" HINT
                  ".cp_mask [dst], [src], size:u32{, c:b64}, mask:b16"))
      .meaning(bulk_copy<kMaskedToGlobal>)
      .since("8.6")
      .needs("sm_100");
  isa.form("cp.async.bulk.prefetch.L2.global" HINT " [src], size:u32{, c:b64}")
      .set(".level::cache_hint", kCacheHint)
      .kind(InstrKind::kAsyncCopy)
      .op(OpClass::ublkpf)
      .encode(encode_prefetch)
      .meaning(bulk_prefetch)
      .since("8.0")
      .needs("sm_90");
  isa.form("cp.async.bulk.commit_group")
      .kind(InstrKind::kAsyncCommit)
      .op(OpClass::utmacmdflush)
      .encode([](const FormUse&, Instr& in) { in.aux = 4; })
      .meaning(nothing)
      .since("8.0")
      .needs("sm_90");
  isa.form("cp.async.bulk.wait_group{.read} #n")
      .kind(InstrKind::kAsyncWait)
      .op(OpClass::utmacmdflush)
      .encode(encode_wait)
      .meaning(nothing)
      .since("8.0")
      .needs("sm_90");
}

}  // namespace gpuloom::ptx
