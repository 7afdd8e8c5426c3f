// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.12.4 brx.idx
//
//   @p   brx.idx{.uni}  index, tlist;
//        brx.idx{.uni}  index, tlist;
//
// The behaviour for an index outside the list is undefined (PTX ISA); here it stops the kernel.
#include <bit>
#include <string>

#include "ptx/exec/fault.h"
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {
namespace {

void brx(Warp& w, const Instr& in, uint32_t lanes) {
  const uint32_t* index = source<uint32_t>(w, in.ops[0]);
  const std::vector<uint32_t>& table = w.program->branch_tables[in.extra];
  uint32_t targets[32] = {};
  for (uint32_t m = lanes; m; m &= m - 1) {
    const unsigned lane = static_cast<unsigned>(std::countr_zero(m));
    if (index[lane] >= table.size())
      fault(w, in, lane, FaultKind::kIllegal,
            "jumps with index " + std::to_string(index[lane]) + " into a list of " +
                std::to_string(table.size()) + " targets");
    targets[lane] = table[index[lane]];
  }
  branch_indexed(w, lanes, targets);
}

}  // namespace

void register_control_brx(IsaBuilder& isa) {
  isa.instruction("brx.idx", "9.7.12.4", "Branch to a label indexed from a list of targets.");
  isa.form("brx.idx{.uni} index:u32, $tlist")
      .kind(InstrKind::kBranch)
      .op(OpClass::brx)
      .meaning(brx)
      .since("6.0")
      .needs("sm_30");
}

}  // namespace gpuloom::ptx
