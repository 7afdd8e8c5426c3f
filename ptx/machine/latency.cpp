// SPDX-License-Identifier: Apache-2.0
#include "ptx/machine/latency.h"

#include <algorithm>

#include "ptx/isa/table/op_traits.h"
#include "ptx/machine/node_questions.h"

namespace gpuloom::ptx {

namespace {

constexpr uint32_t kConstantToUniform = 4;  // SASS of vecadd: ULDC to ISETP; to LEA and IMAD less

bool loads_constant_uniformly(const Node& n) { return is_constant_load(n.op) && n.uniform; }

// A vote reads its predicate as a guard does.
bool reads_as_guard(const Node& n) { return n.guarded || n.predicated || is(n.op, kReadsAsGuard); }

}  // namespace

bool has_variable_latency(const MachineModel& model, const Node& n) {
  return model.latency[static_cast<size_t>(n.op)].variable && !loads_constant_uniformly(n);
}

uint32_t fixed_latency(const MachineModel& model, const Node& n) {
  if (loads_constant_uniformly(n)) return kConstantToUniform;
  return std::max<uint32_t>(1, model.latency[static_cast<size_t>(n.op)].latency);
}

bool only_keeps(const MachineModel& model, const Node& node, uint32_t value) {
  if (!node.guarded || node.fresh || node.memory || has_variable_latency(model, node)) return false;
  return std::find(node.defs.begin(), node.defs.end(), value) != node.defs.end() &&
         std::count(node.uses.begin(), node.uses.end(), value) == 1;
}

// What goes the same way stays in order (SASS of 360 kernels, first operation that writes a register which
// another reads: of 220 loads behind loads 8 wait, of 236 LDS and LDSM behind stores 6, of 75 LDG behind
// stores 64, of 65 conversions and MUFU among themselves 3).
bool reads_before(ReadPath path, OpClass writer) {
  switch (path) {
    case ReadPath::kLoad:
      return traits(writer).read_path == ReadPath::kLoad;
    case ReadPath::kStore:
      return writer == OpClass::lds || writer == OpClass::ldsm;
    case ReadPath::kSpecial:
      return traits(writer).read_path == ReadPath::kSpecial;
    case ReadPath::kOther:
      return false;
  }
  return false;
}

uint32_t extra_latency(const Graph& graph, OpClass producer, uint32_t value, const Node& consumer) {
  const MachineModel& m = *graph.model;
  const VirtualRegister& r = graph.registers[value];
  if (r.words == 0 && r.uniform) return consumer.uniform ? 0 : m.dependence.uniform;
  if (r.words == 0) return reads_as_guard(consumer) ? m.dependence.guard : 0;
  if (r.uniform) {
    if (is_constant_load(producer) || consumer.uniform) return 0;
    return consumer.memory ? m.dependence.uniform_memory : m.dependence.uniform;
  }
  const auto forward = [&](OpClass op) { return m.latency[static_cast<size_t>(op)].forwards; };
  if (forward(producer) == 0 || forward(consumer.op) == forward(producer)) return 0;
  if (m.latency[static_cast<size_t>(consumer.op)].reads_early) return m.dependence.special;
  return consumer.memory ? m.dependence.memory : m.dependence.other_pipe;
}

}  // namespace gpuloom::ptx
