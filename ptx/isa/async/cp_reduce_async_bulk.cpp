// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.9.25.4.3 cp.reduce.async.bulk
//
//   cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.redOp.type
//       [dst], [src], size, [mbar];
//   cp.reduce.async.bulk.global.shared::cta.bulk_group{.level::cache_hint}.redOp.type
//       [dst], [src], size{, cache-policy};
//   cp.reduce.async.bulk.global.shared::cta.bulk_group{.level::cache_hint}.add.noftz.type  ...    .f16 .bf16
//
// Instr::extra: index of the operation (exec/atomic_ops.h); aux as in cp.async.bulk.
#include <string>

#include "ptx/exec/async_copy.h"
#include "ptx/exec/atomic_ops.h"
#include "ptx/exec/memory_flags.h"
#include "ptx/isa/memory/memory_sets.h"

namespace gpuloom::ptx {
namespace {

std::string_view op_word(const FormUse& use) { return use.mod(".redOp").substr(1); }

template <bool ToGlobal>
void bulk_reduce(Warp& w, const Instr& in, uint32_t lanes) {
  lane_addresses(w, in, in.ops[0], lanes, 16);
  w.access.op = AccessOp::kAsyncCopy;
  w.access.lanes = lanes;
  w.access.lane_bytes = 16;
  w.access.mixed_spaces = false;
  w.access.space = Space::kGlobal;
  const AtomicEntry& entry = atomic_entry(static_cast<uint8_t>(in.extra));
  const uint32_t* size = source<uint32_t>(w, in.ops[2]);
  for_lanes(lanes, [&](unsigned l) {
    AsyncOperation op;
    op.kind = AsyncKind::kBulkReduce;
    op.lane = static_cast<uint8_t>(l);
    op.target_space = ToGlobal ? Space::kGlobal : Space::kSharedCluster;
    op.source_space = Space::kShared;
    op.target = w.access.address[l];
    op.source = row_address(w, in.ops[1], in.aux & 1 ? 32 : 64, l);
    op.bytes = op.source_bytes = size[l];
    op.bulk_group = ToGlobal;
    op.fn = ToGlobal ? entry.global_fn : entry.fn;
    op.element_bytes = static_cast<uint8_t>(entry.element_bytes);
    if (!ToGlobal) {
      op.has_mbarrier = true;
      op.mbarrier = row_address(w, in.ops[3], in.aux & 2 ? 32 : 64, l);
    } else if (in.ops[3].present()) {
      op.has_policy = true;
      op.policy = source<uint64_t>(w, in.ops[3])[l];
    }
    check_bulk(w, in, op);
    issue_async(w, in, op);
  });
}

void encode(const FormUse& use, Instr& in) {
  in.target = memory_flags(use, 0).pack();
  in.aux = static_cast<uint8_t>((address_bits(use, 1) == 32 ? 1 : 0) | (address_bits(use, 3) == 32 ? 2 : 0));
  in.extra = atomic_index(op_word(use), use.type());
}

std::string check(const FormUse& use) {
  if (atomic_index(op_word(use), use.type()) != UINT8_MAX) return {};
  return "there is no bulk reduction " + std::string(op_word(use)) + " of ." +
         std::string(info(use.type()).name);
}

FormBuilder common(FormBuilder form) {
  return form.kind(InstrKind::kAsyncCopy)
      .op(OpClass::ublkred)
      .check(check)
      .encode(encode)
      .since("8.0")
      .needs("sm_90");
}

}  // namespace

void register_async_cp_reduce_async_bulk(IsaBuilder& isa) {
  isa.instruction("cp.reduce.async.bulk", "9.7.9.25.4.3", "Asynchronous reduction of a block of values.");
  common(isa.form("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.redOp.type "
                  "[dst], [src], size:u32, [mbar]"))
      .set(".redOp", ".and .or .xor .add .inc .dec .min .max")
      .set(".type", ".s32 .u32 .s64 .u64 .b32 .b64")
      .meaning(bulk_reduce<false>);
  common(isa.form("cp.reduce.async.bulk.global.shared::cta.bulk_group{.level::cache_hint}.redOp.type "
                  "[dst], [src], size:u32{, c:b64}"))
      .set(".level::cache_hint", kCacheHint)
      .set(".redOp", ".and .or .xor .add .inc .dec .min .max")
      .set(".type", ".f16 .bf16 .b32 .u32 .s32 .b64 .u64 .s64 .f32 .f64")
      .meaning(bulk_reduce<true>);
  common(isa.form("cp.reduce.async.bulk.global.shared::cta.bulk_group{.level::cache_hint}.redOp.noftz.type "
                  "[dst], [src], size:u32{, c:b64}"))
      .set(".level::cache_hint", kCacheHint)
      .set(".redOp", ".add")
      .set(".type", ".f16 .bf16")
      .meaning(bulk_reduce<true>);
}

}  // namespace gpuloom::ptx
