// SPDX-License-Identifier: Apache-2.0
// Arithmetic on single halves goes two at a time: HFMA2 and its like do both halves of a register, and one
// for the price of two where the operations are alike, their operands are the halves of one register (or one
// half for both) and so become their results (22 kernels of two to four operations, ptxas 13.0, sm_90: in one
// block, at any distance; halves of one place never stand in the other; what starts in registers of its own
// is packed by PRMT, also where only a third operation gains; different operations or modifiers stay apart. A
// product of halves by tiles: HFMA2 R47, R19.H1_H1, R23, R47, its sums in pairs around the loop). The halves
// lose nothing: the decoded instructions are the same, and two take effect with one operation.
#include "ptx/machine/half_pairs.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "ptx/isa/table/op_traits.h"
#include "ptx/machine/facts.h"

namespace gpuloom::ptx {

namespace {

// So far an operation looks for its like among those that read the other half.
constexpr size_t kFarthest = 256;
// Turns of drop_impossible(); pairs that contradict one another after them are given up.
constexpr unsigned kTurns = 8;

class HalfPairs {
 public:
  HalfPairs(Graph& g, uint32_t f) : g_(g), p_(*g.program), f_(f) {}

  void run() {
    find_words();
    if (mates_.empty()) return;
    for (uint32_t b = g_.flow.first_block[f_]; b < g_.flow.first_block[f_ + 1]; ++b) scan(b);
    for (unsigned turn = 0; turn < kTurns && !pairs_.empty(); ++turn) {
      if (!drop_impossible()) return join_half_pairs(g_, f_, pairs_, others_, shared_);
    }
  }

 private:
  struct Mate {
    int32_t row;  // of the other half
    bool upper;   // this one is the upper half
  };
  const Instr& instr(const Node& n) const { return p_.code[n.decoded]; }
  uint32_t number(int32_t row) const {
    return g_.first_virtual[f_] + g_.liveness.number(f_, Place::reg(static_cast<uint32_t>(row)));
  }
  uint32_t register_of(int32_t row) const { return g_.register_of_row[number(row)]; }

  // ---- halves of one register

  // What an instruction takes out of a register, or loads into one, in elements of 16 bits.
  void find_words() {
    const FunctionCode& code = p_.functions[f_];
    std::unordered_map<int32_t, uint32_t> makers;
    for (uint32_t r = p_.ref_begin[code.entry]; r < p_.ref_begin[code.end]; ++r)
      if (p_.refs[r].defines) ++makers[p_.refs[r].place.at];
    for (uint32_t i = code.entry; i < code.end; ++i) {
      const Instr& in = p_.code[i];
      if (in.guard.present() || (in.kind == InstrKind::kPlain && shape_of(p_, in) != Shape::kPack)) continue;
      if (in.kind != InstrKind::kPlain && in.kind != InstrKind::kLoad) continue;
      const OperandRef* low = nullptr;
      for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
        const OperandRef& ref = p_.refs[r];
        if (!ref.defines || ref.bytes != 2 || ref.element == 0xff || makers[ref.place.at] != 1) continue;
        if (ref.element % 2 == 0) {
          low = &ref;
        } else if (low != nullptr && low->element + 1 == ref.element && stand_together(*low, ref)) {
          meet(low->place.at, ref.place.at);
        }
      }
    }
  }
  bool stand_together(const OperandRef& low, const OperandRef& high) const {
    const uint32_t v = register_of(low.place.at);
    return v != kNoVirtual && v == register_of(high.place.at);
  }
  void meet(int32_t low, int32_t high) {
    mates_[low] = {high, false};
    mates_[high] = {low, true};
  }

  // ---- operations that are alike

  bool may_pair(const Node& n) const {
    if (!is_half_operation(n.op) || !n.carries || n.guarded || !n.also.empty() || n.defs.size() != 1)
      return false;
    const Instr& in = instr(n);
    if (in.kind != InstrKind::kPlain || in.guard.present() || !free_register(n.defs[0])) return false;
    return std::all_of(p_.refs.begin() + p_.ref_begin[n.decoded],
                       p_.refs.begin() + p_.ref_begin[n.decoded + 1],
                       [](const OperandRef& ref) { return ref.bytes == 2 && ref.operand < kInstrPlaces; });
  }
  bool free_register(uint32_t v) const {
    const VirtualRegister& r = g_.registers[v];
    return r.words == 1 && !r.uniform && r.fixed == kNoRegister && !r.whole;
  }

