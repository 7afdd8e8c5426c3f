// SPDX-License-Identifier: Apache-2.0
// Words of local memory that the entry accesses at constant offsets only become registers, as ptxas makes
// them: nvcc leaves an array there that is read once as another type (SASS of maxpool_nhwc: no LDL).
#include <algorithm>
#include <map>
#include <set>

#include "ptx/isa/table/use_of.h"
#include "ptx/passes/draft.h"
#include "ptx/passes/edit.h"
#include "ptx/passes/flow.h"
#include "ptx/passes/synthesize.h"

namespace gpuloom::ptx {

namespace {

class Promotion {
 public:
  explicit Promotion(Draft& d) : d_(d), p_(d.program), edit_(p_) {}

  void run() {
    const FunctionCode& entry = p_.functions[0];
    count_definitions(entry);
    for (uint32_t i = entry.entry; i < entry.end; ++i)
      if (!find_base(i)) find_access(i);
    for (uint32_t i = entry.entry; i < entry.end && possible_; ++i) check_uses(i);
    if (!possible_ || accesses_.empty() || !elements_fit() || !always_written()) return;
    make_rows();
    for (const Access& access : accesses_) replace(access);
    apply(p_, edit_);
    join_moves();
  }

 private:
  struct Access {
    uint32_t at = 0;
    int64_t offset = 0;
    unsigned each = 4;
  };

  void count_definitions(const FunctionCode& entry) {
    for (uint32_t r = p_.ref_begin[entry.entry]; r < p_.ref_begin[entry.end]; ++r)
      if (p_.refs[r].defines) ++definitions_[p_.refs[r].place.at];
  }

  bool known(Place place) const { return place.present() && !place.constant() && base_.contains(place.at); }

  // Whether i makes a local address out of constants.
  bool find_base(uint32_t i) {
    const Instr& in = p_.code[i];
    if (in.kind != InstrKind::kPlain || in.guard.present() || in.fn == nullptr || in.vec > 1) return false;
    const FormUse use = use_of(p_, in);
    const std::string_view name = use.form().instruction->mnemonic;
    uint64_t value = 0;
    int64_t sum = 0;
    if (name == "mov" && use.operand(1).kind == OperandKind::kSymbol) {
      if (use.operand(1).variable->space != Space::kLocal || !d_.constants.value_of(in.ops[1], value))
        return false;
      sum = static_cast<int64_t>(value);
    } else if (name == "mov" && known(in.ops[1])) {
      sum = base_.at(in.ops[1].at);
    } else if (name == "add" && known(in.ops[1]) && d_.constants.value_of(in.ops[2], value)) {
      sum = base_.at(in.ops[1].at) + static_cast<int64_t>(value);
    } else {
      return false;
    }
    if (definitions_[in.ops[0].at] != 1) return false;
    base_[in.ops[0].at] = sum;
    makers_[i] = 1;
    return true;
  }

  void find_access(uint32_t i) {
    const Instr& in = p_.code[i];
    if (in.space != Space::kLocal || (in.kind != InstrKind::kLoad && in.kind != InstrKind::kStore)) return;
    const Place base = in.kind == InstrKind::kLoad ? in.ops[1] : in.ops[0];
    const unsigned each = in.type == Type::kNone ? 0 : bytes(in.type);
    if (!known(base) || (each != 4 && each != 8)) {
      possible_ = false;
      return;
    }
    for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
      const OperandRef& ref = p_.refs[r];
      if (!ref.address && ref.operand != kInstrPlaces && ref.bytes != each) possible_ = false;
    }
    const int64_t offset = base_.at(base.at) + in.imm;
    const int64_t size = int64_t{each} * std::max<unsigned>(1, in.vec);
    // What faults stays an access.
    if (offset < 0 || offset % size != 0 || offset + size > int64_t{p_.functions[0].local_bytes})
      possible_ = false;
    accesses_.push_back({i, offset, each});
  }

  // An address that goes anywhere else is known to nobody.
  void check_uses(uint32_t i) {
    if (makers_.contains(i)) return;
    const Instr& in = p_.code[i];
    const bool local =
        in.space == Space::kLocal && (in.kind == InstrKind::kLoad || in.kind == InstrKind::kStore);
    for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r)
      if (!p_.refs[r].place.constant() && base_.contains(p_.refs[r].place.at) &&
          !(local && p_.refs[r].address))
        possible_ = false;
  }

