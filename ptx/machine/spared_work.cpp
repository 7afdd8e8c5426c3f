// SPDX-License-Identifier: Apache-2.0
#include "ptx/machine/spared_work.h"

#include <algorithm>
#include <map>
#include <vector>

#include "ptx/exec/memory_flags.h"
#include "ptx/isa/table/form.h"
#include "ptx/isa/table/op_traits.h"
#include "ptx/machine/common_work.h"
#include "ptx/machine/functions.h"
#include "ptx/machine/loads_again.h"
#include "ptx/machine/machine_program.h"
#include "ptx/machine/wide_integers.h"
#include "ptx/passes/flow.h"
#include "ptx/passes/instr_questions.h"

namespace gpuloom::ptx {
namespace {

bool same(Place a, Place b) { return a.present() && a.at == b.at; }

bool is_conversion(const Program& program, const Instr& in) {
  if (!is(class_of(in), kConverts)) return false;
  const InstrSource& from = program.sources[in.source];
  if (from.function == nullptr) return false;
  const Instruction& written = from.function->instructions[from.instruction];
  return written.form->instruction->mnemonic == "cvt";
}

// Whether the instruction reads `row` in another place than its first, which is where results stand.
bool reads(const Instr& in, Place row) {
  if (same(in.guard, row)) return true;
  const bool no_result = in.kind == InstrKind::kStore;
  for (size_t k = no_result ? 0 : 1; k < kInstrPlaces; ++k)
    if (same(in.ops[k], row)) return true;
  return false;
}

// The last instruction of [first, end) whose result is `row`; `end` for none.
uint32_t definition(const Program& program, uint32_t first, uint32_t end, Place row) {
  for (uint32_t pc = end; pc-- > first;)
    if (program.code[pc].kind != InstrKind::kStore && same(program.code[pc].ops[0], row)) return pc;
  return end;
}

// A loop ends with a branch back. Its condition is a comparison that nothing else reads; a counter is a sum
// of itself that nothing reads but that comparison. Unrolled as often as it turns, a loop has none of them.
void find_loop(const Program& program, const Block& block, std::vector<bool>& counts) {
  const Instr& branch = program.code[block.last];
  if (branch.kind != InstrKind::kBranch || !branch.guard.present() || branch.target > block.last) return;
  const auto only_reader = [&](Place row, uint32_t allowed, uint32_t itself) {
    for (uint32_t pc = branch.target; pc <= block.last; ++pc)
      if (pc != allowed && pc != itself && reads(program.code[pc], row)) return false;
    return true;
  };
  counts[block.last] = true;
  const uint32_t compare = definition(program, block.first, block.last, branch.guard);
  if (compare == block.last) return;
  const OpClass compares = class_of(program.code[compare]);
  if (compares != OpClass::isetp && compares != OpClass::setp64) return;
  if (!only_reader(branch.guard, compare, block.last)) return;
  counts[compare] = true;
  for (size_t k = 1; k < kInstrPlaces; ++k) {
    const Place counter = program.code[compare].ops[k];
    if (!counter.present() || counter.constant()) continue;
    const uint32_t step = definition(program, block.first, compare, counter);
    if (step == compare || !reads(program.code[step], counter)) continue;
    const OpClass adds = class_of(program.code[step]);
    if ((adds == OpClass::iadd || adds == OpClass::add64) && only_reader(counter, compare, step))
      counts[step] = true;
  }
}

// --- Loads of shared memory

constexpr unsigned kWide = 16;  // bytes that one load brings at most

struct Run {
  uint8_t bytes = 0, align = 0;
  bool member = false;
  Place base;
  uint64_t displace = 0;
  bool wide = false;
};

struct Words {                                   // of one base, in a piece of 16 bytes
  std::map<unsigned, std::vector<uint32_t>> at;  // offset in the piece: loads
};

void join(const Program& program, int64_t piece, const Words& words, std::vector<Run>& runs) {
  const auto together = [&](unsigned begin, unsigned end) {
    std::vector<uint32_t> loads;
    for (const auto& [offset, pcs] : words.at)
      if (offset >= begin && offset < end) loads.insert(loads.end(), pcs.begin(), pcs.end());
    if (loads.size() < 2) return false;
    for (const uint32_t pc : loads) {
      Run& run = runs[pc];
      run.member = true;
      run.base = program.code[pc].ops[1];
      run.displace = static_cast<uint64_t>(piece) + begin;
      run.wide = MemoryFlags::unpack(program.code[pc].target).base_bits == 64;
      run.align = static_cast<uint8_t>(end - begin);
    }
    runs[loads[0]].bytes = static_cast<uint8_t>(end - begin);
    return true;
  };
  const bool low = words.at.contains(0), high = words.at.lower_bound(kWide / 2) != words.at.end();
  if (low && high && together(0, kWide)) return;
  if (low) together(0, kWide / 2);
  if (words.at.contains(kWide / 2)) together(kWide / 2, kWide);
}

bool parts_runs(const Instr& in) {
  switch (in.kind) {
    case InstrKind::kPlain:
    case InstrKind::kLoad:
    case InstrKind::kReadClock:
    case InstrKind::kBranch:
      return false;
    case InstrKind::kStore:
      return in.space != Space::kGlobal && in.space != Space::kLocal;
    default:
      return true;
  }
}

bool is_word_load(const Instr& in) {
  return in.kind == InstrKind::kLoad && in.space == Space::kShared && in.vec == 1 && !in.guard.present() &&
         bytes(in.type) <= kWide / 2 && class_of(in) == OpClass::lds;
}

// Loads of a block from one address register, between two instructions that may change what they read.
void find_runs(const Program& program, const Block& block, std::vector<Run>& runs) {
  std::map<std::pair<int32_t, int64_t>, Words> pieces;  // by base and begin of the piece
  const auto part = [&] {
    for (const auto& [key, words] : pieces) join(program, key.second, words, runs);
    pieces.clear();
  };
  for (uint32_t pc = block.first; pc <= block.last; ++pc) {
    const Instr& in = program.code[pc];
    if (parts_runs(in)) part();
    if (is_word_load(in)) {
      const int64_t piece = in.imm & ~int64_t{kWide - 1};
      pieces[{in.ops[1].at, piece}].at[static_cast<unsigned>(in.imm - piece)].push_back(pc);
    }
    const bool writes = in.kind != InstrKind::kStore && in.ops[0].present();
    if (writes && std::any_of(pieces.begin(), pieces.end(),
                              [&](const auto& p) { return p.first.first == in.ops[0].at; }))
      part();
  }
  part();
}

// --- Calls

// The loads that find out whom to call: of the address, and of the table that it stands in.
void find_callee_loads(const Program& program, const Block& block, std::vector<bool>& loads) {
  const Instr& call = program.code[block.last];
  if (call.kind != InstrKind::kCall) return;
  Place row = program.calls[call.extra].address;
  for (uint32_t end = block.last; row.present() && !row.constant();) {
    const uint32_t at = definition(program, block.first, end, row);
    if (at == end || program.code[at].kind != InstrKind::kLoad) return;
    loads[at] = true;
    row = program.code[at].ops[1];
    end = at;
  }
}

bool is_call(const Program& program, uint32_t pc) {
  const Instr& in = program.code[pc];
  if (in.kind == InstrKind::kCall) return program.calls[in.extra].external.empty();
  return in.kind == InstrKind::kReturn && pc >= program.functions[0].end;
}

}  // namespace

void find_spared_work(const Program& program, MachineProgram& machine) {
  std::vector<bool> counts(program.code.size());
  std::vector<Run> runs(program.code.size());
  std::vector<bool> callee(program.code.size());
  for (const Block& block : program.blocks) {
    find_loop(program, block, counts);
    find_runs(program, block, runs);
    find_callee_loads(program, block, callee);
  }
  const std::vector<bool> again = find_loads_again(program);
  const Flow flow = build_flow(program);
  const std::vector<bool> common = find_common_work(program, flow), wide = find_wide_integers(program, flow);
  const FoundFunctions functions = find_functions(program);
  std::vector<unsigned> kept(program.code.size()), narrow(program.code.size());
  for (size_t k = machine.ops.size(); k-- > 0;) {
    const MachineOp& op = machine.ops[k];
    const Instr& in = program.code[op.source];
    TimeRecord& record = machine.records[k];
    record.converts = is_conversion(program, in);
    record.divides = is(class_of(in), kDivides) && kept[op.source]++ >= traits(class_of(in)).product_steps;
    record.counts_loop = counts[op.source];
    record.loads_again = again[op.source] && op.memory;
    record.in_function = functions.within[op.source];
    record.is_function = functions.last[op.source];
    record.calls = is_call(program, op.source);
    record.finds_callee = callee[op.source] && op.memory;
    record.common = common[op.source];
    record.wide_integer = wide[op.source] && narrow[op.source]++ >= 1;
    const bool fences = is_memory_fence(op.op) || (op.op == OpClass::ccctl && !op.memory);
    record.fence_alone = in.kind == InstrKind::kFence && fences;
    const Run& run = runs[op.source];
    if (!run.member || op.op != OpClass::lds || !op.memory) continue;
    record.in_run = true;
    record.run_bytes = run.bytes;
    record.run_align = run.align;
    record.run_base = run.base;
    record.run_displace = run.displace;
    record.wide = run.wide;
  }
}

}  // namespace gpuloom::ptx