  void scan(uint32_t b) {
    const std::vector<Node>& nodes = g_.blocks[b];
    std::unordered_map<int32_t, std::vector<uint32_t>> readers;  // by row
    std::vector<uint32_t> candidates;
    for (uint32_t k = 0; k < nodes.size(); ++k) {
      if (!may_pair(nodes[k])) continue;
      candidates.push_back(k);
      for (uint32_t o = 1; o < kInstrPlaces; ++o) {
        const Place at = instr(nodes[k]).ops[o];
        if (at.present() && !at.constant()) readers[at.at].push_back(k);
      }
    }
    std::vector<uint8_t> taken(nodes.size(), 0);
    for (const uint32_t k : candidates) {
      if (taken[k] != 0) continue;
      const uint32_t other = find_like(b, k, readers, taken);
      if (other == kNoVirtual) continue;
      taken[k] = taken[other] = 1;
    }
  }

  // The next operation like the one at k, which it forms a pair with.
  uint32_t find_like(uint32_t b, uint32_t k,
                     const std::unordered_map<int32_t, std::vector<uint32_t>>& readers,
                     const std::vector<uint8_t>& taken) {
    const std::vector<Node>& nodes = g_.blocks[b];
    std::vector<uint32_t> likes;
    for (uint32_t o = 1; o < kInstrPlaces; ++o) {
      const Place at = instr(nodes[k]).ops[o];
      const auto mate = at.present() && !at.constant() ? mates_.find(at.at) : mates_.end();
      if (mate == mates_.end()) continue;
      const auto list = readers.find(mate->second.row);
      if (list == readers.end()) continue;
      const auto begin = std::upper_bound(list->second.begin(), list->second.end(), k);
      const auto end = list->second.end() - begin > static_cast<ptrdiff_t>(kFarthest)
                           ? begin + static_cast<ptrdiff_t>(kFarthest)
                           : list->second.end();
      likes.insert(likes.end(), begin, end);
    }
    std::sort(likes.begin(), likes.end());
    for (const uint32_t other : likes) {
      if (taken[other] == 0 && make_pair(b, k, other)) return other;
    }
    return kNoVirtual;
  }

  bool alike(const Instr& x, const Instr& y) const {
    return x.fn == y.fn && x.op_class == y.op_class && x.aux == y.aux && x.imm == y.imm && x.type == y.type &&
           x.extra == y.extra;
  }

  // Whether the halves x and y of one operand can be of one register: `order` says which is the upper one,
  // where that is known.
  enum class Order : uint8_t { kAny, kFirstLow, kSecondLow };
  bool agree(Place x, Place y, Order& order, bool& free) const {
    free = false;
    if (!x.present() || !y.present()) return x.present() == y.present();
    if (x.at == y.at || (x.constant() && y.constant())) return true;
    if (x.constant() || y.constant()) return false;
    const auto mate = mates_.find(x.at);
    if (mate == mates_.end()) {
      free = mates_.find(y.at) == mates_.end();
      return free;
    }
    const Order now = mate->second.upper ? Order::kSecondLow : Order::kFirstLow;
    if (mate->second.row != y.at || (order != Order::kAny && order != now)) return false;
    order = now;
    return true;
  }

