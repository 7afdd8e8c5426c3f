// SPDX-License-Identifier: Apache-2.0
// What selection knows of rows, and moves that can share a register.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "ptx/isa/table/form.h"
#include "ptx/isa/table/use_of.h"
#include "ptx/machine/rules/matrix_fragment.h"
#include "ptx/machine/rules/short_values.h"
#include "ptx/machine/selector.h"
#include "ptx/passes/instr_questions.h"

namespace gpuloom::ptx {
namespace {

bool fences_memory(const Program& p, const Instr& in) {
  return is_memory_fence(class_of(in)) && !use_of(p, in).form().syntax.starts_with("fence.mbarrier_init");
}

}  // namespace

void Selector::gather() {
  fences_ =
      std::any_of(p_.code.begin(), p_.code.end(), [&](const Instr& in) { return fences_memory(p_, in); });
  rows_.resize(g_.liveness.rows[f_].offset.size());
  for (uint32_t i = code_.entry; i < code_.end; ++i) {
    shape_.push_back(shape_of(p_, p_.code[i]));
    for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
      const OperandRef& ref = p_.refs[r];
      if (ref.place.constant()) continue;
      RowFacts& row = rows_[g_.liveness.number(f_, ref.place)];
      if (ref.defines) {
        ++row.defs;
        row.def = i;
        row.guarded |= p_.code[i].guard.present();
      } else {
        row.uses.emplace_back(i, &ref);
      }
    }
  }
  is_special_.assign(rows_.size(), 0);
  for (const SpecialRow& s : code_.specials) is_special_[g_.liveness.number(f_, s.place)] = 1;
  folded_.assign(code_.end - code_.entry, 0);
  capacity_.assign(code_.end - code_.entry, 0);
  fused_.assign(code_.end - code_.entry, OpClass::none);
  for (uint32_t i = code_.entry; i < code_.end; ++i) {
    if (shape(i) != Shape::kOther) continue;
    if (extends_as_loaded(Selection(*this), i)) shape_[i - code_.entry] = Shape::kRename;
    if (shifts_by_moved_constant(i)) shape_[i - code_.entry] = Shape::kFunnel;
  }
}

// __funnelshift_l and its like are inline assembly in CUDA's headers, so that the constant comes in a
// register of its own, which ptxas looks through (SASS of MD5, SHA-256: LEA.HI, SHF.R.W.U32 by an immediate).
bool Selector::shifts_by_moved_constant(uint32_t i) const {
  const Instr& in = p_.code[i];
  if (mnemonic(i) != "shf" || bits(in.type) != 32 || !in.ops[3].present() || in.ops[3].constant())
    return false;
  const uint32_t from = maker(in.ops[3]);
  return from != UINT32_MAX && shape(from) == Shape::kMove && p_.code[from].ops[1].constant() &&
         symbol_of(from) == nullptr;
}

const RowFacts* Selector::facts(Place place) const {
  if (!place.present() || place.constant()) return nullptr;
  const uint32_t row = g_.liveness.number(f_, place);
  return row < rows_.size() ? &rows_[row] : nullptr;  // tuples of 16 bytes begin where no row does
}

uint32_t Selector::maker(Place place) const {
  const RowFacts* row = facts(place);
  return row != nullptr && row->defs == 1 && !row->guarded ? row->def : UINT32_MAX;
}

bool Selector::stable(Place place) const {
  const RowFacts* row = facts(place);
  return row == nullptr || (row->defs <= 1 && !row->guarded);
}

bool Selector::stable_sources(uint32_t i) const {
  for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
    if (!p_.refs[r].defines && !stable(p_.refs[r].place) && !keeps_until_used(p_.refs[r].place, i))
      return false;
  }
  return true;
}

// The last instruction that uses what i makes, where all do so behind i in its block before it is made again;
// UINT32_MAX where not. An instruction that takes a register apart makes several values.
uint32_t Selector::last_use_in_block(uint32_t i) const {
  uint32_t last = i;
  bool makes = false;
  for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
    if (!p_.refs[r].defines) continue;
    const RowFacts* result = facts(p_.refs[r].place);
    if (result == nullptr || result->defs != 1 || result->guarded) return UINT32_MAX;
    makes = true;
    for (const auto& use : result->uses) {
      if (g_.flow.block_of[use.first] != g_.flow.block_of[i] || use.first < i) return UINT32_MAX;
      last = std::max(last, use.first);
    }
  }
  return makes ? last : UINT32_MAX;
}

