// SPDX-License-Identifier: Apache-2.0
#include "ptx/machine/lowering_result.h"

#include "ptx/passes/program_result.h"

namespace gpuloom::ptx {

namespace {

std::string value_text(const Graph& g, uint32_t v) {
  const VirtualRegister& r = g.registers[v];
  std::string out = r.words == 0 ? "p" : r.uniform ? "u" : "v";
  out += std::to_string(v);
  if (r.words > 1) out += "x" + std::to_string(r.words);
  if (r.physical != kNoRegister) out += ":" + std::to_string(r.physical);
  return out;
}

std::string values_text(const Graph& g, const std::vector<uint32_t>& list) {
  std::string out;
  for (const uint32_t v : list)
    out += (out.empty() ? "" : ", ") + (v == kNoVirtual ? std::string("-") : value_text(g, v));
  return out;
}

std::string node_text(const Graph& g, const Node& n) {
  std::string out = std::string(n.guarded ? "@P " : "") + std::string(info(n.op).name);
  if (n.uniform) out += ".uniform";
  if (n.memory && n.lane_bytes != 0) out += "." + std::to_string(8 * n.lane_bytes);
  if (!n.defs.empty()) out += "  " + values_text(g, n.defs) + " =";
  if (!n.uses.empty()) out += "  " + values_text(g, n.uses);
  if (n.constant_operand) out += "  c[" + std::to_string(n.constant_offset) + "]";
  if (!n.tuple.empty()) out += "  stores {" + values_text(g, n.tuple) + "}";
  for (const std::vector<uint32_t>& row : n.rows) out += "  row {" + values_text(g, row) + "}";
  out += "  | ";
  if (!n.carries) out += "part of ";
  if (n.decoded < g.program->code.size()) out += ptx_of(*g.program, n.decoded);
  for (const uint32_t i : n.also) out += "; " + ptx_of(*g.program, i);
  return out;
}

}  // namespace

std::string list_graph(const Graph& g) {
  std::string out;
  for (size_t b = 0; b < g.blocks.size(); ++b) {
    out += "block " + std::to_string(b) + ":\n";
    for (const Node& n : g.blocks[b]) out += "  " + node_text(g, n) + "\n";
  }
  return out;
}

// Operations come first, then the machine program; before both there is the decoded program alone.
std::string LoweringResult::listing() const {
  if (machine_.program != nullptr) return describe(machine_);
  if (!graph_.blocks.empty() && machine_.ops.empty()) return list_graph(graph_);
  if (machine_.ops.empty()) return list_program(*graph_.program);
  MachineProgram machine = machine_;
  machine.program = graph_.program;
  return describe(machine);
}

std::vector<std::string> LoweringResult::problems() const {
  std::vector<std::string> out = check_program(*graph_.program);
  std::vector<std::string> more;
  if (!machine_.ops.empty()) {
    MachineProgram machine = machine_;
    machine.program = graph_.program;
    more = check_machine(machine, *graph_.model);
  } else if (!graph_.blocks.empty()) {
    more = check_graph(graph_);
  }
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

}  // namespace gpuloom::ptx