  // Each word is always accessed as the same element.
  bool elements_fit() {
    for (const Access& access : accesses_) {
      for (unsigned e = 0; e < std::max<unsigned>(1, p_.code[access.at].vec); ++e)
        elements_[access.offset + int64_t{e} * access.each] = access.each;
    }
    int64_t end = INT64_MIN;
    for (const auto& [offset, each] : elements_) {
      if (offset < end) return false;
      end = offset + each;
    }
    for (const Access& access : accesses_)
      if (elements_.at(access.offset) != access.each) return false;
    return true;
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

  // Whether each word is written on all ways to where it is read. Where it is not, it stays in memory, where
  // `--check init` finds it.
  bool always_written() {
    const FunctionCode& entry = p_.functions[0];
    for (uint32_t i = entry.entry; i < entry.end; ++i) {
      const Instr& in = p_.code[i];
      const bool constant = in.kind == InstrKind::kPlain && in.type == Type::kPred && !in.guard.present() &&
                            in.ops[1].present() && in.ops[1].constant() && !in.ops[2].present();
      if (constant && definitions_[in.ops[0].at] == 1) guards_[in.ops[0].at] = in.ops[1];
    }
    const Flow flow = build_flow(p_);
    const uint32_t count = flow.first_block[1];
    std::vector<std::set<int64_t>> in(count);
    std::vector<uint8_t> reached(count, 0);
    reached[0] = 1;
    for (bool again = true; again;) {
      again = false;
      for (uint32_t b = 0; b < count; ++b) {
        if (reached[b] == 0) continue;
        std::set<int64_t> now = in[b];
        written_behind(flow.blocks[b], now, nullptr);
        const Instr& last = p_.code[flow.blocks[b].last];
        bool taken = false;
        const bool known = last.kind == InstrKind::kBranch && known_guard(last, taken);
        for (const uint32_t s : flow.successors[b]) {
          if (known && taken != (flow.block_of[last.target] == s)) continue;
          if (reached[s] == 0) {
            reached[s] = 1;
            in[s] = now;
            again = true;
            continue;
          }
          again |= std::erase_if(in[s], [&](int64_t offset) { return !now.contains(offset); }) != 0;
        }
      }
    }
    for (uint32_t b = 0; b < count; ++b) {
      bool unwritten = false;
      std::set<int64_t> now = in[b];
      if (reached[b] != 0) written_behind(flow.blocks[b], now, &unwritten);
      if (unwritten) return false;
    }
    return true;
  }

  // What is written behind a block; sets `unwritten` where it reads what is not.
  void written_behind(const Block& block, std::set<int64_t>& now, bool* unwritten) const {
    for (const Access& access : accesses_) {
      if (access.at < block.first || access.at > block.last) continue;
      const Instr& in = p_.code[access.at];
      for (unsigned e = 0; e < std::max<unsigned>(1, in.vec); ++e) {
        const int64_t offset = access.offset + int64_t{e} * access.each;
        if (in.kind == InstrKind::kStore && !in.guard.present()) now.insert(offset);
        if (in.kind == InstrKind::kLoad && unwritten != nullptr) *unwritten |= !now.contains(offset);
      }
    }
  }

  void make_rows() {
    for (const auto& [offset, each] : elements_) rows_[offset] = Place::reg(d_.functions[0].take_row(each));
    p_.functions[0].frame_bytes =
        std::max(p_.functions[0].frame_bytes, (d_.functions[0].frame_bytes + 63) / 64 * 64);
  }

  void replace(const Access& access) {
    const Instr& in = p_.code[access.at];
    const bool loads = in.kind == InstrKind::kLoad;
    const Type type = access.each == 4 ? Type::kB32 : Type::kB64;
    for (unsigned e = 0; e < std::max<unsigned>(1, in.vec); ++e) {
      const Place operand = loads ? in.ops[0] : in.ops[1];
      const Place value = in.vec > 1 ? p_.extra[static_cast<uint32_t>(operand.at) + e] : operand;
      const Place word = rows_.at(access.offset + int64_t{e} * access.each);
      Instr move = synthesize("mov", {access.each == 4 ? ".b32" : ".b64"}, {type, type});
      move.ops[0] = loads ? value : word;
      move.ops[1] = loads ? word : value;
      move.guard = in.guard;
      move.guard_negated = in.guard_negated;
      const auto bytes = static_cast<uint8_t>(access.each);
      std::vector<OperandRef> refs = {{move.ops[0], bytes, true, false, 0, 0xff},
                                      {move.ops[1], bytes, false, false, 1, 0xff}};
      if (in.guard.present()) refs.push_back({in.guard, 0, false, false, kInstrPlaces, 0xff});
      edit_.insert.push_back({access.at, move, refs});
    }
    edit_.erase[access.at] = 1;
  }

  bool is_word(Place place) const {
    return std::any_of(rows_.begin(), rows_.end(),
                       [&](const auto& row) { return row.second.at == place.at; });
  }
  bool touches(uint32_t i, Place place, bool defines) const {
    for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r)
      if (p_.refs[r].place.at == place.at && p_.refs[r].defines == defines) return true;
    return false;
  }
  unsigned uses_of(Place place) const {
    unsigned uses = 0;
    for (const OperandRef& ref : p_.refs) uses += !ref.defines && ref.place.at == place.at ? 1 : 0;
    return uses;
  }
  unsigned definitions_of(Place place) const {
    unsigned count = 0;
    for (const OperandRef& ref : p_.refs) count += ref.defines && ref.place.at == place.at ? 1 : 0;
    return count;
  }

