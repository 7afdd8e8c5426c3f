// SPDX-License-Identifier: Apache-2.0
// What must hold behind each pass of lowering. Written without what the passes use to keep it.
#include <algorithm>
#include <map>

#include "ptx/machine/lowering_result.h"
#include "ptx/passes/program_result.h"

namespace gpuloom::ptx {

namespace {

class GraphCheck {
 public:
  explicit GraphCheck(const Graph& g) : g_(g), p_(*g.program) {}

  std::vector<std::string> run() {
    if (!names()) return std::move(problems_);
    carriers();
    find_functions();
    find_unwritten();
    definitions();
    for (size_t b = 0; b < g_.blocks.size(); ++b) accesses(g_.blocks[b]);
    if (std::any_of(g_.registers.begin(), g_.registers.end(), [](const VirtualRegister& r) {
          return r.physical != kNoRegister && r.fixed == kNoRegister;
        }))
      shared_registers();
    return std::move(problems_);
  }

 private:
  void problem(const Node& n, const std::string& what) {
    problems_.push_back(std::string(info(n.op).name) + " of " + ptx_of(p_, n.decoded) + " " + what);
  }

  bool names() {
    for (const std::vector<Node>& nodes : g_.blocks) {
      for (const Node& n : nodes) {
        if (n.decoded >= p_.code.size()) {
          problems_.push_back(std::string(info(n.op).name) + " stands for no instruction");
          return false;
        }
        for (const auto* list : {&n.uses, &n.defs}) {
          for (const uint32_t v : *list) {
            if (v < g_.registers.size()) continue;
            problem(n, "names a register that there is not");
            return false;
          }
        }
      }
    }
    return true;
  }

  void carriers() {
    std::vector<uint8_t> carried(p_.code.size(), 0);
    const auto carry = [&](const Node& n, uint32_t i) {
      if (carried[i]++ != 0) problem(n, "takes effect twice");
    };
    for (size_t b = 0; b < g_.blocks.size(); ++b) {
      const Block& block = g_.flow.blocks[b];
      for (const Node& n : g_.blocks[b]) {
        if (!n.carries) continue;
        if (n.decoded < block.first || n.decoded > block.last) problem(n, "takes effect in another block");
        carry(n, n.decoded);
        for (const uint32_t i : n.also) carry(n, i);
      }
    }
  }

  // Values of one function alone can be followed; parameters and results pass between two.
  void find_functions() {
    constexpr uint32_t kNobody = UINT32_MAX;
    function_.assign(g_.registers.size(), kNobody);
    passes_.assign(g_.registers.size(), 0);
    for (size_t b = 0; b < g_.blocks.size(); ++b) {
      const uint32_t f = g_.liveness.function_of[b];
      for (const Node& n : g_.blocks[b]) {
        for (const auto* list : {&n.uses, &n.defs}) {
          for (const uint32_t v : *list) {
            if (function_[v] != kNobody && function_[v] != f) passes_[v] = 1;
            function_[v] = f;
          }
        }
      }
    }
    for (uint32_t f = 0; f < p_.functions.size(); ++f) {
      const auto mark = [&](Place place) {
        if (place.present() && !place.constant())
          passes_[g_.first_virtual[f] + g_.liveness.number(f, place)] = 1;
      };
      for (const SpecialRow& s : p_.functions[f].specials) mark(s.place);
      for (const CallValue& v : p_.functions[f].params) mark(v.row);
      for (const CallValue& v : p_.functions[f].returns) mark(v.row);
    }
    for (uint32_t v = 0; v < g_.registers.size(); ++v)
      if (g_.registers[v].fixed != kNoRegister || g_.registers[v].whole) passes_[v] = 1;
  }

  // What the program itself reads where nothing has written it: its own mistake, or half of a value of which
  // the other half is looked at. Moves may have given it the register of another row.
  void find_unwritten() {
    forgives_.assign(p_.code.size(), 0);
    for (uint32_t f = 0; f < p_.functions.size(); ++f) {
      for (const auto& [i, row] : unwritten_reads(p_, f, g_.flow, g_.liveness)) {
        forgives_[i] = 1;
        passes_[g_.first_virtual[f] + row] = 1;
      }
    }
  }

  void definitions() {
    std::vector<RowSet> in(g_.blocks.size()), out(g_.blocks.size());
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t b = 0; b < g_.blocks.size(); ++b) {
        for (const uint32_t before : g_.flow.predecessors[b]) in[b].merge(out[before]);
        RowSet now = in[b];
        for (const Node& n : g_.blocks[b])
          for (const uint32_t v : n.defs) now.add(v);
        changed |= out[b].merge(now);
      }
    }
    for (size_t b = 0; b < g_.blocks.size(); ++b) {
      const uint32_t first = g_.flow.first_block[g_.liveness.function_of[b]];
      if (b != first && g_.flow.predecessors[b].empty()) continue;  // nobody comes here
      RowSet now = in[b];
      for (const Node& n : g_.blocks[b]) {
        for (const uint32_t v : n.uses) {
          const bool keeps = std::find(n.defs.begin(), n.defs.end(), v) != n.defs.end();
          if (!keeps && passes_[v] == 0 && forgives_[n.decoded] == 0 && !now.has(v))
            problem(n, "reads a register that nothing has written");
        }
        for (const uint32_t v : n.defs) now.add(v);
      }
    }
  }

  // What nothing in the kernel writes.
  static bool is_constant(const Node& n) { return n.space == Space::kConst || n.space == Space::kParam; }

  static Space memory_of(Space s) { return s == Space::kSharedCluster ? Space::kShared : s; }

