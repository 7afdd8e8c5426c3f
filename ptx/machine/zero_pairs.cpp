// SPDX-License-Identifier: Apache-2.0
// Two zeros that come to stand in an aligned pair of registers are one CS2R of SRZ: all of what a guarded
// vector load leaves where it does not run, and accumulators of matrix products (ptxas 13.0, sm_90: one, two
// and four loads of two or four words; Triton's vector addition). Zeros of single registers are paired too:
// those that guarded loads of one word leave, all but one or two of them, and other zeros where a block sets
// many, the sums of a tile (1 to 40 such loads and sums; SASS of SGEMM_CUDA: 64 CS2R for 128 sums).
#include <algorithm>
#include <cstring>

#include "ptx/machine/facts.h"
#include "ptx/machine/graph.h"

namespace gpuloom::ptx {

namespace {

class ZeroPairs {
 public:
  explicit ZeroPairs(Graph& g) : g_(g), p_(*g.program), zero_at_(g.registers.size(), kNowhere) {}

  void run() {
    const std::vector<std::vector<uint32_t>> groups = consecutive_registers(g_);
    for (std::vector<Node>& nodes : g_.blocks) {
      std::vector<uint32_t> zeros;
      for (uint32_t k = 0; k < nodes.size(); ++k) {
        if (!is_zero(nodes[k])) continue;
        const uint32_t v = nodes[k].defs[0];
        if (zero_at_[v] == kNowhere) zeros.push_back(v);
        zero_at_[v] = k;
      }
      if (zeros.size() >= 2) pair(nodes, groups);
      for (const uint32_t v : zeros) zero_at_[v] = kNowhere;
    }
  }

 private:
  static constexpr uint32_t kNowhere = UINT32_MAX;

  bool is_zero(const Node& n) const {
    if ((n.op != OpClass::mov && n.op != OpClass::imad) || !n.carries || n.guarded || n.uniform ||
        !n.uses.empty() || n.defs.size() != 1 || !n.also.empty())
      return false;
    const VirtualRegister& r = g_.registers[n.defs[0]];
    const Instr& in = p_.code[n.decoded];
    if (r.words != 1 || r.uniform || r.fixed != kNoRegister || shape_of(p_, in) != Shape::kMove || in.vec > 1)
      return false;
    const Place from = in.ops[1];
    if (!from.present() || !from.constant()) return false;
    uint32_t bits = 0;
    std::memcpy(&bits, p_.constants.data() + static_cast<uint32_t>(~from.at), sizeof bits);
    return bits == 0;
  }

  // Zeros of 16 bits are PRMT.
  bool is_word(const Node& n) const {
    const Type type = p_.code[n.decoded].type;
    return type == Type::kNone || bytes(type) == 4;
  }

  void pair(std::vector<Node>& nodes, const std::vector<std::vector<uint32_t>>& groups) {
    std::vector<uint8_t> gone(nodes.size(), 0);
    for (const std::vector<uint32_t>& group : groups) {
      for (size_t k = 0; k + 1 < group.size(); k += 2) join(nodes, gone, group[k], group[k + 1]);
    }
    join_single(nodes, gone, groups);
    size_t kept = 0;
    for (size_t k = 0; k < nodes.size(); ++k) {
      if (gone[k] != 0) continue;
      if (kept != k) nodes[kept] = std::move(nodes[k]);
      ++kept;
    }
    nodes.resize(kept);
  }

  void join_single(std::vector<Node>& nodes, std::vector<uint8_t>& gone,
                   const std::vector<std::vector<uint32_t>>& groups) {
    constexpr size_t kNotPaired = 14;  // of 12 sums none are, of 16 four, of 20 twelve, of 24 twenty-two
    std::vector<uint8_t> grouped(g_.registers.size(), 0), loaded(g_.registers.size(), 0);
    for (const std::vector<uint32_t>& group : groups) {
      for (const uint32_t v : group) grouped[v] = 1;
    }
    for (const Node& n : nodes) {
      if (n.guarded && n.loads && n.defs.size() == 1) loaded[n.defs[0]] = 1;
    }
    std::vector<uint32_t> left, summed;
    for (const Node& n : nodes) {
      if (is_zero(n) && is_word(n) && grouped[n.defs[0]] == 0)
        (loaded[n.defs[0]] != 0 ? left : summed).push_back(n.defs[0]);
    }
    join_in_order(nodes, gone, left, left.size() / 2);
    join_in_order(nodes, gone, summed, summed.size() - std::min(summed.size(), kNotPaired));
  }

  // At most `most` pairs, behind the first, which stays alone.
  void join_in_order(std::vector<Node>& nodes, std::vector<uint8_t>& gone,
                     const std::vector<uint32_t>& single, size_t most) {
    for (size_t k = 1; k + 1 < single.size() && k < 2 * most; k += 2) {
      if (single[k] != single[k + 1]) join(nodes, gone, single[k], single[k + 1]);
    }
  }

  // Whether anything between them reads or writes what the second sets to zero.
  bool is_used_between(uint32_t first, uint32_t second) const {
    const int32_t row = p_.code[second].ops[0].at;
    return first > second ||
           std::any_of(p_.refs.begin() + p_.ref_begin[first + 1], p_.refs.begin() + p_.ref_begin[second],
                       [&](const OperandRef& ref) { return ref.place.at == row; });
  }

  void join(std::vector<Node>& nodes, std::vector<uint8_t>& gone, uint32_t low, uint32_t high) {
    if (low == kNoVirtual || high == kNoVirtual || zero_at_[low] == kNowhere || zero_at_[high] == kNowhere)
      return;
    const auto [first, second] = std::minmax(zero_at_[low], zero_at_[high]);
    if (is_used_between(nodes[first].decoded, nodes[second].decoded)) return;
    Node& n = nodes[first];
    n.op = OpClass::cs2r;
    n.also.push_back(nodes[second].decoded);
    n.defs = {low, high};
    gone[second] = 1;
  }

  Graph& g_;
  const Program& p_;
  std::vector<uint32_t> zero_at_;  // by virtual register: the operation of the block that sets it to zero
};

}  // namespace

void pair_zeros(Graph& g) { ZeroPairs(g).run(); }

}  // namespace gpuloom::ptx
