// SPDX-License-Identifier: Apache-2.0
#include "ptx/passes/flow.h"

#include <algorithm>

#include "ptx/passes/instr_questions.h"
#include "ptx/passes/pseudo.h"

namespace gpuloom::ptx {

bool leaves_function(const Instr& in) { return in.kind == InstrKind::kReturn || in.kind == InstrKind::kExit; }

bool ends_block(const Instr& in) {
  return leaves_function(in) || in.kind == InstrKind::kBranch || in.kind == InstrKind::kCall;
}

namespace {

std::vector<uint8_t> find_leaders(const Program& p) {
  std::vector<uint8_t> leader(p.code.size() + 1, 0);
  for (const FunctionCode& f : p.functions) leader[f.entry] = 1;
  for (size_t i = 0; i < p.code.size(); ++i) {
    const Instr& in = p.code[i];
    if (ends_block(in)) leader[i + 1] = 1;
    if (in.kind == InstrKind::kBranch && !jumps_by_value(in)) leader[in.target] = 1;
  }
  for (const auto& table : p.branch_tables) {
    for (const uint32_t target : table) leader[target] = 1;
  }
  return leader;
}

void add_successors(const Program& p, Flow& flow, uint32_t b, uint32_t function_end) {
  const Block& block = flow.blocks[b];
  const Instr& last = p.code[block.last];
  const bool falls_through = last.guard.present() || may_fall_through(last) ||
                             !(leaves_function(last) || last.kind == InstrKind::kBranch);
  std::vector<uint32_t>& out = flow.successors[b];
  if (falls_through && block.last + 1 < function_end) out.push_back(b + 1);
  if (last.kind != InstrKind::kBranch) return;
  if (jumps_by_value(last)) {
    for (const uint32_t target : p.branch_tables[last.extra]) out.push_back(flow.block_of[target]);
  } else {
    out.push_back(flow.block_of[last.target]);
  }
  std::vector<uint32_t> unique;
  for (const uint32_t s : out) {
    if (std::find(unique.begin(), unique.end(), s) == unique.end()) unique.push_back(s);
  }
  out = unique;
}

}  // namespace

Flow build_flow(const Program& p) {
  Flow flow;
  flow.block_of.assign(p.code.size(), 0);
  const std::vector<uint8_t> leader = find_leaders(p);
  for (const FunctionCode& f : p.functions) {
    flow.first_block.push_back(static_cast<uint32_t>(flow.blocks.size()));
    for (uint32_t i = f.entry; i < f.end; ++i) {
      if (leader[i] != 0) {
        flow.blocks.emplace_back();
        flow.blocks.back().first = i;
      }
      flow.blocks.back().last = i;
      flow.block_of[i] = static_cast<uint32_t>(flow.blocks.size() - 1);
    }
  }
  flow.first_block.push_back(static_cast<uint32_t>(flow.blocks.size()));
  flow.successors.resize(flow.blocks.size());
  flow.predecessors.resize(flow.blocks.size());
  for (size_t f = 0; f < p.functions.size(); ++f) {
    for (uint32_t b = flow.first_block[f]; b < flow.first_block[f + 1]; ++b) {
      add_successors(p, flow, b, p.functions[f].end);
      for (const uint32_t s : flow.successors[b]) flow.predecessors[s].push_back(b);
    }
  }
  for (size_t b = 0; b < flow.blocks.size(); ++b) {
    for (size_t k = 0; k < 2 && k < flow.successors[b].size(); ++k)
      flow.blocks[b].successors[k] = flow.successors[b][k];
  }
  return flow;
}

}  // namespace gpuloom::ptx
