// SPDX-License-Identifier: Apache-2.0
// A barrier of the cluster: a fence in front of an arrival, a CCTL behind a wait. A kernel that does not know
// whether it is launched with clusters asks, and has a block barrier for the other case (ptxas 13.0, sm_90:
// SASS of cluster_ring, lat_dsmem).
#include "ptx/machine/rules/rule.h"

namespace gpuloom::ptx {

namespace {

bool match_cluster_barrier(const Selection& s, uint32_t i) {
  return s.op_class(i) == OpClass::ucgabar && s.mnemonic(i) == "barrier.cluster";
}

void apply_cluster_barrier(const Selection& s, Emitter& out, uint32_t i) {
  const Directives& d = s.program().functions[0].function->directives;
  const bool known = d.explicit_cluster || d.reqnctapercluster[0] != 0;
  std::vector<OpClass> before, after;
  if (!known) before.push_back(OpClass::bra);
  const bool arrives = s.instr(i).aux == 0;  // barrier_cluster.cpp
  if (arrives && !s.use(i).has(".relaxed"))
    before.insert(before.end(), {OpClass::membar, OpClass::nop, OpClass::nop});
  if (!arrives) after.push_back(OpClass::ccctl);
  if (!known) after.push_back(OpClass::bra);
  out.around(before, OpClass::ucgabar, after);
}

}  // namespace

extern const Rule kClusterBarrier{"cluster_barrier", match_cluster_barrier, apply_cluster_barrier};

}  // namespace gpuloom::ptx
