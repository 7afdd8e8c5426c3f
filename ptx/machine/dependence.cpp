// SPDX-License-Identifier: Apache-2.0
#include "ptx/machine/dependence.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "ptx/isa/table/op_traits.h"
#include "ptx/isa/table/use_of.h"
#include "ptx/machine/latency.h"
#include "ptx/passes/instr_questions.h"

namespace gpuloom::ptx {

namespace {

enum class Effect : uint8_t { kNone, kLoad, kStore, kOrdered, kEverything };

bool orders_others(const FormUse& use) {
  return use.has(".acquire") || use.has(".release") || use.has(".acq_rel");
}

bool ordered_access(const FormUse& use) {
  for (const std::string_view word : {".volatile", ".relaxed", ".acquire", ".release", ".mmio"}) {
    if (use.has(word)) return true;
  }
  return false;
}

class BlockOrder {
 public:
  BlockOrder(const Graph& g, uint32_t b) : p_(*g.program), block_(g.flow.blocks[b]) {
    before_.resize(block_.last - block_.first + 1);
  }

  std::vector<std::vector<uint32_t>> run() {
    for (uint32_t i = block_.first; i <= block_.last; ++i) {
      rows(i);
      carry(i);
      memory(i);
      control(i);
      auto& list = before_[i - block_.first];
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
    }
    return std::move(before_);
  }

 private:
  void follow(uint32_t i, uint32_t earlier) {
    if (i != earlier) before_[i - block_.first].push_back(earlier - block_.first);
  }

  struct Row {
    std::vector<uint32_t> writers;  // the last whole write and guarded ones after it
    std::vector<uint32_t> readers;  // since the last write
  };

  void rows(uint32_t i) {
    const bool guarded = p_.code[i].guard.present();
    for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
      const OperandRef& ref = p_.refs[r];
      if (ref.place.constant() || ref.defines) continue;
      Row& row = rows_[ref.place.at];
      for (const uint32_t w : row.writers) follow(i, w);
      row.readers.push_back(i);
    }
    for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
      const OperandRef& ref = p_.refs[r];
      if (!ref.defines) continue;
      Row& row = rows_[ref.place.at];
      for (const uint32_t w : row.writers) follow(i, w);
      for (const uint32_t reader : row.readers) follow(i, reader);
      row.readers.clear();
      if (!guarded) row.writers.clear();
      row.writers.push_back(i);
    }
  }

  void carry(uint32_t i) {
    const Instr& in = p_.code[i];
    if (!is_computation(in)) return;
    if (!uses_carry(use_of(p_, in))) return;
    if (last_carry_ != UINT32_MAX) follow(i, last_carry_);
    last_carry_ = i;
  }

  Effect effect(const Instr& in) const {
    switch (in.kind) {
      case InstrKind::kPlain:
      case InstrKind::kBranch:
      case InstrKind::kCall:
      case InstrKind::kReturn:
      case InstrKind::kExit:
      case InstrKind::kReconverge:
        return Effect::kNone;
      case InstrKind::kReadClock:
        return Effect::kEverything;
      case InstrKind::kLoad:
      case InstrKind::kStore: {
        const FormUse use = use_of(p_, in);
        if (ordered_access(use)) return Effect::kOrdered;
        if (in.kind == InstrKind::kStore) return Effect::kStore;
        const bool read_only = in.space == Space::kParam || in.space == Space::kConst || use.has(".nc");
        return read_only ? Effect::kNone : Effect::kLoad;
      }
      case InstrKind::kAtomic:
        // Orders only what may be in its own place, as a store: ptxas leads loads of global memory over
        // atomics in shared memory, and loads and stores of shared memory over reductions in global memory.
        return orders_others(use_of(p_, in)) ? Effect::kOrdered : Effect::kStore;
      case InstrKind::kWarpSync: {
        const auto op = static_cast<OpClass>(in.op_class);
        if (op == OpClass::ldsm) return Effect::kLoad;
        if (op == OpClass::stsm) return Effect::kStore;
        // Data passes through registers alone: only the data orders them.
        const bool plain = op == OpClass::shfl || op == OpClass::redux || op == OpClass::movm ||
                           op == OpClass::mov || is(op, kMultipliesMatrices);
        return plain ? Effect::kNone : Effect::kOrdered;
      }
      default:
        return Effect::kOrdered;
    }
  }

