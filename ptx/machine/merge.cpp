// SPDX-License-Identifier: Apache-2.0
// Adjacent accesses of a thread become one of 8 or 16 bytes, as ptxas makes LDS.64, LDS.128, STS.64 and
// LDC.64 of them: same base register, same guard, offsets that fill an aligned piece, an alignment that is
// known, and nothing in between that must see one but not the other. Loads go to the first of them, stores to
// the last. (SASS of reduce_interleaved has @!P0 LDS.64.) Halves that only operands which take either half of
// a register read come two or four at a time (rules/half_values): two of them have one register.
#include <algorithm>
#include <map>
#include <tuple>

#include "ptx/machine/alignment.h"
#include "ptx/machine/dependence.h"
#include "ptx/machine/facts.h"

namespace gpuloom::ptx {

namespace {

struct Access {
  uint32_t node = 0;
  int64_t offset = 0;
  uint32_t bytes = 0;
};

// Accesses that may become one: everything but the offset is equal.
struct Family {
  int32_t base = 0;
  uint32_t version = 0;  // the instruction of the block that wrote the base last
  int32_t guard = 0;
  uint32_t guard_version = 0;  // the same of the guard
  bool guard_negated = false;
  Space space = Space::kGeneric;
  uint32_t bytes = 0;
  bool stores = false;
  auto key() const {
    return std::make_tuple(stores, base, version, guard, guard_version, guard_negated, space, bytes);
  }
  bool operator<(const Family& other) const { return key() < other.key(); }
};

class BlockMerger {
 public:
  BlockMerger(Graph& g, uint32_t b, const std::vector<uint8_t>& zero_bits,
              std::map<uint32_t, uint32_t>& upper_of)
      : g_(g),
        p_(*g.program),
        f_(g.liveness.function_of[b]),
        first_(g.flow.blocks[b].first),
        last_(g.flow.blocks[b].last),
        nodes_(g.blocks[b]),
        zero_bits_(zero_bits),
        upper_of_(upper_of) {}

  void run() {
    gather();
    if (families_.empty()) return;
    before_ = block_dependences(g_, g_.flow.block_of[first_]);
    place_carriers();
    // Stores first: they move down, and loads must see where they end.
    for (const bool stores : {true, false}) {
      for (auto& [family, accesses] : families_) {
        if (family.stores == stores) merge_family(family, accesses);
      }
    }
    nodes_.erase(std::remove_if(nodes_.begin(), nodes_.end(),
                                [](const Node& n) { return n.op == OpClass::none && !n.carries; }),
                 nodes_.end());
  }

 private:
  static bool may_merge(const Instr& in, const Node& n) {
    const bool kind = in.kind == InstrKind::kLoad || in.kind == InstrKind::kStore;
    const bool space = in.space == Space::kShared || in.space == Space::kConst || in.space == Space::kLocal;
    return n.carries && n.memory && kind && space && n.also.empty() && in.type != Type::kNone &&
           (bytes(in.type) >= 4 || n.half);
  }

  Place base(uint32_t i) const {
    for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
      if (p_.refs[r].address) return p_.refs[r].place;
    }
    return {};
  }

  void gather() {
    std::map<int32_t, uint32_t> writer;  // by row
    std::vector<uint32_t> node_of(last_ - first_ + 1, UINT32_MAX);
    for (uint32_t k = 0; k < nodes_.size(); ++k) {
      if (nodes_[k].carries) node_of[nodes_[k].decoded - first_] = k;
    }
    for (uint32_t i = first_; i <= last_; ++i) {
      const uint32_t k = node_of[i - first_];
      const Instr& in = p_.code[i];
      if (k != UINT32_MAX && may_merge(in, nodes_[k])) {
        const Place at = base(i);
        const uint32_t size = bytes(in.type) * std::max<uint32_t>(1, in.vec);
        if (size < 16) {
          const auto version = [&](Place place) {
            const auto wrote = place.present() && !place.constant() ? writer.find(place.at) : writer.end();
            return wrote == writer.end() ? UINT32_MAX : wrote->second;
          };
          Family family;
          family.base = at.present() ? at.at : INT32_MIN;
          family.version = version(at);
          family.guard = in.guard.present() ? in.guard.at : INT32_MIN;
          family.guard_version = version(in.guard);
          family.guard_negated = in.guard_negated != 0;
          family.space = in.space;
          family.bytes = size;
          family.stores = in.kind == InstrKind::kStore;
          families_[family].push_back({k, in.imm, size});
        }
      }
      for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
        if (p_.refs[r].defines) writer[p_.refs[r].place.at] = i;
      }
    }
  }

  void place_carriers() {
    at_.assign(before_.size(), UINT32_MAX);
    for (const Node& n : nodes_) {
      if (n.carries) at_[n.decoded - first_] = n.decoded - first_;
    }
  }

  // The position behind which instruction i may take effect at the earliest, seen through those that vanish.
  uint32_t earliest(uint32_t i) const {
    uint32_t after = 0;
    for (const uint32_t d : before_[i]) {
      after = std::max(after, at_[d] != UINT32_MAX ? at_[d] + 1 : earliest(d));
    }
    return after;
  }

  unsigned alignment(const Family& family) const {
    const Place at{family.base};
    if (!at.present()) return 16;
    const unsigned zeros =
        at.constant() ? zero_bits_of_constant(p_, at) : zero_bits_[g_.liveness.number(f_, at)];
    return 1u << std::min(zeros, 4u);
  }

