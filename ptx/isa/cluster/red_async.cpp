// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.13.7 red.async
//
//   red.async.sem.scope{.ss}.completion_mechanism.op.type  [a], b, [mbar];
//   red.async{.mmio}.release.scope{.ss}.add.type            [a], b;        (sm_100)
//
//   .sem = { .relaxed }, .scope = { .cluster }, .ss = { .shared::cluster }
//   .op = { .inc, .dec, .min, .max, .and, .or, .xor, .add }, .type = { .u32, .s32, .b32, .u64 }
//
// Instr::extra: index of the operation (exec/atomic_ops.h); aux: the row of the mbarrier is 32 bits wide.
#include <string>

#include "ptx/exec/async_copy.h"
#include "ptx/exec/atomic_ops.h"
#include "ptx/exec/memory_flags.h"
#include "ptx/isa/atomic/atomic_lanes.h"
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {
namespace {

void red_async(Warp& w, const Instr& in, uint32_t lanes) {
  const AtomicEntry& entry = atomic_entry(static_cast<uint8_t>(in.extra));
  locate(w, in, in.ops[0], lanes, entry.element_bytes, AccessOp::kReduce);
  need_cluster(w, in, lanes);
  const bool generic = in.space == Space::kGeneric;
  for_lanes(lanes, [&](unsigned l) {
    AsyncOperation op;
    op.kind = AsyncKind::kReduce;
    op.lane = static_cast<uint8_t>(l);
    op.target_space = Space::kSharedCluster;
    op.target = w.access.address[l];
    op.bytes = entry.element_bytes;
    op.fn = entry.fn;
    op.element_bytes = static_cast<uint8_t>(entry.element_bytes);
    op.has_mbarrier = true;
    op.mbarrier = shared_address(w, in, l, generic, row_address(w, in.ops[2], in.aux ? 32 : 64, l));
    std::memcpy(op.value, source<uint8_t>(w, in.ops[1]) + l * entry.element_bytes, entry.element_bytes);
    issue_async(w, in, op);
  });
}

std::string_view op_word(const FormUse& use) { return use.mod(".op").substr(1); }

void encode(const FormUse& use, Instr& in) {
  in.target = memory_flags(use, 0).pack();
  in.extra = atomic_index(op_word(use), use.type());
  in.aux = address_bits(use, 2) == 32;
}
std::string check(const FormUse& use) {
  if (atomic_index(op_word(use), use.type()) != UINT8_MAX) return {};
  return "there is no asynchronous reduction " + std::string(op_word(use)) + " of ." +
         std::string(info(use.type()).name);
}

// The form in global memory is a release reduction; see st_async.cpp.
void encode_global(const FormUse& use, Instr& in) {
  in.aux = atomic_index("add", bits(use.type()) == 64 ? Type::kU64 : use.type());
  in.target = memory_flags(use, 0).pack();
}

}  // namespace

void register_cluster_red_async(IsaBuilder& isa) {
  isa.instruction("red.async", "9.7.13.7", "Asynchronous reduction in a block of the cluster.");
  isa.form("red.async.relaxed.cluster{.ss}.mbarrier::complete_tx::bytes.op.type [a], b, [mbar]")
      .set(".ss", ".shared::cluster")
      .set(".op", ".inc .dec .min .max .and .or .xor .add")
      .set(".type", ".u32 .s32 .b32 .u64")
      .kind(InstrKind::kAsyncCopy)
      .op(OpClass::atoms)
      .check(check)
      .encode(encode)
      .meaning(red_async)
      .since("8.1")
      .needs("sm_90");
  isa.form("red.async{.mmio}.release.scope{.ss}.add.type [a], b")
      .set(".scope", ".gpu .sys")
      .set(".ss", ".global")
      .set(".type", ".u32 .s32 .u64 .s64")
      .kind(InstrKind::kAtomic)
      .op(OpClass::red)
      .encode(encode_global)
      .meaning(atomic_lanes<kRedShape>)
      .since("8.7")
      .needs("sm_100");
}

}  // namespace gpuloom::ptx
