// SPDX-License-Identifier: Apache-2.0
#include "ptx/machine/rules/copy_size.h"

#include <algorithm>

#include "ptx/machine/rules/fold_rule.h"
#include "ptx/passes/instr_questions.h"

namespace gpuloom::ptx {

namespace {

bool has_copy_size(const Selection& s, uint32_t i) {
  const Instr& in = s.instr(i);
  return is_thread_copy(s.op_class(i)) && in.ops[3].present() && !in.ops[3].constant() &&
         s.bytes_of(in.ops[3]) == 4;
}

// Whether the place holds 0 or `whole` and nothing else.
bool all_or_nothing(const Selection& s, Place size, unsigned whole, unsigned depth) {
  if (!size.present()) return false;
  if (size.constant()) return s.constant_bits(size, 4) == 0 || s.constant_bits(size, 4) == whole;
  const uint32_t from = s.maker(size);
  constexpr unsigned kDeepest = 8;
  if (from == UINT32_MAX || depth == kDeepest) return false;
  const Instr& in = s.instr(from);
  if (s.shape(from) == Shape::kMove) return all_or_nothing(s, in.ops[1], whole, depth + 1);
  return s.shape(from) == Shape::kSelect && all_or_nothing(s, in.ops[1], whole, depth + 1) &&
         all_or_nothing(s, in.ops[2], whole, depth + 1);
}

// The predicate: once for all copies of a block of that size.
uint32_t copies_anything(const Selection& s, Emitter& out, uint32_t i, uint32_t size) {
  const Instr& in = s.instr(i);
  const bool once = !in.guard.present() && s.maker(in.ops[3]) != UINT32_MAX;
  const std::vector<int64_t> key{s.block_of(i), in.ops[3].at};
  if (once && out.has_made(Made::kCopyPredicate, key)) return out.once(Made::kCopyPredicate, key).first[0];
  const uint32_t predicate = out.temporary(0);
  Node& n = out.push(OpClass::isetp);
  n.uses = {size};
  n.defs = {predicate};
  n.guarded = in.guard.present();
  if (n.guarded) s.add_source(in.guard, n.uses);
  if (once) out.once(Made::kCopyPredicate, key).first = {predicate};
  return predicate;
}

// What is not copied is taken from the address's lower bits: 16 - size, masked, added.
uint32_t move_copy_back(Emitter& out, uint32_t size, const std::vector<uint32_t>& address) {
  const uint32_t missing = out.make(OpClass::lop3, {out.make(OpClass::iadd, {size}, 1)}, 1);
  std::vector<uint32_t> low = address, high = address;
  low.push_back(missing);
  high.push_back(out.make(OpClass::iadd, std::move(low), 1));
  return out.make(OpClass::iadd, std::move(high), 2);
}

}  // namespace

bool chooses_copy(const Selection& s, uint32_t i, const RowFacts& result) {
  const Instr& in = s.instr(i);
  if (!in.ops[1].constant() || !in.ops[2].constant() || in.guard.present()) return false;
  if (s.is_zero(in.ops[1]) == s.is_zero(in.ops[2])) return false;
  return all_uses(result, [&](uint32_t u, const OperandRef& ref) {
    return ref.operand == 3 && has_copy_size(s, u) && all_or_nothing(s, in.ops[0], s.instr(u).aux, 0);
  });
}

void add_copy_size(const Selection& s, Emitter& out, uint32_t i, std::vector<uint32_t>& uses) {
  if (!has_copy_size(s, i)) return;
  const Instr& in = s.instr(i);
  const uint32_t from = s.maker(in.ops[3]);
  // A choice that has vanished leaves its predicate, which is read itself.
  if (from != UINT32_MAX && s.folded(from) && s.shape(from) == Shape::kSelect) return;
  const std::vector<uint32_t> size = out.source(in.ops[3]);
  if (size.size() != 1) return;
  const auto drop = [&](const std::vector<uint32_t>& values) {
    std::erase_if(uses,
                  [&](uint32_t v) { return std::find(values.begin(), values.end(), v) != values.end(); });
  };
  drop(size);
  uses.push_back(copies_anything(s, out, i, size[0]));
  if (all_or_nothing(s, in.ops[3], in.aux, 0)) return;
  const std::vector<uint32_t> address = out.source(in.ops[1]);
  drop(address);
  if (address.empty()) return;
  const auto [moved, is_new] = out.once(Made::kMovedCopy, {s.block_of(i), size[0], address[0]});
  if (is_new) moved = {move_copy_back(out, size[0], address)};
  uses.push_back(moved[0]);
}

}  // namespace gpuloom::ptx