  // The row of the address, where no instruction of the block writes it.
  Place steady_base(const Node& n) const {
    const uint32_t b = g_.flow.block_of[n.decoded];
    Place base;
    for (uint32_t r = p_.ref_begin[n.decoded]; r < p_.ref_begin[n.decoded + 1] && !base.present(); ++r)
      if (p_.refs[r].address) base = p_.refs[r].place;
    if (!base.present() || base.constant()) return base;
    for (uint32_t r = p_.ref_begin[g_.flow.blocks[b].first]; r < p_.ref_begin[g_.flow.blocks[b].last + 1];
         ++r)
      if (p_.refs[r].defines && p_.refs[r].place.at == base.at) return {};
    return base;
  }

  bool surely_apart(const Node& a, const Node& b) const {
    const Instr &x = p_.code[a.decoded], &y = p_.code[b.decoded];
    if (!a.also.empty() || !b.also.empty()) return true;  // several at once: each was checked before
    const Place base = steady_base(a);
    const auto simple = [](const Instr& in) {
      return in.kind == InstrKind::kLoad || in.kind == InstrKind::kStore;
    };
    if (!simple(x) || !simple(y)) return false;
    if (!base.present() || base.at != steady_base(b).at) return !base.present();  // another address each time
    const auto size = [](const Instr& in) {
      return int64_t{in.type == Type::kNone ? 16 : bytes(in.type)} * std::max<int64_t>(1, in.vec);
    };
    return x.imm >= y.imm + size(y) || y.imm >= x.imm + size(x);
  }

  // Of two accesses to one memory of which one writes, the first stays first.
  void accesses(const std::vector<Node>& nodes) {
    std::vector<const Node*> seen;
    for (const Node& n : nodes) {
      if (!n.carries || !n.memory || is_constant(n)) continue;
      const bool writes = p_.code[n.decoded].kind != InstrKind::kLoad;
      for (const Node* before : seen) {
        if (before->decoded < n.decoded) continue;
        if (!writes && p_.code[before->decoded].kind == InstrKind::kLoad) continue;
        const Space s = memory_of(n.space), t = memory_of(before->space);
        if (s != t && s != Space::kGeneric && t != Space::kGeneric) continue;
        if (!surely_apart(*before, n)) problem(n, "comes behind an access that followed it");
      }
      seen.push_back(&n);
    }
  }

  // What is made while another value is needed does not stand in its register.
  void shared_registers() {
    const VirtualLiveness live = virtual_liveness(g_);
    for (size_t b = 0; b < g_.blocks.size(); ++b) {
      RowSet now = live.out[b];
      for (size_t k = g_.blocks[b].size(); k-- > 0;) {
        const Node& n = g_.blocks[b][k];
        for (const uint32_t v : n.defs) now.for_each([&](uint32_t w) { compare(n, v, w); });
        if (!n.guarded || n.fresh)
          for (const uint32_t v : n.defs) now.remove(v);
        for (const uint32_t v : n.uses) now.add(v);
      }
    }
  }

  void compare(const Node& n, uint32_t v, uint32_t w) {
    const VirtualRegister &x = g_.registers[v], &y = g_.registers[w];
    constexpr uint8_t kNone = kNoRegister - 1;  // what found no place
    if (v == w || x.physical >= kNone || y.physical >= kNone) return;
    if ((x.words == 0) != (y.words == 0) || x.uniform != y.uniform || passes_[v] != 0 || passes_[w] != 0)
      return;
    const unsigned mine = std::max<unsigned>(1, x.words), other = std::max<unsigned>(1, y.words);
    if (x.physical + mine <= y.physical || y.physical + other <= x.physical) return;
    problem(n, "writes register " + std::to_string(x.physical) + " while another value stands there");
  }

  const Graph& g_;
  const Program& p_;
  std::vector<uint32_t> function_;
  // By register: between functions, filled by the hardware, or unwritten in the program.
  std::vector<uint8_t> passes_;
  std::vector<uint8_t> forgives_;  // by instruction: reads what is unwritten in the program
  std::vector<std::string> problems_;
};

void check_operation(const MachineOp& op, const MachineModel& model, std::vector<std::string>& out) {
  const auto problem = [&](const char* what) {
    out.push_back(std::string(info(op.op).name) + " of instruction " + std::to_string(op.source) + " " +
                  what);
  };
  const auto known = [&](uint8_t board) { return board == kNoScoreboard || board < model.scoreboards; };
  if (op.stall > kMostOfStall) problem("stalls for more than its bits can say");
  if (!known(op.write_scoreboard) || !known(op.read_scoreboard))
    problem("counts at a scoreboard that there is not");
}

}  // namespace

std::vector<std::string> check_graph(const Graph& graph) { return GraphCheck(graph).run(); }

std::vector<std::string> check_machine(const MachineProgram& m, const MachineModel& model) {
  std::vector<std::string> out;
  const Program& p = *m.program;
  for (const MachineOp& op : m.ops) check_operation(op, model, out);
  if (p.blocks.size() != m.blocks.size()) out.push_back("the blocks are not those of the program");
  if (!out.empty()) return out;
  for (size_t b = 0; b < p.blocks.size(); ++b) {
    uint32_t next = p.blocks[b].first;
    for (uint32_t k = m.blocks[b].first; k < m.blocks[b].first + m.blocks[b].count; ++k) {
      if (m.ops[k].exec_count == 0) continue;
      if (m.ops[k].exec_first != next)
        out.push_back("block " + std::to_string(b) + " leaves an instruction out");
      next = m.ops[k].exec_first + m.ops[k].exec_count;
    }
    if (next != p.blocks[b].last + 1)
      out.push_back("block " + std::to_string(b) + " does not end with its code");
  }
  return out;
}

}  // namespace gpuloom::ptx
