// SPDX-License-Identifier: Apache-2.0
#include "ptx/machine/common_work.h"

#include <algorithm>

#include "ptx/exec/memory_flags.h"
#include "ptx/machine/row_values.h"

namespace gpuloom::ptx {
namespace {

bool differs(SpecialRegister reg) {
  return info(reg).kind != SpecialKind::kWarp || reg == SpecialRegister::warpid;
}

// A load that may bring something else each time, since others write there, or since each lane has its own.
bool loads_apart(const Instr& in) {
  return in.kind == InstrKind::kLoad &&
         (in.space == Space::kLocal || MemoryFlags::unpack(in.target).ordering != Ordering::kWeak);
}

bool is_loop(const Program& program, const Block& block) {
  const Instr& branch = program.code[block.last];
  return branch.kind == InstrKind::kBranch && branch.target == block.first;
}

// Of the entry function: values that differ from thread to thread, where each block begins.
class Varying {
 public:
  Varying(const Program& program, const Flow& flow)
      : program_(program),
        flow_(flow),
        end_(program.functions[0].end),
        parted_(program.code.size()),
        at_(flow.blocks.size()) {
    for (const SpecialRow& row : program.functions[0].specials)
      if (differs(row.reg)) add_row(at_[0], row.place);
    while (pass()) continue;
  }

  RowSet at(uint32_t block) const { return at_[block]; }

  // Goes over the instruction; true: it makes the same in all threads.
  bool step(uint32_t pc, RowSet& rows) const {
    const Instr& in = program_.code[pc];
    bool varies =
        parted_[pc] || (in.kind != InstrKind::kPlain && in.kind != InstrKind::kLoad) || loads_apart(in);
    each_row(program_, pc, false, [&](const OperandRef& ref) { varies |= has_row(rows, ref.place); });
    each_row(program_, pc, true, [&](const OperandRef& ref) {
      if (varies)
        add_row(rows, ref.place);
      else if (!in.guard.present())
        remove_row(rows, ref.place);
    });
    return !varies;
  }

 private:
  bool pass() {
    bool changed = false;
    std::vector<bool> parts(program_.code.size());  // branches that threads take differently
    for (uint32_t b = 0; b < flow_.first_block[1]; ++b) {
      const Block& block = flow_.blocks[b];
      RowSet rows = at_[b];
      for (uint32_t pc = block.first; pc <= block.last; ++pc) {
        if (program_.code[pc].kind == InstrKind::kBranch)
          each_row(program_, pc, false,
                   [&](const OperandRef& ref) { parts[pc] = parts[pc] || has_row(rows, ref.place); });
        step(pc, rows);
      }
      for (const uint32_t next : flow_.successors[b]) changed |= at_[next].merge(rows);
    }
    for (const Block& block : program_.blocks)
      if (parts[block.last]) changed |= part(block);
    return changed;
  }

  // What is between a branch that threads take differently and where they meet again.
  bool part(const Block& block) {
    const Instr& branch = program_.code[block.last];
    const bool back = branch.target <= block.last;
    const uint32_t first = back ? branch.target : block.last + 1;
    const bool meets = block.reconverge > block.last && block.reconverge < end_;
    const uint32_t last = back ? block.last + 1 : meets ? block.reconverge : end_;
    bool changed = false;
    for (uint32_t pc = first; pc < last; ++pc) {
      changed |= !parted_[pc];
      parted_[pc] = true;
    }
    return changed;
  }

  const Program& program_;
  const Flow& flow_;
  const uint32_t end_;
  std::vector<bool> parted_;
  std::vector<RowSet> at_;  // by block
};

// A counter, an address of what threads do apart, a factor of all: needed in each thread.
void drop_what_serves_others(const Program& program, const Block& loop, std::vector<bool>& common) {
  RowSet needed;
  // Twice without a change: what the next turn needs is known after the first.
  for (unsigned quiet = 0; quiet < 2;) {
    bool dropped = false;
    for (uint32_t pc = loop.last + 1; pc-- > loop.first;) {
      bool serves = false;
      each_row(program, pc, true, [&](const OperandRef& ref) {
        serves |= has_row(needed, ref.place);
        remove_row(needed, ref.place);
      });
      if (common[pc] && serves) {
        common[pc] = false;
        dropped = true;
      }
      if (!common[pc])
        each_row(program, pc, false, [&](const OperandRef& ref) { add_row(needed, ref.place); });
    }
    quiet = dropped ? 0 : quiet + 1;
  }
}

}  // namespace

std::vector<bool> find_common_work(const Program& program, const Flow& flow) {
  std::vector<bool> common(program.code.size());
  std::vector<uint32_t> loops;
  for (uint32_t b = 0; b < flow.first_block[1]; ++b)
    if (is_loop(program, flow.blocks[b])) loops.push_back(b);
  if (loops.empty()) return common;
  const Varying varying(program, flow);
  for (const uint32_t b : loops) {
    const Block& block = flow.blocks[b];
    RowSet rows = varying.at(b);
    bool all = true;
    for (uint32_t pc = block.first; pc < block.last; ++pc) {
      common[pc] = varying.step(pc, rows);
      all = all && common[pc];
    }
    // A loop that does nothing else is not turned either; its end does not depend on time.
    if (all)
      common[block.last] = true;
    else
      drop_what_serves_others(program, block, common);
  }
  return common;
}

}  // namespace gpuloom::ptx