  bool make_pair(uint32_t b, uint32_t first, uint32_t second) {
    const std::vector<Node>& nodes = g_.blocks[b];
    const Instr &x = instr(nodes[first]), &y = instr(nodes[second]);
    if (!alike(x, y)) return false;
    Order order = Order::kAny;
    std::vector<std::pair<int32_t, int32_t>> meeting;  // rows that are free so far
    bool free = false;
    for (uint32_t o = 1; o < kInstrPlaces; ++o) {
      if (!agree(x.ops[o], y.ops[o], order, free)) return false;
      if (free) meeting.emplace_back(x.ops[o].at, y.ops[o].at);
    }
    if (order == Order::kAny || !agree(x.ops[0], y.ops[0], order, free)) return false;
    if (x.ops[0].at == y.ops[0].at || !can_wait(nodes, first, second)) return false;
    if (free) meeting.emplace_back(x.ops[0].at, y.ops[0].at);
    HalfPair pair{b, first, second, order == Order::kFirstLow, {}, {}, false};
    const auto in_order = [&](uint32_t v, uint32_t w) {
      return pair.first_is_low ? HalfRegisters{v, w} : HalfRegisters{w, v};
    };
    for (uint32_t o = 1; o < kInstrPlaces; ++o) {
      if (!x.ops[o].present() || x.ops[o].constant() || x.ops[o].at == y.ops[o].at) continue;
      const uint32_t v = register_of(x.ops[o].at), w = register_of(y.ops[o].at);
      if (v == kNoVirtual || w == kNoVirtual) return false;
      if (v != w) pair.operands.push_back(in_order(v, w));
    }
    pair.results = in_order(nodes[first].defs[0], nodes[second].defs[0]);
    if (pair.results.first == pair.results.second) return false;
    for (const auto& [v, w] : meeting) pair.first_is_low ? meet(v, w) : meet(w, v);
    pairs_.push_back(std::move(pair));
    return true;
  }

  // Whether the first operation may take effect where the second does.
  bool can_wait(const std::vector<Node>& nodes, uint32_t first, uint32_t second) const {
    const Node& early = nodes[first];
    const auto has = [](const std::vector<uint32_t>& list, uint32_t v) {
      return std::find(list.begin(), list.end(), v) != list.end();
    };
    for (uint32_t k = first + 1; k <= second; ++k) {
      for (const uint32_t v : early.defs)
        if (has(nodes[k].uses, v) || has(nodes[k].defs, v)) return false;
      for (const uint32_t v : early.uses)
        if (k != second && has(nodes[k].defs, v)) return false;
    }
    return decoded_may_wait(early.decoded, nodes[second].decoded);
  }

  // The same of the decoded instructions, some of which have no operation.
  bool decoded_may_wait(uint32_t first, uint32_t second) const {
    if (first >= second) return false;
    const auto begin = p_.refs.begin() + p_.ref_begin[first], end = p_.refs.begin() + p_.ref_begin[first + 1];
    for (uint32_t r = p_.ref_begin[first + 1]; r < p_.ref_begin[second]; ++r) {
      const OperandRef& ref = p_.refs[r];
      const auto clashes = [&](const OperandRef& own) {
        return own.place.at == ref.place.at && !own.place.constant() && (own.defines || ref.defines);
      };
      if (std::any_of(begin, end, clashes)) return false;
    }
    return true;
  }

  // ---- registers for both halves

  // Where a register is written: block, place.
  using Sites = std::vector<std::pair<uint32_t, uint32_t>>;

  std::unordered_map<uint32_t, Sites> sites_of(const SharedHalves& shared) const {
    std::unordered_map<uint32_t, Sites> sites;
    for (uint32_t b = g_.flow.first_block[f_]; b < g_.flow.first_block[f_ + 1]; ++b) {
      for (uint32_t k = 0; k < g_.blocks[b].size(); ++k) {
        for (const uint32_t v : g_.blocks[b][k].defs)
          if (shared.count(v) != 0) sites[v].emplace_back(b, k);
      }
    }
    return sites;
  }

  // Which registers become one, by each of the two. False where two pairs contradict each other: those go.
  bool find_shared() {
    shared_.clear();
    std::unordered_map<uint32_t, uint8_t> results;
    for (const HalfPair& pair : pairs_) results[pair.results.first] = results[pair.results.second] = 1;
    const auto share = [&](const HalfRegisters& both) {
      if (!free_register(both.first) || !free_register(both.second)) return false;
      const auto low = shared_.try_emplace(both.first, both).first,
                 high = shared_.try_emplace(both.second, both).first;
      return low->second == both && high->second == both;
    };
    const size_t before = pairs_.size();
    std::erase_if(pairs_, [&](const HalfPair& pair) {
      if (!share(pair.results)) return true;
      return std::any_of(pair.operands.begin(), pair.operands.end(), [&](const HalfRegisters& both) {
        const bool made_in_pairs = results.count(both.first) != 0 || results.count(both.second) != 0;
        return made_in_pairs && !share(both);
      });
    });
    return pairs_.size() == before;
  }