bool Selector::keeps_until_used(Place source, uint32_t i) const {
  const bool takes_apart = shape(i) == Shape::kPack && !p_.code[i].guard.present();
  if (single_result(i) == nullptr && !takes_apart) return false;
  const uint32_t last = last_use_in_block(i);
  if (last == UINT32_MAX) return false;
  for (uint32_t k = i; k < last; ++k) {
    for (uint32_t r = p_.ref_begin[k]; r < p_.ref_begin[k + 1]; ++r) {
      if (p_.refs[r].defines && p_.refs[r].place.at == source.at) return false;
    }
  }
  return true;
}

// A variable of a loop is stepped behind all that its value is needed for, however many blocks that is.
bool Selector::made_anew(uint32_t i) const {
  const auto first = p_.refs.begin() + p_.ref_begin[i], last = p_.refs.begin() + p_.ref_begin[i + 1];
  return single_result(i) != nullptr && std::all_of(first, last, [&](const OperandRef& ref) {
           return ref.defines || stable(ref.place) || made_anew(i, ref.place);
         });
}

// Whether no use of what i makes is reached from a change of `source` but through i.
bool Selector::made_anew(uint32_t i, Place source) const {
  const auto& uses = single_result(i)->uses;
  std::vector<uint8_t> seen(g_.flow.blocks.size(), 0);
  std::vector<uint32_t> open;
  const auto goes_on = [&](uint32_t first, uint32_t block) {
    const uint32_t last = g_.flow.blocks[block].last;
    const bool comes_to_i = i >= first && i <= last;
    const uint32_t end = comes_to_i ? i : last + 1;
    if (std::any_of(uses.begin(), uses.end(),
                    [&](const auto& use) { return use.first >= first && use.first < end; }))
      return false;
    if (comes_to_i) return true;
    for (const uint32_t next : g_.flow.successors[block]) {
      if (seen[next] == 0) open.push_back(next);
      seen[next] = 1;
    }
    return true;
  };
  for (uint32_t k = code_.entry; k < code_.end; ++k) {
    const bool changes =
        std::any_of(p_.refs.begin() + p_.ref_begin[k], p_.refs.begin() + p_.ref_begin[k + 1],
                    [&](const OperandRef& ref) { return ref.defines && ref.place.at == source.at; });
    if (changes && !goes_on(k + 1, g_.flow.block_of[k])) return false;
  }
  while (!open.empty()) {
    const uint32_t block = open.back();
    open.pop_back();
    if (!goes_on(g_.flow.blocks[block].first, block)) return false;
  }
  return true;
}

const RowFacts* Selector::single_result(uint32_t i) const {
  if (p_.code[i].guard.present()) return nullptr;
  const RowFacts* result = nullptr;
  for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
    if (!p_.refs[r].defines) continue;
    if (result != nullptr || p_.refs[r].element != 0xff) return nullptr;
    // A call gives its register results by lists of its own.
    if (!p_.code[i].ops[0].present() || p_.code[i].ops[0].at != p_.refs[r].place.at) return nullptr;
    result = facts(p_.refs[r].place);
  }
  return result != nullptr && result->defs == 1 ? result : nullptr;
}

uint32_t Selector::find(uint32_t v) const {
  while (join_[v - base_] != v) v = join_[v - base_] = join_[join_[v - base_] - base_];
  return v;
}

