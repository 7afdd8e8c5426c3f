// SPDX-License-Identifier: Apache-2.0
#include "ptx/machine/lower.h"

#include <algorithm>

#include "base/error.h"
#include "ptx/machine/calls.h"
#include "ptx/machine/graph.h"
#include "ptx/machine/spill.h"
#include "ptx/passes/draft.h"

namespace gpuloom::ptx {

namespace {

// The most registers that the directives leave a thread (PTX ISA 11.4).
uint32_t allowed_registers(const Program& p, const MachineModel& model, const LoweringOptions& options) {
  uint32_t most = options.max_registers != 0 ? options.max_registers : model.max_registers;
  const Directives& d = p.functions[0].function->directives;
  if (d.maxnreg != 0) most = std::min(most, d.maxnreg);
  const auto threads = [](const uint32_t v[3]) {
    return uint64_t{std::max(1u, v[0])} * std::max(1u, v[1]) * std::max(1u, v[2]);
  };
  const bool bounded = d.maxntid[0] != 0 || d.reqntid[0] != 0;
  if (bounded) {
    const uint64_t block = d.reqntid[0] != 0 ? threads(d.reqntid) : threads(d.maxntid);
    const uint64_t resident = block * std::max(1u, d.minnctapersm);
    constexpr uint64_t kFileRegisters =
        65536;  // of an SM, every compute capability since 5.0 (CUDA C++ guide, table 30)
    const uint64_t fit = kFileRegisters / std::max<uint64_t>(1, (resident + 31) / 32 * 32) /
                         model.register_unit * model.register_unit;
    most = std::min<uint32_t>(most, static_cast<uint32_t>(std::max<uint64_t>(model.register_unit, fit)));
  }
  return most;
}

// A kernel whose warp groups pass registers on begins with all that its blocks may have, but for what no
// group asks for, whatever its values need: 168 for 384 threads, 104 where none wants more (ptxas 13.0,
// kernels of two values). Without .maxnreg or .minnctapersm it ignores setmaxnreg, and says so. 0: as many as
// the values need.
uint32_t registers_passed_on(const Program& p, uint32_t most) {
  const Directives& d = p.functions[0].function->directives;
  if (d.minnctapersm == 0 && d.maxnreg == 0) return 0;
  uint32_t wanted = 0;
  for (const Instr& in : p.code) {
    if (static_cast<OpClass>(in.op_class) == OpClass::setmaxreg)
      wanted = std::max(wanted, static_cast<uint32_t>(in.imm));
  }
  return std::min(wanted, most);
}

void check_classes(const MachineProgram& machine, const MachineModel& model) {
  for (const MachineOp& op : machine.ops) {
    if (model.latency[static_cast<size_t>(op.op)].interval != 0 || op.op == OpClass::none) continue;
    throw Error(ErrorKind::kUnsupported,
                "the configuration has no row for operation class '" + std::string(info(op.op).name) + "'",
                {}, "add it below sm.operations");
  }
}

}  // namespace

MachineProgram lower(const Program& program, const MachineModel& model, const LoweringOptions& options) {
  auto copy = std::make_shared<Program>(program);
  Graph g;
  g.program = copy.get();
  g.model = &model;
  g.options = options;
  g.flow = build_flow(*copy);
  if (options.lowering != Lowering::kNone) {
    order_clocks(g);
    order_copies(g);
  }
  g.liveness = find_liveness(*copy, g.flow);
  for (const Liveness::FunctionRows& rows : g.liveness.rows) {
    g.first_virtual.push_back(static_cast<uint32_t>(g.registers.size()));
    for (const uint8_t bytes : rows.bytes) {
      g.registers.push_back({static_cast<uint8_t>((bytes + 3) / 4), false, kNoRegister});
    }
  }
  g.conventional = Calls::find_conventional(*copy);
  if (options.lowering == Lowering::kNone) {
    plain_operations(g);
  } else {
    find_uniform_values(g);
    select_operations(g);
    merge_accesses(g);
    use_uniform_arithmetic(g);
    use_uniform_path(g);
    balance_pipes(g);
    sink_constants(g);
    find_first_definitions(g);
    split_webs(g);
    coalesce_parameters(g);
    rematerialize_constants(g);
    join_halves(g);
    make_tuples(g);
    pair_zeros(g);
  }
  const uint32_t most = allowed_registers(*copy, model, options);
  const bool moves = options.lowering != Lowering::kNone && options.schedule;
  uint32_t spilled = 0;
  const uint32_t used =
      moves ? allocate_with_spills(g, most, spilled) : allocate_registers(g, allocation_facts(g), most);
  if (options.lowering != Lowering::kNone) {
    add_frames(g);
    put_empty_loads(g);
  }
  MachineProgram machine = attach_and_encode(g);
  set_control_codes(g, machine);
  if (options.lowering != Lowering::kNone) set_yields(model, machine);
  check_classes(machine, model);
  machine.spill_bytes = spilled;
  machine.registers_per_thread = std::max(model.profile.least_registers, std::min(used, most));
  const uint32_t given = registers_passed_on(*copy, most);
  machine.registers_given = given != 0;
  if (given != 0) machine.registers_per_thread = given;
  copy->registers_per_thread = machine.registers_per_thread;
  reuse_rows(*copy);
  make_time_records(*copy, machine);
  machine.program = copy.get();
  machine.owned = std::move(copy);
  return machine;
}

MachineModel plain_model() {
  MachineModel m;
  for (size_t k = 0; k < m.latency.size(); ++k) {
    const auto op = static_cast<OpClass>(k);
    if (!info(op).composite()) m.sequence[k] = {op};
  }
  const auto set = [&](OpClass op, uint16_t latency, bool variable) {
    m.latency[static_cast<size_t>(op)] = {latency, 1, variable};
  };
  for (const OpClass op : {OpClass::ldg, OpClass::ldgen, OpClass::ldl, OpClass::atomg}) set(op, 33, true);
  for (const OpClass op :
       {OpClass::lds, OpClass::ldsm, OpClass::atoms, OpClass::shfl, OpClass::ldc, OpClass::s2r})
    set(op, 24, true);
  for (const OpClass op : {OpClass::stg, OpClass::sts, OpClass::stgen, OpClass::stl, OpClass::red})
    set(op, 14, true);
  for (const OpClass op : {OpClass::mufu, OpClass::f2f, OpClass::f2i, OpClass::popc, OpClass::flo})
    set(op, 17, true);
  for (const OpClass op : {OpClass::dadd, OpClass::dmul, OpClass::dfma}) set(op, 8, false);
  return m;
}

}  // namespace gpuloom::ptx
