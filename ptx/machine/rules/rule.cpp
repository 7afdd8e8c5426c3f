// SPDX-License-Identifier: Apache-2.0
#include "ptx/machine/rules/rule.h"

#include <algorithm>

#include "ptx/machine/selector.h"

namespace gpuloom::ptx {

const Program& Selection::program() const { return s_.p_; }
const Flow& Selection::flow() const { return s_.g_.flow; }
uint32_t Selection::function() const { return s_.f_; }
OpClass Selection::class_now(uint32_t i) const { return s_.class_of(i); }
std::string_view Selection::mnemonic(uint32_t i) const { return s_.mnemonic(i); }
uint32_t Selection::maker(Place place) const { return s_.maker(place); }
const RowFacts* Selection::facts(Place place) const { return s_.facts(place); }
bool Selection::divergent(Place place) const { return s_.divergent(place); }
bool Selection::fences() const { return s_.fences_; }
Shape Selection::shape(uint32_t i) const { return s_.shape(i); }
OpClass Selection::fused(uint32_t i) const { return s_.fused_[i - s_.code_.entry]; }
bool Selection::has_taken(uint32_t i) const { return !s_.can_take(i); }
bool Selection::takes_upper(uint32_t i) const { return s_.takes_upper(i); }
bool Selection::extends_sign(uint32_t i) const { return is_signed(instr(i).type) || s_.source_is_signed(i); }
const RowFacts* Selection::single_result(uint32_t i) const { return s_.single_result(i); }
bool Selection::needs_low_word(Place place) const {
  return s_.low_only_[s_.g_.liveness.number(s_.f_, place)] != 0;
}
unsigned Selection::bytes_of(Place place) const {
  return s_.bytes_of_row(s_.g_.liveness.number(s_.f_, place));
}

bool Selection::folded(uint32_t i) const { return s_.folded(i); }
bool Selection::stable(Place place) const { return s_.stable(place); }
bool Selection::stable_sources(uint32_t i) const { return s_.stable_sources(i); }
bool Selection::made_anew(uint32_t i) const { return s_.made_anew(i); }
Place Selection::moved(uint32_t i) const { return s_.moved(i); }
uint32_t Selection::value(Place place) const { return s_.find(s_.virtual_of(place)); }
bool Selection::is_zero(Place constant) const { return s_.is_zero(constant); }
uint64_t Selection::constant_bits(Place constant, unsigned bytes) const {
  return s_.constant_bits(constant, bytes);
}
void Selection::add_constants_of(uint32_t i, unsigned bytes, std::vector<uint64_t>& out) const {
  s_.constants_of(i, bytes, out, 0);
}
const Variable* Selection::symbol_of(uint32_t i) const { return s_.symbol_of(i); }
bool Selection::names_uniform_base(uint32_t i) const { return s_.names_uniform_base(i); }
const LoweringProfile& Selection::profile() const { return s_.g_.model->profile; }
bool Selection::makes_constant(uint32_t i, const RowFacts& result) const {
  return s_.makes_constant(i, result);
}
bool Selection::pairs_same_half(uint32_t i, const RowFacts& result) const {
  return s_.pairs_same_half(i, result);
}
bool Selection::defines_one(uint32_t i) const { return s_.defines_one(i); }
bool Selection::rounds_for(Place half, uint32_t user) const { return s_.rounds_for(half, user); }
bool Selection::takes_sign(uint32_t user, const OperandRef& ref) const { return s_.takes_sign(user, ref, 0); }
bool Selection::chooses_copy(uint32_t i, const RowFacts& result) const { return s_.chooses_copy(i, result); }
bool Selection::takes_fragments(uint32_t i) const { return s_.multiplies(i); }

std::vector<uint32_t> Selection::sources(uint32_t i) const {
  std::vector<uint32_t> out;
  s_.sources(i, out);
  return out;
}

bool Selection::is_read(Place place) const {
  const RowFacts* row = facts(place);
  return row == nullptr || !row->uses.empty();
}

Node& Emitter::push(OpClass op) { return s_.push(out_, op, i_); }
uint32_t Emitter::temporary(uint8_t words, bool uniform) { return s_.temporary(words, uniform); }

Node& Emitter::carrier() {
  return *std::find_if(out_.rbegin(), out_.rend(), [](const Node& n) { return n.carries; });
}

void Emitter::make_uniform(uint32_t value) { s_.g_.registers[value].uniform = true; }

VirtualRegister& Emitter::result() { return s_.g_.registers[last().defs[0]]; }

uint32_t Emitter::make(OpClass op, std::vector<uint32_t> uses, uint8_t words, bool uniform) {
  Node& n = push(op);
  n.uses = std::move(uses);
  n.uniform = uniform;
  n.defs = {temporary(words, uniform)};
  return n.defs[0];
}

std::vector<uint32_t> Emitter::sources() {
  std::vector<uint32_t> out;
  s_.sources(i_, out);
  return out;
}

std::vector<uint32_t> Emitter::source(Place place) {
  std::vector<uint32_t> out;
  s_.add_source(place, out, 0);
  return out;
}

void Emitter::sequence(const std::vector<OpClass>& ops) { s_.emit_sequence(i_, ops, out_); }

void Emitter::around(const std::vector<OpClass>& before, OpClass op, const std::vector<OpClass>& after) {
  const auto add = [&](OpClass other) {
    Node& n = push(other);
    n.ordered = true;
    n.guarded = s_.p_.code[i_].guard.present();
  };
  for (const OpClass other : before) add(other);
  sequence({op});
  for (const OpClass other : after) add(other);
}

}  // namespace gpuloom::ptx