void Selector::join_moves() {
  join_.resize(rows_.size());
  std::iota(join_.begin(), join_.end(), base_);
  std::vector<std::pair<uint32_t, uint32_t>> moves;  // row numbers
  std::vector<uint8_t> candidate(rows_.size(), 0);
  for (uint32_t i = code_.entry; i < code_.end; ++i) {
    const Instr& in = p_.code[i];
    if (shape(i) != Shape::kMove || in.guard.present()) continue;
    if (moved(i).constant() || !moved(i).present()) continue;
    const uint32_t d = g_.liveness.number(f_, in.ops[0]), s = g_.liveness.number(f_, moved(i));
    moves.emplace_back(d, s);
    candidate[d] = candidate[s] = 1;
  }
  std::map<std::pair<uint32_t, uint32_t>, bool> clash;
  for (uint32_t b = g_.flow.first_block[f_]; b < g_.flow.first_block[f_ + 1]; ++b) {
    RowSet live = g_.liveness.live_out[b];
    for (uint32_t i = g_.flow.blocks[b].last + 1; i-- > g_.flow.blocks[b].first;) {
      const bool is_move = shape(i) == Shape::kMove && !moved(i).constant();
      const uint32_t source = is_move ? g_.liveness.number(f_, moved(i)) : UINT32_MAX;
      for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
        if (!p_.refs[r].defines) continue;
        const uint32_t d = g_.liveness.number(f_, p_.refs[r].place);
        if (candidate[d] == 0) continue;
        live.for_each([&](uint32_t other) {
          if (candidate[other] != 0 && other != d && other != source) clash[std::minmax(d, other)] = true;
        });
      }
      step_back(p_, g_.liveness, f_, i, live);
    }
  }
  // Callers know parameters and results by their own registers.
  std::vector<uint8_t> passed(rows_.size(), 0);
  for (const auto* list : {&code_.params, &code_.returns}) {
    for (const CallValue& v : *list)
      if (v.row.present() && !v.row.constant()) passed[g_.liveness.number(f_, v.row)] = 1;
  }
  std::vector<std::vector<uint32_t>> members(rows_.size());
  for (uint32_t k = 0; k < members.size(); ++k) members[k] = {k};
  for (const auto& [d, s] : moves) {
    uint32_t a = find(base_ + d) - base_, b = find(base_ + s) - base_;
    if (a == b || (passed[a] != 0 && passed[b] != 0)) continue;
    if (passed[b] != 0) std::swap(a, b);
    bool free = true;
    for (const uint32_t x : members[a]) {
      for (const uint32_t y : members[b]) free = free && clash.count(std::minmax(x, y)) == 0;
    }
    if (!free) continue;
    join_[b] = base_ + a;
    g_.registers[base_ + a].words = std::max(g_.registers[base_ + a].words, g_.registers[base_ + b].words);
    members[a].insert(members[a].end(), members[b].begin(), members[b].end());
  }
}

// Fragments of f16 name their registers twice: one register for both.
void Selector::join_fragments() {
  const Selection function(*this);
  for (uint32_t i = code_.entry; i < code_.end; ++i) {
    if (!is_fragment(function, i) || p_.code[i].kind != InstrKind::kLoad) continue;
    const auto pieces = static_cast<size_t>(tile_of(function, i).pieces);
    std::vector<Place> elements;
    for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
      if (p_.refs[r].defines) elements.push_back(p_.refs[r].place);
    }
    const bool single =
        std::all_of(elements.begin(), elements.end(), [&](Place place) { return stable(place); });
    for (size_t e = pieces; single && e < elements.size(); ++e) {
      const uint32_t v = find(virtual_of(elements[e]));
      const uint32_t to = find(virtual_of(elements[e % pieces]));
      if (v != to) join_[v - base_] = to;
    }
  }
}

uint64_t Selector::constant_bits(Place constant, unsigned bytes) const {
  uint64_t value = 0;
  std::memcpy(&value, p_.constants.data() + static_cast<uint32_t>(~constant.at), bytes);
  return value;
}

std::string_view Selector::mnemonic(uint32_t i) const {
  const Instr& in = p_.code[i];
  if (in.kind == InstrKind::kReconverge || takes_no_work(in)) return {};
  const InstrSource& source = p_.sources[in.source];
  return source.function->instructions[source.instruction].form->instruction->mnemonic;
}

bool Selector::source_is_signed(uint32_t i) const { return use_of(p_, p_.code[i]).has(".s32"); }

bool Selector::is_zero(Place constant) const {
  const uint8_t* bytes = p_.constants.data() + static_cast<uint32_t>(~constant.at);
  return bytes[0] == 0 && bytes[1] == 0 && bytes[2] == 0 && bytes[3] == 0;
}

const Variable* Selector::symbol_of(uint32_t i) const {
  const auto use = use_of(p_, p_.code[i]);
  const Operand& op = use.operand(1);
  return op.kind == OperandKind::kSymbol ? op.variable : nullptr;
}

bool Selector::defines_one(uint32_t i) const {
  unsigned count = 0;
  for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) count += p_.refs[r].defines ? 1 : 0;
  return count == 1;
}

}  // namespace gpuloom::ptx