  // A move that can be of both halves.
  bool is_move(const Node& n) const {
    return n.op == OpClass::mov && n.carries && !n.guarded && n.also.empty() && n.defs.size() == 1 &&
           n.uses.size() <= 1 && shape_of(p_, instr(n)) == Shape::kMove;
  }

  // What makes a half by itself.
  bool makes_half(const Node& n) const { return n.carries && !n.guarded && !n.ends && n.defs.size() == 1; }

  // Whether nothing but the second itself reads or writes what the first makes, before the second makes its
  // half.
  static bool is_wanted_later(const std::vector<Node>& nodes, uint32_t first, uint32_t second) {
    const uint32_t v = nodes[first].defs[0];
    const auto touches = [v](const Node& n) {
      return std::find(n.uses.begin(), n.uses.end(), v) != n.uses.end() ||
             std::find(n.defs.begin(), n.defs.end(), v) != n.defs.end();
    };
    return std::none_of(nodes.begin() + first + 1, nodes.begin() + second, touches);
  }

  // Whether all that writes the one half has its like for the other. What goes together is noted.
  bool written_together(const HalfRegisters& both, const Sites& low, const Sites& high) {
    if (low.size() != high.size()) return false;
    for (size_t k = 0; k < low.size(); ++k) {
      const auto [b, at] = low[k];
      if (high[k].first != b) return false;
      const uint32_t first = std::min(at, high[k].second), second = std::max(at, high[k].second);
      const auto known = paired_.find({b, first});
      if (known != paired_.end()) {
        if (pairs_[known->second].second != second || pairs_[known->second].results != both) return false;
        continue;
      }
      const std::vector<Node>& nodes = g_.blocks[b];
      const bool moves = is_move(nodes[first]) && is_move(nodes[second]) && can_wait(nodes, first, second);
      if (!moves &&
          (!makes_half(nodes[first]) || !makes_half(nodes[second]) || !is_wanted_later(nodes, first, second)))
        return false;
      others_.push_back({b, first, second, first == at, {}, both, !moves});
    }
    return true;
  }

  // Gives up pairs that cannot be; true where there were any.
  bool drop_impossible() {
    if (!find_shared()) return true;
    others_.clear();
    paired_.clear();
    for (uint32_t k = 0; k < pairs_.size(); ++k) paired_[{pairs_[k].block, pairs_[k].first}] = k;
    const std::unordered_map<uint32_t, Sites> sites = sites_of(shared_);
    const auto of = [&](uint32_t v) {
      const auto at = sites.find(v);
      return at == sites.end() ? Sites{} : at->second;
    };
    std::unordered_map<uint32_t, uint8_t> impossible;
    for (const auto& [v, both] : shared_) {
      if (v != both.first || written_together(both, of(both.first), of(both.second))) continue;
      impossible[both.first] = impossible[both.second] = 1;
    }
    if (impossible.empty()) return false;
    std::erase_if(pairs_, [&](const HalfPair& pair) {
      const auto names = [&](const HalfRegisters& both) {
        return impossible.count(both.first) != 0 || impossible.count(both.second) != 0;
      };
      return names(pair.results) || std::any_of(pair.operands.begin(), pair.operands.end(), names);
    });
    return true;
  }

  Graph& g_;
  const Program& p_;
  uint32_t f_;
  std::unordered_map<int32_t, Mate> mates_;  // by row
  std::vector<HalfPair> pairs_, others_;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> paired_;  // by block and first place: which pair
  SharedHalves shared_;
};

}  // namespace

bool is_half_operation(OpClass op) { return is(op, kPairsHalves); }

void pair_halves(Graph& g) {
  for (uint32_t f = 0; f < g.program->functions.size(); ++f) HalfPairs(g, f).run();
}

}  // namespace gpuloom::ptx
