// SPDX-License-Identifier: Apache-2.0
#include "ptx/machine/loads_again.h"

#include <set>
#include <tuple>

#include "ptx/exec/memory_path.h"

namespace gpuloom::ptx {
namespace {

bool in_global(const Instr& in) { return in.space == Space::kGlobal || in.space == Space::kGeneric; }

// A load that says nothing of order, caches or lanes: a register could stand for it.
bool is_plain_load(const Instr& in) {
  if (in.kind != InstrKind::kLoad || !in_global(in) || in.guard.present() || !in.ops[1].present())
    return false;
  const MemoryFlags flags = MemoryFlags::unpack(in.target);
  return flags.ordering == Ordering::kWeak && flags.cache != CacheOp::kCv;
}

// Behind anything but these another thread may have written, and the load must be done again.
bool keeps_values(const Instr& in) {
  switch (in.kind) {
    case InstrKind::kPlain:
    case InstrKind::kLoad:
    case InstrKind::kStore:
    case InstrKind::kReadClock:
    case InstrKind::kBranch:
    case InstrKind::kReconverge:
    case InstrKind::kReturn:
    case InstrKind::kExit:
      return true;
    default:
      return false;
  }
}

bool writes(const Program& program, uint32_t pc, int32_t row) {
  for (uint32_t r = program.ref_begin[pc]; r < program.ref_begin[pc + 1]; ++r)
    if (program.refs[r].defines && program.refs[r].place.at == row) return true;
  return false;
}

void find_in_block(const Program& program, const Block& block, std::vector<bool>& again) {
  using Loaded = std::tuple<int32_t, int64_t, Type, unsigned>;  // base, displacement, what is loaded
  std::set<Loaded> loaded;
  for (uint32_t pc = block.first; pc <= block.last; ++pc) {
    const Instr& in = program.code[pc];
    if (!keeps_values(in)) loaded.clear();
    const bool plain = is_plain_load(in);
    const Loaded what{in.ops[1].at, in.imm, in.type, in.vec};
    if (plain && loaded.contains(what)) again[pc] = true;
    std::erase_if(loaded, [&](const Loaded& l) { return writes(program, pc, std::get<0>(l)); });
    if (plain && !writes(program, pc, in.ops[1].at)) loaded.insert(what);
  }
}

// A loop ends with a branch back, and its body lies between.
void find_in_loop(const Program& program, const Block& block, std::vector<bool>& again) {
  const Instr& branch = program.code[block.last];
  if (branch.kind != InstrKind::kBranch || branch.target > block.last) return;
  bool stores = false;
  for (uint32_t pc = branch.target; pc <= block.last; ++pc) {
    const Instr& in = program.code[pc];
    if (!keeps_values(in)) return;
    stores |= in.kind == InstrKind::kStore && in_global(in);
  }
  if (!stores) return;
  for (uint32_t pc = branch.target; pc <= block.last; ++pc) {
    if (!is_plain_load(program.code[pc])) continue;
    bool changes = false;
    for (uint32_t at = branch.target; at <= block.last && !changes; ++at)
      changes = writes(program, at, program.code[pc].ops[1].at);
    if (!changes) again[pc] = true;
  }
}

}  // namespace

std::vector<bool> find_loads_again(const Program& program) {
  std::vector<bool> again(program.code.size());
  for (const Block& block : program.blocks) {
    find_in_block(program, block, again);
    find_in_loop(program, block, again);
  }
  return again;
}

}  // namespace gpuloom::ptx
