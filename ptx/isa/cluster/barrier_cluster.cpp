// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.13.3 barrier.cluster
//
//   barrier.cluster.arrive{.sem}{.aligned};    .sem = { .release, .relaxed }
//   barrier.cluster.wait{.acquire}{.aligned};
#include "ptx/exec/cta.h"
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {
namespace {

void arrive(Warp& w, const Instr& in, uint32_t lanes) { cluster_arrive(w, in, lanes); }
void wait(Warp& w, const Instr& in, uint32_t lanes) { cluster_wait(w, in, lanes); }

// Instr::aux: 0 arrive, 1 wait.
void encode_wait(const FormUse&, Instr& in) { in.aux = 1; }

FormBuilder common(FormBuilder form) {
  return form.kind(InstrKind::kClusterBarrier).op(OpClass::ucgabar).since("7.8").needs("sm_90");
}

}  // namespace

void register_cluster_barrier_cluster(IsaBuilder& isa) {
  isa.instruction("barrier.cluster", "9.7.13.3", "Barrier synchronization of a cluster.");
  common(isa.form("barrier.cluster.arrive{.sem}{.aligned}"))
      .set(".sem", ".release@8.0 .relaxed@8.0")
      .meaning(arrive);
  common(isa.form("barrier.cluster.wait{.acquire}{.aligned}")).encode(encode_wait).meaning(wait);
}

}  // namespace gpuloom::ptx
