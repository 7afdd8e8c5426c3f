// SPDX-License-Identifier: Apache-2.0
#include "ptx/passes/local_words.h"

#include <algorithm>
#include <set>

#include "ptx/isa/table/use_of.h"
#include "ptx/passes/flow.h"

namespace gpuloom::ptx {

namespace {

bool accesses_local(const Instr& in) {
  return in.space == Space::kLocal && (in.kind == InstrKind::kLoad || in.kind == InstrKind::kStore);
}

class Finder {
 public:
  explicit Finder(const Draft& d) : d_(d), p_(d.program) {}

  std::optional<LocalWords> run() {
    const FunctionCode& entry = p_.functions[0];
    for (uint32_t r = p_.ref_begin[entry.entry]; r < p_.ref_begin[entry.end]; ++r)
      if (p_.refs[r].defines) ++words_.definitions[p_.refs[r].place.at];
    for (uint32_t i = entry.entry; i < entry.end; ++i)
      if (!find_base(i) && accesses_local(p_.code[i])) find_access(i);
    for (uint32_t i = entry.entry; i < entry.end && possible_; ++i) check_uses(i);
    if (!possible_ || words_.accesses.empty() || !elements_fit()) return std::nullopt;
    return std::move(words_);
  }

 private:
  struct Base {
    int64_t offset = 0;
    uint32_t adds = LocalAccess::kNoIndex;
    Place index;
  };

  const Base* base_of(Place place) const {
    if (!place.present() || place.constant()) return nullptr;
    const auto at = bases_.find(place.at);
    return at == bases_.end() ? nullptr : &at->second;
  }

  // Whether i makes a local address: of constants, and of one index at most.
  bool find_base(uint32_t i) {
    const Instr& in = p_.code[i];
    if (in.kind != InstrKind::kPlain || in.guard.present() || in.fn == nullptr || in.vec > 1) return false;
    const FormUse use = use_of(p_, in);
    const std::string_view name = use.form().instruction->mnemonic;
    const std::optional<Base> made = name == "mov"                       ? base_of_move(use, in)
                                     : name == "add"                     ? base_of_sum(i)
                                     : name == "mad" && use.has(".wide") ? base_of_product(i)
                                                                         : std::nullopt;
    if (!made || words_.definitions[in.ops[0].at] != 1) return false;
    bases_[in.ops[0].at] = *made;
    makers_.insert(i);
    return true;
  }

  std::optional<Base> base_of_move(const FormUse& use, const Instr& in) const {
    if (const Base* base = base_of(in.ops[1])) return *base;
    uint64_t value = 0;
    if (use.operand(1).kind != OperandKind::kSymbol || use.operand(1).variable->space != Space::kLocal ||
        !d_.constants.value_of(in.ops[1], value))
      return std::nullopt;
    return Base{static_cast<int64_t>(value), LocalAccess::kNoIndex, {}};
  }

  std::optional<Base> base_of_sum(uint32_t i) const {
    const Instr& in = p_.code[i];
    const Base* base = base_of(in.ops[1]);
    const Place other = base != nullptr ? in.ops[2] : in.ops[1];
    if (base == nullptr) base = base_of(in.ops[2]);
    uint64_t value = 0;
    if (base == nullptr) return std::nullopt;
    if (d_.constants.value_of(other, value))
      return Base{base->offset + static_cast<int64_t>(value), base->adds, base->index};
    if (base->adds != LocalAccess::kNoIndex || other.constant() || base_of(other) != nullptr)
      return std::nullopt;
    return Base{base->offset, i, other};
  }

  std::optional<Base> base_of_product(uint32_t i) const {
    const Base* base = base_of(p_.code[i].ops[3]);
    if (base == nullptr || base->adds != LocalAccess::kNoIndex) return std::nullopt;
    return Base{base->offset, i, {}};
  }

  void find_access(uint32_t i) {
    const Instr& in = p_.code[i];
    const Base* base = base_of(in.kind == InstrKind::kLoad ? in.ops[1] : in.ops[0]);
    const unsigned each = in.type == Type::kNone ? 0 : bytes(in.type);
    possible_ = possible_ && base != nullptr && (each == 4 || each == 8);
    if (!possible_) return;
    for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
      const OperandRef& ref = p_.refs[r];
      if (!ref.address && ref.operand != kInstrPlaces && ref.bytes != each) possible_ = false;
    }
    const LocalAccess access{i, base->offset + in.imm, each, base->adds, base->index};
    const int64_t size = int64_t{each} * std::max<unsigned>(1, in.vec);
    // What faults stays an access.
    const bool outside = access.offset < 0 || access.offset % size != 0 ||
                         access.offset + size > int64_t{p_.functions[0].local_bytes};
    if (access.indexed() ? in.guard.present() || access.offset % each != 0 : outside) possible_ = false;
    words_.accesses.push_back(access);
  }

