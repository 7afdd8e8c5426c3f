// SPDX-License-Identifier: Apache-2.0
#include "ptx/machine/late_rows.h"

#include <map>

#include "ptx/passes/late.h"

namespace gpuloom::ptx {

namespace {

bool delivers_late(const Program& p, const Instr& in) {
  return (in.kind == InstrKind::kAtomic || in.kind == InstrKind::kLoad) && arrives_late(p, in);
}

}  // namespace

std::set<int32_t> late_rows(const Program& p, const FunctionCode& code) {
  std::set<int32_t> rows;
  for (uint32_t i = code.entry; i < code.end; ++i) {
    if (!delivers_late(p, p.code[i])) continue;
    for (uint32_t r = p.ref_begin[i]; r < p.ref_begin[i + 1]; ++r)
      if (p.refs[r].defines) rows.insert(p.refs[r].place.at);
  }
  return rows;
}

LateRowsByOperation::LateRowsByOperation(const Graph& g, const MachineProgram& m) {
  const Program& p = *g.program;
  uint32_t f = UINT32_MAX;
  std::map<int32_t, uint32_t> number;
  for (uint32_t b = 0; b < g.blocks.size(); ++b) {
    while (f == UINT32_MAX || b >= g.flow.first_block[f + 1]) {
      number.clear();
      for (const int32_t row : late_rows(p, p.functions[++f])) number[row] = rows_++;
    }
    if (number.empty()) continue;
    touches_.resize(m.ops.size());
    for (uint32_t k = m.blocks[b].first; k < m.blocks[b].first + m.blocks[b].count; ++k) {
      const MachineOp& op = m.ops[k];
      for (uint32_t i = op.exec_first; i < op.exec_first + op.exec_count; ++i) {
        const bool fills = delivers_late(p, p.code[i]);
        for (uint32_t r = p.ref_begin[i]; r < p.ref_begin[i + 1]; ++r) {
          if (p.refs[r].place.constant()) continue;
          const auto found = number.find(p.refs[r].place.at);
          if (found != number.end()) touches_[k].push_back({found->second, fills && p.refs[r].defines});
        }
      }
    }
  }
}

}  // namespace gpuloom::ptx
