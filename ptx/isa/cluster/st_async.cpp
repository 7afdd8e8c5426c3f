// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.9.13 st.async
//
//   st.async{.weak}{.ss}{.completion_mechanism}{.vec}.type  [a], b, [mbar];
//   st.async{.mmio}.release.scope{.ss}.type                 [a], b;              (sm_100)
//
//   .ss = { .shared::cluster }, second form { .global }
//   .completion_mechanism = { .mbarrier::complete_tx::bytes }
//
// Instr::aux: the row of the mbarrier is 32 bits wide.
#include "ptx/exec/async_copy.h"
#include "ptx/exec/memory_flags.h"
#include "ptx/isa/memory/load_lanes.h"
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {
namespace {

template <class T>
void st_async(Warp& w, const Instr& in, uint32_t lanes) {
  const uint32_t bytes = sizeof(T) * in.vec;
  locate(w, in, in.ops[0], lanes, bytes, AccessOp::kStore);
  need_cluster(w, in, lanes);
  const bool generic = in.space == Space::kGeneric;
  for_lanes(lanes, [&](unsigned l) {
    AsyncOperation op;
    op.kind = AsyncKind::kStore;
    op.lane = static_cast<uint8_t>(l);
    op.target_space = Space::kSharedCluster;
    op.target = w.access.address[l];
    op.bytes = bytes;
    op.has_mbarrier = true;
    op.mbarrier = shared_address(w, in, l, generic, row_address(w, in.ops[2], in.aux ? 32 : 64, l));
    for (unsigned k = 0; k < in.vec; ++k)
      store_as(op.value + k * sizeof(T), source<T>(w, value_place(w, in, 1, k))[l]);
    issue_async(w, in, op);
  });
}

LaneFn pick(const FormUse& use) {
  return bits(use.type()) == 64 ? static_cast<LaneFn>(st_async<uint64_t>) : st_async<uint32_t>;
}
void encode(const FormUse& use, Instr& in) {
  in.target = memory_flags(use, 0).pack();
  in.aux = address_bits(use, 2) == 32;
}

// The form in global memory is done as a release store: a program cannot tell when it completes.
LaneFn pick_global(const FormUse& use) {
  return by_memory_type(use.type(), use.register_bits(1), []<class M, class R>(M, R) -> LaneFn {
    if constexpr (std::is_same_v<M, Wide>)
      return nullptr;
    else
      return store_lanes<std::make_unsigned_t<M>, R>;
  });
}
void encode_global(const FormUse& use, Instr& in) { encode_memory(use, in, 0); }

}  // namespace

void register_cluster_st_async(IsaBuilder& isa) {
  isa.instruction("st.async", "9.7.9.13", "Asynchronous store to a block of the cluster.");
  isa.form("st.async{.weak}{.ss}{.mbarrier::complete_tx::bytes}{.vec}.type [a], b*, [mbar]")
      .set(".ss", ".shared::cluster")
      .set(".vec", ".v2 .v4")
      .set(".type", ".b32 .b64 .u32 .u64 .s32 .s64 .f32 .f64")
      .kind(InstrKind::kAsyncCopy)
      .op(OpClass::sts)
      .encode(encode)
      .meaning(pick)
      .since("8.1")
      .needs("sm_90");
  isa.form("st.async{.mmio}.release.scope{.ss}.type [a], b")
      .set(".scope", ".gpu .sys")
      .set(".ss", ".global")
      .set(".type", ".b8 .b16 .b32 .b64 .u8 .u16 .u32 .u64 .s8 .s16 .s32 .s64 .f32 .f64")
      .relaxed()
      .kind(InstrKind::kStore)
      .op(OpClass::stg)
      .encode(encode_global)
      .meaning(pick_global)
      .since("8.7")
      .needs("sm_100");
}

}  // namespace gpuloom::ptx
