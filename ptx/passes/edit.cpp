// SPDX-License-Identifier: Apache-2.0
#include "ptx/passes/edit.h"

#include <algorithm>
#include <numeric>

namespace gpuloom::ptx {

// By their numbers: std::stable_sort keeps elements in a buffer that ignores the alignment of their type
// (measured: GCC 13.3 crashes there), and an Instr is aligned to a cache line.
void Edit::sort_insertions() {
  std::vector<size_t> order(insert.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return insert[a].before < insert[b].before; });
  std::vector<Insertion> sorted;
  sorted.reserve(insert.size());
  for (const size_t k : order) sorted.push_back(std::move(insert[k]));
  insert = std::move(sorted);
}

void apply(Program& p, const Edit& edit) {
  std::vector<Instr> code;
  std::vector<OperandRef> refs;
  std::vector<uint32_t> ref_begin;
  std::vector<uint32_t> moved(p.code.size() + 1);
  code.reserve(p.code.size() + edit.insert.size());
  size_t next = 0;
  for (uint32_t i = 0; i < p.code.size(); ++i) {
    moved[i] = static_cast<uint32_t>(code.size());
    for (; next < edit.insert.size() && edit.insert[next].before == i; ++next) {
      code.push_back(edit.insert[next].instr);
      if (!edit.insert[next].keeps_source) code.back().source = p.code[i].source;
      ref_begin.push_back(static_cast<uint32_t>(refs.size()));
      refs.insert(refs.end(), edit.insert[next].refs.begin(), edit.insert[next].refs.end());
    }
    if (edit.erase[i] != 0) continue;
    if (const auto it = edit.replace.find(i); it != edit.replace.end()) {
      code.push_back(it->second.first);
      code.back().source = p.code[i].source;
      ref_begin.push_back(static_cast<uint32_t>(refs.size()));
      refs.insert(refs.end(), it->second.second.begin(), it->second.second.end());
      continue;
    }
    code.push_back(p.code[i]);
    ref_begin.push_back(static_cast<uint32_t>(refs.size()));
    refs.insert(refs.end(), p.refs.begin() + p.ref_begin[i], p.refs.begin() + p.ref_begin[i + 1]);
  }
  moved[p.code.size()] = static_cast<uint32_t>(code.size());
  ref_begin.push_back(static_cast<uint32_t>(refs.size()));
  for (Instr& in : code) {
    if (in.kind == InstrKind::kBranch || in.kind == InstrKind::kCall) in.target = moved[in.target];
  }
  for (auto& table : p.branch_tables) {
    for (uint32_t& target : table) target = moved[target];
  }
  for (FunctionCode& f : p.functions) {
    f.entry = moved[f.entry];
    f.end = moved[f.end];
  }
  p.code = std::move(code);
  p.refs = std::move(refs);
  p.ref_begin = std::move(ref_begin);
}

void write_place(Program& p, Instr& in, const OperandRef& ref) {
  if (ref.operand == kInstrPlaces)
    in.guard = ref.place;
  else if (ref.operand > kInstrPlaces)
    return;
  else if (ref.element != 0xff)
    p.extra[static_cast<uint32_t>(in.ops[ref.operand].at) + ref.element] = ref.place;
  else
    in.ops[ref.operand] = ref.place;
}

void reorder(Program& p, const std::vector<uint32_t>& order) {
  std::vector<Instr> code;
  std::vector<OperandRef> refs;
  std::vector<uint32_t> ref_begin;
  code.reserve(order.size());
  refs.reserve(p.refs.size());
  for (const uint32_t old : order) {
    const Instr& here = p.code[code.size()];
    code.push_back(p.code[old]);
    code.back().begins_block = here.begins_block;
    code.back().ends_block = here.ends_block;
    ref_begin.push_back(static_cast<uint32_t>(refs.size()));
    refs.insert(refs.end(), p.refs.begin() + p.ref_begin[old], p.refs.begin() + p.ref_begin[old + 1]);
  }
  ref_begin.push_back(static_cast<uint32_t>(refs.size()));
  p.code = std::move(code);
  p.refs = std::move(refs);
  p.ref_begin = std::move(ref_begin);
}

}  // namespace gpuloom::ptx