  // An address that goes anywhere else is known to nobody.
  void check_uses(uint32_t i) {
    if (makers_.contains(i)) return;
    const bool local = accesses_local(p_.code[i]);
    for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r)
      if (base_of(p_.refs[r].place) != nullptr && !(local && p_.refs[r].address)) possible_ = false;
  }

  // Each word is always accessed as the same element.
  bool elements_fit() {
    for (const LocalAccess& access : words_.accesses) {
      const int64_t begin = access.indexed() ? 0 : access.offset;
      const int64_t count = access.indexed() ? int64_t{p_.functions[0].local_bytes} / access.each
                                             : std::max<int64_t>(1, p_.code[access.at].vec);
      for (int64_t e = 0; e < count; ++e) {
        const auto [at, made] = words_.elements.emplace(begin + e * access.each, access.each);
        if (!made && at->second != access.each) return false;
      }
    }
    int64_t end = INT64_MIN;
    for (const auto& [offset, each] : words_.elements) {
      if (offset < end) return false;
      end = offset + each;
    }
    return true;
  }

  const Draft& d_;
  const Program& p_;
  LocalWords words_;
  bool possible_ = true;
  std::map<int32_t, Base> bases_;  // rows that hold a local address
  std::set<uint32_t> makers_;      // instructions that make them
};

class WrittenWords {
 public:
  WrittenWords(const Draft& d, const LocalWords& words) : d_(d), p_(d.program), words_(words) {}

  bool run() {
    find_constant_guards();
    const Flow flow = build_flow(p_);
    const uint32_t count = flow.first_block[1];
    std::vector<std::set<int64_t>> in(count);
    std::vector<uint8_t> reached(count, 0);
    reached[0] = 1;
    for (bool again = true; again;) {
      again = false;
      for (uint32_t b = 0; b < count; ++b)
        if (reached[b] != 0) again |= pass_on(flow, b, in, reached);
    }
    for (uint32_t b = 0; b < count; ++b) {
      bool unwritten = false;
      std::set<int64_t> now = in[b];
      if (reached[b] != 0) written_behind(flow.blocks[b], now, &unwritten);
      if (unwritten) return false;
    }
    return true;
  }

 private:
  void find_constant_guards() {
    const FunctionCode& entry = p_.functions[0];
    for (uint32_t i = entry.entry; i < entry.end; ++i) {
      const Instr& in = p_.code[i];
      const bool constant = in.kind == InstrKind::kPlain && in.type == Type::kPred && !in.guard.present() &&
                            in.ops[1].present() && in.ops[1].constant() && !in.ops[2].present();
      if (constant && words_.definitions.at(in.ops[0].at) == 1) guards_[in.ops[0].at] = in.ops[1];
    }
  }

  // Whether a jump's guard is known: nvcc leaves jumps around the filling of an array that are never taken.
  bool known_guard(const Instr& in, bool& taken) const {
    if (!in.guard.present()) return false;
    uint64_t value = 0;
    const auto it = guards_.find(in.guard.at);
    if (it == guards_.end() || !d_.constants.value_of(it->second, value)) return false;
    taken = (value != 0) != (in.guard_negated != 0);
    return true;
  }

  // What block b hands to those behind it; whether that changed anything.
  bool pass_on(const Flow& flow, uint32_t b, std::vector<std::set<int64_t>>& in,
               std::vector<uint8_t>& reached) const {
    std::set<int64_t> now = in[b];
    written_behind(flow.blocks[b], now, nullptr);
    const Instr& last = p_.code[flow.blocks[b].last];
    bool taken = false, changed = false;
    const bool known = last.kind == InstrKind::kBranch && known_guard(last, taken);
    for (const uint32_t s : flow.successors[b]) {
      if (known && taken != (flow.block_of[last.target] == s)) continue;
      if (reached[s] == 0) {
        reached[s] = 1;
        in[s] = now;
        changed = true;
        continue;
      }
      changed |= std::erase_if(in[s], [&](int64_t offset) { return !now.contains(offset); }) != 0;
    }
    return changed;
  }

  // What is written behind a block; sets `unwritten` where it reads what is not.
  void written_behind(const Block& block, std::set<int64_t>& now, bool* unwritten) const {
    for (const LocalAccess& access : words_.accesses) {
      if (access.indexed() || access.at < block.first || access.at > block.last) continue;
      const Instr& in = p_.code[access.at];
      for (unsigned e = 0; e < std::max<unsigned>(1, in.vec); ++e) {
        const int64_t offset = access.offset + int64_t{e} * access.each;
        if (in.kind == InstrKind::kStore && !in.guard.present()) now.insert(offset);
        if (in.kind == InstrKind::kLoad && unwritten != nullptr) *unwritten |= !now.contains(offset);
      }
    }
  }

  const Draft& d_;
  const Program& p_;
  const LocalWords& words_;
  std::map<int32_t, Place> guards_;  // predicates that are constants
};

}  // namespace

std::optional<LocalWords> find_local_words(const Draft& draft) { return Finder(draft).run(); }

bool always_written(const Draft& draft, const LocalWords& words) { return WrittenWords(draft, words).run(); }

}  // namespace gpuloom::ptx
