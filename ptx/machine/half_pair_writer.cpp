// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ptx/isa/table/op_traits.h"
#include "ptx/machine/facts.h"
#include "ptx/machine/half_pairs.h"

namespace gpuloom::ptx {

namespace {

class HalfPairWriter {
 public:
  HalfPairWriter(Graph& g, uint32_t f, const SharedHalves& shared)
      : g_(g), p_(*g.program), f_(f), shared_(shared) {}

  void join(const std::vector<HalfPair>& arithmetic, const std::vector<HalfPair>& others) {
    std::vector<std::vector<const HalfPair*>> of_block(g_.blocks.size());
    for (const auto* list : {&arithmetic, &others})
      for (const HalfPair& pair : *list) of_block[pair.block].push_back(&pair);
    for (uint32_t b = g_.flow.first_block[f_]; b < g_.flow.first_block[f_ + 1]; ++b) write(b, of_block[b]);
  }

 private:
  uint32_t shared(uint32_t v) const {
    const auto at = shared_.find(v);
    return at == shared_.end() ? v : at->second.first;
  }
  bool is_upper(uint32_t v) const {
    const auto at = shared_.find(v);
    return at != shared_.end() && at->second.second == v;
  }

  void write(uint32_t b, const std::vector<const HalfPair*>& pairs) {
    std::vector<Node>& nodes = g_.blocks[b];
    std::vector<const HalfPair*> second_of(nodes.size(), nullptr);
    std::vector<uint8_t> gone(nodes.size(), 0);
    std::unordered_map<uint32_t, std::vector<uint32_t>> halves;  // by second place: registers to put together
    for (const HalfPair* pair : pairs) {
      if (pair->apart) halves[pair->second] = set_apart(nodes, *pair);
      gone[pair->first] = pair->apart ? 0 : 1;
      second_of[pair->second] = pair;
    }
    std::vector<Node> out;
    out.reserve(nodes.size());
    for (uint32_t k = 0; k < nodes.size(); ++k) {
      if (gone[k] != 0) continue;
      if (second_of[k] != nullptr && second_of[k]->apart) {
        const uint32_t decoded = nodes[k].decoded;
        write_single(nodes[k], out);
        permute(halves.at(k), decoded, out);
        out.back().defs = {shared(second_of[k]->results.first)};
      } else if (second_of[k] != nullptr) {
        write_pair(nodes[second_of[k]->first], nodes[k], *second_of[k], out);
      } else {
        write_single(nodes[k], out);
      }
    }
    nodes = std::move(out);
  }

  // Gives each of the two a register of its own.
  std::vector<uint32_t> set_apart(std::vector<Node>& nodes, const HalfPair& pair) {
    std::vector<uint32_t> own;
    for (const uint32_t k : {pair.first, pair.second}) {
      const uint32_t old = nodes[k].defs[0];
      nodes[k].defs[0] = static_cast<uint32_t>(g_.registers.size());
      g_.registers.push_back({1, false, kNoRegister});
      std::vector<uint32_t>& uses = nodes[pair.second].uses;
      if (k == pair.first) std::replace(uses.begin(), uses.end(), old, nodes[k].defs[0]);
      own.push_back(nodes[k].defs[0]);
    }
    return own;
  }

  static void add(std::vector<uint32_t>& list, uint32_t v) {
    if (std::find(list.begin(), list.end(), v) == list.end()) list.push_back(v);
  }

  // PRMT puts together what stands in registers of its own, or takes the upper half out.
  uint32_t permute(const std::vector<uint32_t>& from, uint32_t decoded, std::vector<Node>& out) {
    g_.registers.push_back({1, false, kNoRegister});
    Node& n = out.emplace_back();
    n.op = OpClass::prmt;
    n.decoded = decoded;
    n.uses = from;
    n.defs = {static_cast<uint32_t>(g_.registers.size() - 1)};
    return n.defs[0];
  }

  void write_pair(const Node& first, Node& second, const HalfPair& pair, std::vector<Node>& out) {
    const bool arithmetic = is_half_operation(second.op);
    std::vector<uint32_t> uses;
    std::unordered_map<uint32_t, uint32_t> packed;
    for (const HalfRegisters& both : pair.operands) {
      if (shared(both.first) == shared(both.second)) continue;
      packed[both.first] = packed[both.second] = permute({both.first, both.second}, second.decoded, out);
    }
    for (const Node* n : {pair.first_is_low ? &first : &second, pair.first_is_low ? &second : &first}) {
      for (const uint32_t v : n->uses) {
        const auto at = packed.find(v);
        add(uses, at == packed.end() ? shared(v) : at->second);
      }
    }
    // Two constants are one; two halves of one register go there together; others are put together.
    if (!arithmetic && uses.size() > 1) second.op = OpClass::prmt;
    second.uses = std::move(uses);
    second.defs = {shared(pair.results.first)};
    second.also.push_back(first.decoded);
    out.push_back(std::move(second));
  }

  bool picks(const Node& n) const { return is(n.op, kHalfArithmetic) || n.op == OpClass::prmt; }

  void write_single(Node& n, std::vector<Node>& out) {
    const std::vector<uint32_t> old = n.uses;
    if (n.op == OpClass::mov && old.size() == 1 && is_upper(old[0])) n.op = OpClass::prmt;
    bool both = false;
    const auto rename = [&](uint32_t v) {
      if (v == kNoVirtual || !is_upper(v) || picks(n)) return v == kNoVirtual ? v : shared(v);
      return permute({shared(v)}, n.decoded, out);
    };
    std::unordered_map<uint32_t, uint32_t> names;
    std::vector<uint32_t> uses;
    for (const uint32_t v : old) {
      const auto [at, is_new] = names.try_emplace(v, 0);
      if (is_new) at->second = rename(v);
      both |= std::find(uses.begin(), uses.end(), at->second) != uses.end();
      add(uses, at->second);
    }
    const auto named = [&](uint32_t v) {
      const auto at = names.find(v);
      return at == names.end() ? (v == kNoVirtual ? v : shared(v)) : at->second;
    };
    for (uint32_t& v : n.tuple) v = named(v);
    for (std::vector<uint32_t>& row : n.rows)
      for (uint32_t& v : row) v = named(v);
    // What packs the two halves of a register is a copy of it.
    if (both && n.op == OpClass::prmt && uses.size() == 1 && old.size() == 2 && !is_upper(old[0]) &&
        n.carries && shape_of(p_, instr(n)) == Shape::kPack) {
      n.op = OpClass::mov;
      n.copies = true;
    }
    n.uses = std::move(uses);
    out.push_back(std::move(n));
  }

  const Instr& instr(const Node& n) const { return p_.code[n.decoded]; }

  Graph& g_;
  const Program& p_;
  uint32_t f_;
  const SharedHalves& shared_;
};

}  // namespace

void join_half_pairs(Graph& graph, uint32_t function, const std::vector<HalfPair>& arithmetic,
                     const std::vector<HalfPair>& others, const SharedHalves& shared) {
  HalfPairWriter(graph, function, shared).join(arithmetic, others);
}

}  // namespace gpuloom::ptx
