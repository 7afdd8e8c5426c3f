// SPDX-License-Identifier: Apache-2.0
#include "ptx/machine/loads_again.h"

#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

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

template <class Take>
void each_written(const Program& program, uint32_t pc, const Take& take) {
  for (uint32_t r = program.ref_begin[pc]; r < program.ref_begin[pc + 1]; ++r)
    if (program.refs[r].defines) take(program.refs[r].place.at);
}

void find_in_block(const Program& program, const Block& block, std::vector<bool>& again) {
  using Loaded = std::tuple<int64_t, Type, unsigned>;    // displacement, what is loaded
  std::unordered_map<int32_t, std::set<Loaded>> loaded;  // by base
  for (uint32_t pc = block.first; pc <= block.last; ++pc) {
    const Instr& in = program.code[pc];
    if (!keeps_values(in)) loaded.clear();
    const bool plain = is_plain_load(in);
    if (plain && !loaded[in.ops[1].at].emplace(in.imm, in.type, in.vec).second) again[pc] = true;
    each_written(program, pc, [&](int32_t base) { loaded.erase(base); });
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
  std::unordered_set<int32_t> changed;
  for (uint32_t pc = branch.target; pc <= block.last; ++pc)
    each_written(program, pc, [&](int32_t row) { changed.insert(row); });
  for (uint32_t pc = branch.target; pc <= block.last; ++pc)
    if (is_plain_load(program.code[pc]) && !changed.contains(program.code[pc].ops[1].at)) again[pc] = true;
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
