// SPDX-License-Identifier: Apache-2.0
#include "ptx/machine/lower.h"

#include <algorithm>

#include "base/error.h"
#include "ptx/machine/calls.h"
#include "ptx/machine/graph.h"
#include "ptx/machine/lowering_result.h"
#include "ptx/machine/rules/fold_rule.h"
#include "ptx/machine/spill.h"
#include "ptx/machine/time_record.h"
#include "ptx/passes/draft.h"

namespace gpuloom::ptx {

namespace {

// The most registers that the directives leave a thread (PTX ISA 11.4).
uint32_t allowed_registers(const Program& p, const MachineModel& model, const LoweringOptions& options) {
  uint32_t most = options.max_registers != 0 ? options.max_registers : model.max_registers;
  const Directives& d = p.functions[0].function->directives;
  if (d.maxnreg != 0) most = std::min(most, d.maxnreg);
  if (const uint64_t block = d.block_threads(); block != 0) {
    const uint64_t resident = block * std::max(1u, d.minnctapersm);
    const uint64_t fit = model.file_registers / std::max<uint64_t>(1, (resident + 31) / 32 * 32) /
                         model.register_unit * model.register_unit;
    most = std::min<uint32_t>(most, static_cast<uint32_t>(std::max<uint64_t>(model.register_unit, fit)));
  }
  return most;
}

// The most registers that a warp group asks for with setmaxnreg; 0 where none does. Without .maxnreg or
// .minnctapersm ptxas ignores setmaxnreg, and says so.
uint32_t registers_asked_for(const Program& p) {
  const Directives& d = p.functions[0].function->directives;
  if (d.minnctapersm == 0 && d.maxnreg == 0) return 0;
  uint32_t wanted = 0;
  for (const Instr& in : p.code) {
    if (static_cast<OpClass>(in.op_class) == OpClass::setmaxreg)
      wanted = std::max(wanted, static_cast<uint32_t>(in.imm));
  }
  return wanted;
}

void check_classes(const MachineProgram& machine, const MachineModel& model) {
  for (const MachineOp& op : machine.ops) {
    if (model.latency[static_cast<size_t>(op.op)].interval != 0 || op.op == OpClass::none) continue;
    throw Error(ErrorKind::kUnsupported,
                "the configuration has no row for operation class '" + std::string(info(op.op).name) + "'",
                {}, "add it below sm.operations");
  }
}

// What the passes share.
struct Lowerer {
  Graph graph;
  MachineProgram machine;
  std::shared_ptr<Program> program;
  uint32_t most = 0, used = 0, spilled = 0;  // registers: that may be used, that are, bytes of the rest
  uint32_t given = 0;  // that a kernel begins with whose warp groups pass registers on; 0: what it uses
};

bool selects(const Lowerer& l) { return l.graph.options.lowering != Lowering::kNone; }
bool schedules(const Lowerer& l) { return selects(l) && l.graph.options.control.runs("schedule"); }

void number_registers(Lowerer& l) {
  Graph& g = l.graph;
  g.liveness = find_liveness(*g.program, g.flow);
  for (const Liveness::FunctionRows& rows : g.liveness.rows) {
    g.first_virtual.push_back(static_cast<uint32_t>(g.registers.size()));
    for (const uint8_t bytes : rows.bytes) {
      g.registers.push_back({static_cast<uint8_t>((bytes + 3) / 4), false, kNoRegister});
    }
  }
  g.conventional = Calls::find_conventional(*g.program);
}

void finish(Lowerer& l) {
  const MachineModel& model = *l.graph.model;
  MachineProgram& machine = l.machine;
  check_classes(machine, model);
  machine.spill_bytes = l.spilled;
  machine.registers_per_thread = std::max(model.profile.least_registers, std::min(l.used, l.most));
  machine.registers_given = l.given != 0;
  if (l.given != 0) machine.registers_per_thread = l.given;
  l.program->registers_per_thread = machine.registers_per_thread;
  reuse_rows(*l.program);
  make_time_records(*l.program, machine);
  machine.program = l.program.get();
  machine.owned = l.program;
}

template <void (*step)(Graph&)>
void on_graph(Lowerer& l) {
  step(l.graph);
}

constexpr auto kRequired = PassKind::kRequired;
constexpr auto kOptional = PassKind::kOptional;
constexpr Pass<Lowerer> kPasses[] = {
    {{"order_clocks", "the last clock read and the barrier in front of it", kOptional},
     on_graph<order_clocks>,
     selects},
    {{"copies", "old and new value of a loop's variable share a register", kOptional},
     on_graph<order_copies>,
     selects},
    {{"registers", "a virtual register for each row", kRequired}, number_registers},
    {{"plain", "an operation for each decoded instruction", kRequired},
     on_graph<plain_operations>,
     [](const Lowerer& l) { return !selects(l); }},
    {{"uniform_values", "which values all lanes share", kRequired}, on_graph<find_uniform_values>, selects},
    {{"select", "which operations there are", kRequired}, on_graph<select_operations>, selects},
    {{"half_pairs", "arithmetic on single halves goes two at a time", kOptional},
     on_graph<pair_halves>,
     selects},
    {{"merge", "adjacent accesses are wide ones", kOptional}, on_graph<merge_accesses>, selects},
    {{"uniform_descriptors", "of matrices in shared memory", kOptional},
     on_graph<use_uniform_descriptors>,
     selects},
    {{"uniform_arithmetic", "integers that all lanes share", kOptional},
     on_graph<use_uniform_arithmetic>,
     selects},
    {{"uniform_path", "counts of bits that all lanes share", kOptional}, on_graph<use_uniform_path>, selects},
    {{"balance", "additions and moves go to the ALU or the FMA pipe", kOptional},
     on_graph<balance_pipes>,
     selects},
    {{"sink", "parameters are loaded where they are needed", kOptional}, on_graph<sink_constants>, selects},
    {{"first_definitions", "guarded ones that keep no old value", kOptional},
     on_graph<find_first_definitions>,
     selects},
    {{"split_virtual_registers", "one virtual register, one value", kOptional},
     on_graph<split_webs>,
     selects},
    {{"coalesce", "values and parameters that may share a register do", kOptional},
     on_graph<coalesce_parameters>,
     selects},
    {{"rematerialize", "constants are loaded again behind a call", kOptional},
     on_graph<rematerialize_constants>,
     selects},
    {{"halves", "a 64-bit sum in place takes no third register", kOptional}, on_graph<join_halves>, selects},
    {{"tuples", "what a wide operation names stands in consecutive registers", kRequired},
     on_graph<make_tuples>,
     selects},
    {{"zero_pairs", "two zeros of an aligned pair are one operation", kOptional},
     on_graph<pair_zeros>,
     selects},
    {{"predicates", "those beyond seven wait in registers", kOptional}, on_graph<save_predicates>, schedules},
    {{"schedule", "the order within blocks, and registers for it", kOptional},
     [](Lowerer& l) { l.used = allocate_with_spills(l.graph, l.most, l.spilled); },
     schedules},
    {{"allocate", "registers for the order that there is", kRequired},
     [](Lowerer& l) { l.used = allocate_registers(l.graph, allocation_facts(l.graph), l.most); },
     [](const Lowerer& l) { return !schedules(l); }},
    {{"frames", "what a function must keep goes to its stack", kRequired}, on_graph<add_frames>, selects},
    {{"empty_loads", "loads in front of cp.async and NOP in front of barriers that do nothing", kOptional},
     on_graph<put_empty_loads>,
     selects},
    {{"attach", "which operation carries which decoded instruction", kRequired},
     [](Lowerer& l) { l.machine = attach_and_encode(l.graph); }},
    {{"control", "stall counts and scoreboards", kRequired},
     [](Lowerer& l) { set_control_codes(l.graph, l.machine); }},
    {{"yields", "which operations let another warp go first", kOptional},
     [](Lowerer& l) { set_yields(*l.graph.model, l.machine); },
     selects},
    {{"finish", "registers a thread is given, rows of the final program", kRequired}, finish},
};

}  // namespace

std::vector<PassInfo> lowering_passes() {
  std::vector<PassInfo> out = program_passes();
  for (const Pass<Lowerer>& pass : kPasses) out.push_back(pass.info);
  return out;
}

std::vector<std::string_view> selection_rules() {
  std::vector<std::string_view> out;
  for (const FoldRule* rule : fold_rules()) out.push_back(rule->name);
  for (const Rule* rule : rules_by_shape()) out.push_back(rule->name);
  for (const Rule* rule : rules_by_class()) out.push_back(rule->name);
  return out;
}

MachineProgram lower(const Program& program, const MachineModel& model, const LoweringOptions& options) {
  Lowerer l;
  l.program = std::make_shared<Program>(program);
  l.graph.program = l.program.get();
  l.graph.model = &model;
  l.graph.options = options;
  l.graph.flow = build_flow(*l.program);
  l.most = allowed_registers(*l.program, model, options);
  // A kernel whose warp groups pass registers on begins with all that its blocks may have, but for what no
  // group asks for, whatever its values need: 168 for 384 threads, 104 where none wants more (ptxas 13.0,
  // kernels of two values). Its values then have as many as the group asks for: 230 of them are not spilled
  // behind setmaxnreg.inc 240 where a thread begins with 168, and 200 are without it (kernels of so many).
  if (const uint32_t asked = registers_asked_for(*l.program); asked != 0) {
    l.given = std::min(asked, l.most);
    l.most = std::max(l.most, std::min(asked, model.max_registers));
  }
  run_passes<Lowerer>(kPasses, l, options.control,
                      [](const Lowerer& now) { return LoweringResult(now.graph, now.machine); });
  return std::move(l.machine);
}

}  // namespace gpuloom::ptx
