// SPDX-License-Identifier: Apache-2.0
#include "ptx/machine/rules/rule.h"

#include <algorithm>

#include "ptx/isa/table/op_traits.h"
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
bool Selection::extends_sign(uint32_t i) const { return is_signed(instr(i).type) || s_.source_is_signed(i); }
const RowFacts* Selection::single_result(uint32_t i) const { return s_.single_result(i); }
bool Selection::needs_low_word(uint32_t row) const { return s_.halves_.low_only[row] != 0; }
bool Selection::differs(uint32_t row) const { return s_.g_.divergent_row[s_.f_][row] != 0; }
unsigned Selection::bytes_of(Place place) const { return row_bytes(number(place)); }

uint32_t Selection::number(Place place) const { return s_.g_.liveness.number(s_.f_, place); }
unsigned Selection::row_bytes(uint32_t row) const { return s_.bytes_of_row(row); }
bool Selection::is_special(uint32_t row) const { return s_.is_special_[row] != 0; }
const FunctionCode& Selection::code() const { return s_.code_; }
std::span<const RowFacts> Selection::rows() const { return s_.rows_; }
bool Selection::source_is_signed(uint32_t i) const { return s_.source_is_signed(i); }

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
bool Selection::apart(uint32_t block) const { return s_.g_.apart[block] != 0; }
const LaneGathering& Selection::gathering() const { return s_.gathering_; }
uint8_t Selection::words(uint32_t value) const { return s_.g_.registers[value].words; }
void Selection::add_source(Place place, std::vector<uint32_t>& out) const { s_.add_source(place, out, 0); }
std::vector<OpClass> Selection::sequence_of(OpClass op) const { return s_.sequence_of(op); }
std::vector<OpClass> Selection::sequence_for(uint32_t i, OpClass op) const { return s_.sequence_for(i, op); }
uint8_t Selection::divisor_steps(OpClass op) const {
  return s_.g_.model->divisor_steps[static_cast<size_t>(op)];
}
bool Selection::takes_fragments(uint32_t i) const { return is(op_class(i), kTakesFragments); }
bool Selection::defines_one(uint32_t i) const { return s_.defines_one(i); }
const Pieces& Selection::pieces() const { return s_.pieces_; }

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
void Emitter::keep_order(Node& n) { s_.set_order(n, s_.p_.code[i_]); }
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

std::span<Node> Emitter::sequence(const std::vector<OpClass>& ops) {
  s_.emit_sequence(i_, ops, out_);
  return std::span(out_).last(ops.size());
}

std::pair<std::vector<uint32_t>&, bool> Emitter::once(Made what, std::vector<int64_t> key) {
  const auto [known, is_new] = s_.made_.try_emplace({what, std::move(key)});
  return {known->second, is_new};
}

bool Emitter::has_made(Made what, const std::vector<int64_t>& key) const {
  return s_.made_.contains({what, key});
}

bool Emitter::is_own(uint32_t block) const { return s_.g_.flow.block_of[i_] == block; }
uint32_t Emitter::last_of(uint32_t block) const { return s_.g_.flow.blocks[block].last; }

void Emitter::insert(uint32_t block, const std::vector<Node>& nodes) {
  std::vector<Node>& at = s_.g_.blocks[block];
  at.insert(at.end() - (!at.empty() && at.back().ends ? 1 : 0), nodes.begin(), nodes.end());
}

Calls& Emitter::calls() { return s_.calls_; }

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