  static Space kind_of(Space s) { return s == Space::kSharedCluster ? Space::kShared : s; }

  // The place of an access's base address: the first operand that is one.
  Place base(uint32_t i) const {
    for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
      if (p_.refs[r].address) return p_.refs[r].place;
    }
    return {};
  }

  bool may_overlap(uint32_t a, uint32_t b) {
    const Instr &x = p_.code[a], &y = p_.code[b];
    const Space s = kind_of(x.space), t = kind_of(y.space);
    if (s != t && s != Space::kGeneric && t != Space::kGeneric) return false;
    const bool simple = (x.kind == InstrKind::kLoad || x.kind == InstrKind::kStore) &&
                        (y.kind == InstrKind::kLoad || y.kind == InstrKind::kStore);
    const Place bx = base(a), by = base(b);
    if (!simple || s != t || !bx.present() || bx.at != by.at || version_[a] != version_[b]) return true;
    const int64_t nx = size_of(x), ny = size_of(y);
    return x.imm < y.imm + ny && y.imm < x.imm + nx;
  }
  static int64_t size_of(const Instr& in) {
    return int64_t{in.type == Type::kNone ? 16 : bytes(in.type)} * std::max<int64_t>(1, in.vec);
  }

  void memory(uint32_t i) {
    const Effect e = effect(p_.code[i]);
    if (everything_ != UINT32_MAX) follow(i, everything_);
    if (e == Effect::kEverything) {
      for (uint32_t k = block_.first; k < i; ++k) follow(i, k);
      everything_ = i;
      return;
    }
    if (e == Effect::kNone) return;
    // A base register that has been written in between is another address.
    const Place b = base(i);
    const auto it = b.present() ? rows_.find(b.at) : rows_.end();
    version_[i] = it == rows_.end() || it->second.writers.empty() ? UINT32_MAX : it->second.writers.back();
    if (ordered_ != UINT32_MAX) follow(i, ordered_);
    if (e == Effect::kOrdered) {
      for (const uint32_t k : loads_) follow(i, k);
      for (const uint32_t k : stores_) follow(i, k);
      loads_.clear();
      stores_.clear();
      ordered_ = i;
      return;
    }
    for (const uint32_t k : stores_) {
      if (may_overlap(k, i)) follow(i, k);
    }
    if (e == Effect::kStore) {
      for (const uint32_t k : loads_) {
        if (may_overlap(k, i)) follow(i, k);
      }
    }
    (e == Effect::kLoad ? loads_ : stores_).push_back(i);
  }

  void control(uint32_t i) {
    const bool ends = i == block_.last && ends_block(p_.code[i]);
    if (ends) {
      for (uint32_t k = block_.first; k < i; ++k) follow(i, k);
    }
    if (p_.code[block_.first].kind == InstrKind::kReconverge) follow(i, block_.first);
  }

  const Program& p_;
  const Block& block_;
  std::vector<std::vector<uint32_t>> before_;
  std::unordered_map<int32_t, Row> rows_;
  std::unordered_map<uint32_t, uint32_t> version_;
  std::vector<uint32_t> loads_, stores_;
  uint32_t ordered_ = UINT32_MAX, everything_ = UINT32_MAX, last_carry_ = UINT32_MAX;
};

}  // namespace

std::vector<std::vector<uint32_t>> block_dependences(const Graph& g, uint32_t b) {
  return BlockOrder(g, b).run();
}

}  // namespace gpuloom::ptx