  // In i, `to` instead of `from`.
  bool rename(uint32_t i, Place from, Place to) {
    Instr& in = p_.code[i];
    for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
      OperandRef& ref = p_.refs[r];
      if (ref.place.at != from.at) continue;
      ref.place = to;
      if (ref.operand == kInstrPlaces)
        in.guard = to;
      else if (ref.element != 0xff)
        p_.extra[static_cast<uint32_t>(in.ops[ref.operand].at) + ref.element] = to;
      else
        in.ops[ref.operand] = to;
    }
    return true;
  }

  // What is read or written beside a move of a word, in the same block, reads or writes the word itself.
  void join_moves() {
    const Flow flow = build_flow(p_);
    Edit edit(p_);
    bool changed = false;
    for (uint32_t i = p_.functions[0].entry; i < p_.functions[0].end; ++i) {
      const Instr& in = p_.code[i];
      if (in.kind != InstrKind::kPlain || in.guard.present() || p_.ref_begin[i + 1] - p_.ref_begin[i] != 2)
        continue;
      const Block& block = flow.blocks[flow.block_of[i]];
      if (!is_move_of_word(i)) continue;
      const bool joined = is_word(in.ops[0]) ? write_word(i, block) : read_word(i, block);
      if (!joined) continue;
      edit.erase[i] = 1;
      changed = true;
    }
    if (changed) apply(p_, edit);
  }

  bool is_move_of_word(uint32_t i) const {
    const Instr& in = p_.code[i];
    if (static_cast<OpClass>(in.op_class) != OpClass::mov || !in.ops[1].present() || in.ops[1].constant())
      return false;
    return is_word(in.ops[0]) != is_word(in.ops[1]);
  }

  bool read_word(uint32_t i, const Block& block) {
    const Place to = p_.code[i].ops[0], word = p_.code[i].ops[1];
    unsigned left = uses_of(to);
    if (definitions_of(to) != 1 || left == 0) return false;
    std::vector<uint32_t> users;
    for (uint32_t k = i + 1; k <= block.last && left != 0; ++k) {
      for (uint32_t r = p_.ref_begin[k]; r < p_.ref_begin[k + 1]; ++r) {
        if (p_.refs[r].defines || p_.refs[r].place.at != to.at) continue;
        if (p_.refs[r].operand > kInstrPlaces) return false;
        users.push_back(k);
        --left;
      }
      if (left != 0 && touches(k, word, true)) return false;
    }
    if (left != 0) return false;
    for (const uint32_t k : users) rename(k, to, word);
    return true;
  }

  bool write_word(uint32_t i, const Block& block) {
    const Place word = p_.code[i].ops[0], from = p_.code[i].ops[1];
    if (definitions_of(from) != 1 || uses_of(from) != 1) return false;
    for (uint32_t k = i; k-- > block.first;) {
      if (touches(k, from, true)) {
        const Instr& maker = p_.code[k];
        if (maker.guard.present() || maker.kind != InstrKind::kPlain || maker.vec > 1) return false;
        return rename(k, from, word);
      }
      if (touches(k, word, true) || touches(k, word, false)) return false;
    }
    return false;
  }

  Draft& d_;
  Program& p_;
  Edit edit_;
  bool possible_ = true;
  std::map<int32_t, unsigned> definitions_;  // by row
  std::map<int32_t, int64_t> base_;          // rows that hold a local address
  std::map<uint32_t, uint8_t> makers_;       // instructions that make them
  std::vector<Access> accesses_;
  std::map<int64_t, unsigned> elements_;  // bytes, by offset
  std::map<int64_t, Place> rows_;
  std::map<int32_t, Place> guards_;  // predicates that are constants
};

}  // namespace

void promote_local_memory(Draft& draft) {
  if (draft.program.functions[0].local_bytes == 0 || !draft.program.calls.empty()) return;
  Promotion(draft).run();
}

}  // namespace gpuloom::ptx
