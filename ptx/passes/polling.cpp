// SPDX-License-Identifier: Apache-2.0
#include "ptx/passes/polling.h"

#include <algorithm>
#include <set>
#include <vector>

#include "ptx/exec/memory_path.h"
#include "ptx/exec/yield.h"
#include "ptx/passes/instr_questions.h"

namespace gpuloom::ptx {
namespace {

bool sees_others(const Instr& in) {
  switch (in.kind) {
    case InstrKind::kAtomic:
    case InstrKind::kMbarrier:
      return true;
    case InstrKind::kLoad: {
      const bool shared_by_lanes = reads_global(class_of(in)) || class_of(in) == OpClass::lds;
      return shared_by_lanes && MemoryFlags::unpack(in.target).ordering != Ordering::kWeak;
    }
    default:
      return false;
  }
}

// Blocks of the loop that a branch back closes, wherever they stand in the code: those that come to it
// without passing the loop's first one again.
struct Loop {
  Loop(const Flow& flow, uint32_t header, uint32_t latch) : has(flow.blocks.size(), 0), blocks{header} {
    has[header] = 1;
    const auto add = [&](uint32_t b) {
      if (has[b] == 0) blocks.push_back(b);
      has[b] = 1;
    };
    add(latch);
    for (size_t k = 1; k < blocks.size(); ++k)
      for (const uint32_t before : flow.predecessors[blocks[k]]) add(before);
  }
  void join(const Loop& other) {
    for (const uint32_t b : other.blocks) {
      if (has[b] == 0) blocks.push_back(b);
      has[b] = 1;
    }
  }
  std::vector<uint8_t> has;  // by block
  std::vector<uint32_t> blocks;
};

bool leaves(const Program& p, const Flow& flow, const Loop& loop, uint32_t block) {
  const Instr& last = p.code[flow.blocks[block].last];
  if (leaves_function(last)) return true;
  if (last.kind != InstrKind::kBranch) return false;
  return std::any_of(flow.successors[block].begin(), flow.successors[block].end(),
                     [&](uint32_t next) { return loop.has[next] == 0; });
}

template <class Fn>
bool any_instruction(const Flow& flow, const Loop& loop, Fn found) {
  return std::any_of(loop.blocks.begin(), loop.blocks.end(), [&](uint32_t b) {
    for (uint32_t i = flow.blocks[b].first; i <= flow.blocks[b].last; ++i)
      if (found(i)) return true;
    return false;
  });
}

// Two branches back to one block: loops one in the other, or a turn and a `continue`? The inner one is a loop
// of its own if it leaves a value of the outer one's turns as it is, as tries for a lock leave the number of
// its turns (LLVM's LoopSimplify tells nested loops apart by the same rule). ptxas has no YIELD for the
// `continue` of bfs_frontier (bench/silicon/libraries), whose condition comes from an atomic.
bool has_turns_of_its_own(const Program& p, const Flow& flow, const Liveness& live, const Loop& inner,
                          const Loop& outer) {
  const uint32_t header = inner.blocks.front(), function = live.function_of[header];
  RowSet kept = live.live_in[header];
  const auto for_defined = [&](uint32_t block, auto found) {
    for (uint32_t r = p.ref_begin[flow.blocks[block].first]; r < p.ref_begin[flow.blocks[block].last + 1];
         ++r)
      if (p.refs[r].defines && !p.refs[r].place.constant()) found(live.number(function, p.refs[r].place));
  };
  for (const uint32_t b : inner.blocks) for_defined(b, [&](uint32_t row) { kept.remove(row); });
  bool changed = false;
  for (const uint32_t b : outer.blocks)
    if (inner.has[b] == 0) for_defined(b, [&](uint32_t row) { changed |= kept.has(row); });
  return changed;
}

// For each block of the loop the branches within it that decide at once whether it runs (control dependence;
// Ferrante, Ottenstein and Warren 1987). A branch that decides about such a branch is not among them: ptxas
// has no YIELD where an atomic's value only lets a lane come to the branch that decides.
std::vector<std::vector<uint32_t>> deciding_branches(const Flow& flow, const Loop& loop,
                                                     const std::vector<uint32_t>& post_dominator) {
  std::vector<std::vector<uint32_t>> deciding(flow.blocks.size());
  for (const uint32_t branch : loop.blocks) {
    if (flow.successors[branch].size() < 2 || post_dominator[branch] == UINT32_MAX) continue;
    for (uint32_t b : flow.successors[branch])
      for (; b != UINT32_MAX && b != post_dominator[branch] && loop.has[b] != 0; b = post_dominator[b])
        deciding[b].push_back(branch);
  }
  return deciding;
}

// Whether what the loop's exits ask for comes from elsewhere, be it by other values of the loop, or by a
// branch that chooses between values (`done = true` where a lane has the lock).
bool polls(const Program& p, const Flow& flow, const Liveness& live, const Loop& loop,
           const std::vector<uint32_t>& post_dominator) {
  const auto deciding = deciding_branches(flow, loop, post_dominator);
  std::set<int32_t> asked;  // rows
  const auto ask = [&](uint32_t i) {
    for (uint32_t r = p.ref_begin[i]; r < p.ref_begin[i + 1]; ++r)
      if (!p.refs[r].defines && !p.refs[r].place.constant()) asked.insert(p.refs[r].place.at);
  };
  // Makes what is asked for. Only a value that lives where the lanes of a branch meet is chosen by it.
  const auto answers = [&](uint32_t i, uint32_t meeting = UINT32_MAX) {
    const auto begin = p.refs.begin() + p.ref_begin[i], end = p.refs.begin() + p.ref_begin[i + 1];
    const auto lives = [&](Place place) {
      return meeting == UINT32_MAX ||
             live.live_in[meeting].has(live.number(live.function_of[meeting], place));
    };
    return std::any_of(begin, end, [&](const OperandRef& ref) {
      return ref.defines && !ref.place.constant() && asked.contains(ref.place.at) && lives(ref.place);
    });
  };
  for (const uint32_t b : loop.blocks)
    if (leaves(p, flow, loop, b)) ask(flow.blocks[b].last);
  for (size_t before = 0; before != asked.size();) {
    before = asked.size();
    const auto found = [&](uint32_t i) {
      if (!answers(i)) return false;
      ask(i);
      for (const uint32_t branch : deciding[flow.block_of[i]])
        if (answers(i, post_dominator[branch])) ask(flow.blocks[branch].last);
      return sees_others(p.code[i]);
    };
    if (any_instruction(flow, loop, found)) return true;
  }
  return false;
}

}  // namespace

void mark_polling_loops(Program& program, const Flow& flow, const Liveness& liveness,
                        const std::vector<uint32_t>& post_dominator) {
  if (std::none_of(program.code.begin(), program.code.end(), sees_others)) return;
  std::vector<uint32_t> latches;
  for (uint32_t b = 0; b < flow.blocks.size(); ++b) {
    const Instr& last = program.code[flow.blocks[b].last];
    if (last.kind == InstrKind::kBranch && last.target <= flow.blocks[b].last) latches.push_back(b);
  }
  const auto header = [&](uint32_t latch) {
    return flow.block_of[program.code[flow.blocks[latch].last].target];
  };
  for (const uint32_t latch : latches) {
    const Loop own(flow, header(latch), latch);
    Loop loop = own;
    for (const uint32_t other : latches) {
      if (other == latch || header(other) != header(latch)) continue;
      const Loop around(flow, header(other), other);
      if (!has_turns_of_its_own(program, flow, liveness, own, around)) loop.join(around);
    }
    const auto sleeps = [&](uint32_t i) { return program.code[i].kind == InstrKind::kSleep; };
    if (polls(program, flow, liveness, loop, post_dominator) && !any_instruction(flow, own, sleeps))
      program.code[flow.blocks[latch].last].aux = kPollsAgain;
  }
}

}  // namespace gpuloom::ptx