  void merge_family(const Family& family, std::vector<Access>& accesses) {
    const unsigned align = alignment(family);
    for (const uint32_t wide : {16u, 8u, 4u}) {
      if (align < wide || family.bytes >= wide || (wide == 16 && family.space == Space::kConst)) continue;
      // An unrolled body comes to the same address again, behind a barrier perhaps: each time is a piece of
      // its own.
      std::map<std::pair<int64_t, uint32_t>, std::vector<Access>> pieces;
      std::map<int64_t, uint32_t> times;
      for (const Access& a : accesses) {
        if (nodes_[a.node].op != OpClass::none && nodes_[a.node].also.empty()) {
          pieces[{a.offset & -static_cast<int64_t>(wide), times[a.offset]++}].push_back(a);
        }
      }
      for (auto& [place, piece] : pieces) merge_piece(family, place.first, wide, piece);
    }
  }

  void merge_piece(const Family& family, int64_t begin, uint32_t wide, std::vector<Access>& piece) {
    std::sort(piece.begin(), piece.end(),
              [](const Access& a, const Access& b) { return a.offset < b.offset; });
    int64_t end = begin;
    for (const Access& a : piece) {
      if (a.offset != end) return;
      end += a.bytes;
    }
    if (end != begin + wide) return;
    const auto by_node = [](const Access& a, const Access& b) { return a.node < b.node; };
    const uint32_t into = family.stores ? std::max_element(piece.begin(), piece.end(), by_node)->node
                                        : std::min_element(piece.begin(), piece.end(), by_node)->node;
    const bool free = family.stores ? may_sink(piece, into) : may_rise(piece, into);
    if (free) join(piece, into, wide);
  }

  bool may_rise(const std::vector<Access>& piece, uint32_t into) const {
    const uint32_t target = nodes_[into].decoded - first_;
    return std::all_of(piece.begin(), piece.end(),
                       [&](const Access& a) { return earliest(nodes_[a.node].decoded - first_) <= target; });
  }

  bool may_sink(const std::vector<Access>& piece, uint32_t into) const {
    const uint32_t target = nodes_[into].decoded - first_;
    return std::all_of(piece.begin(), piece.end(), [&](const Access& a) {
      const uint32_t own = nodes_[a.node].decoded - first_;
      for (uint32_t i = own + 1; i <= target; ++i) {
        if (std::find(before_[i].begin(), before_[i].end(), own) != before_[i].end()) return false;
      }
      return true;
    });
  }

  void join(const std::vector<Access>& piece, uint32_t into, uint32_t wide) {
    Node& n = nodes_[into];
    std::vector<uint32_t> defs, tuple;
    bool known = true;
    for (const Access& a : piece) {
      Node& part = nodes_[a.node];
      known = known && !part.tuple.empty();
      tuple.insert(tuple.end(), part.tuple.begin(), part.tuple.end());
      defs.insert(defs.end(), part.defs.begin(), part.defs.end());
      at_[part.decoded - first_] = n.decoded - first_;
      if (a.node == into) continue;
      for (const uint32_t v : part.uses) {
        if (std::find(n.uses.begin(), n.uses.end(), v) == n.uses.end()) n.uses.push_back(v);
      }
      n.also.push_back(part.decoded);
      part = Node{};
      part.op = OpClass::none;
    }
    std::sort(n.also.begin(), n.also.end());
    if (n.half) defs = pairs_of(defs);
    n.defs = std::move(defs);
    n.tuple = known ? std::move(tuple) : std::vector<uint32_t>{};
    n.lane_bytes = static_cast<uint8_t>(wide);
  }

  // The upper half of a register is where the lower one is.
  std::vector<uint32_t> pairs_of(const std::vector<uint32_t>& halves) {
    std::vector<uint32_t> out;
    for (size_t k = 0; k < halves.size(); k += 2) {
      out.push_back(halves[k]);
      upper_of_[halves[k + 1]] = halves[k];
    }
    return out;
  }

  Graph& g_;
  const Program& p_;
  uint32_t f_, first_, last_;
  std::vector<Node>& nodes_;
  const std::vector<uint8_t>& zero_bits_;
  std::map<uint32_t, uint32_t>& upper_of_;  // registers that are the upper halves of others
  std::map<Family, std::vector<Access>> families_;
  std::vector<std::vector<uint32_t>> before_;
  std::vector<uint32_t> at_;  // where an instruction takes effect; UINT32_MAX: with what needs it
};

void read_halves(Graph& g, uint32_t f, const std::map<uint32_t, uint32_t>& upper_of) {
  for (uint32_t b = g.flow.first_block[f]; b < g.flow.first_block[f + 1] && !upper_of.empty(); ++b) {
    for (Node& n : g.blocks[b]) {
      for (uint32_t& v : n.uses) {
        const auto it = upper_of.find(v);
        if (it != upper_of.end()) v = it->second;
      }
      std::sort(n.uses.begin(), n.uses.end());
      n.uses.erase(std::unique(n.uses.begin(), n.uses.end()), n.uses.end());
    }
  }
}

}  // namespace

void merge_accesses(Graph& g) {
  for (uint32_t f = 0; f < g.program->functions.size(); ++f) {
    const std::vector<uint8_t> zero_bits = known_zero_bits(g, f);
    std::map<uint32_t, uint32_t> upper_of;
    for (uint32_t b = g.flow.first_block[f]; b < g.flow.first_block[f + 1]; ++b)
      BlockMerger(g, b, zero_bits, upper_of).run();
    read_halves(g, f, upper_of);
  }
}

}  // namespace gpuloom::ptx
