// SPDX-License-Identifier: Apache-2.0
// cp.async whose source size stands in a register. LDGSTS has no such operand but a predicate: without it, it
// fills with zeros. So ptxas 13.0 asks whether the size is zero; a size that is chosen between all and
// nothing gives its predicate directly. A size that may be in between moves the address back, and the variant
// .ZFILL fills the rest (SASS of single instructions; of Triton's and Gluon's masked copies: an ISETP for
// each copy under a guard, one for all others of a block).
#include <algorithm>

#include "ptx/machine/selector.h"

namespace gpuloom::ptx {

bool Selector::has_copy_size(uint32_t i) const {
  const Instr& in = p_.code[i];
  return in.op_class == static_cast<uint16_t>(OpClass::ldgsts) && in.ops[3].present() &&
         !in.ops[3].constant() && bytes_of_row(g_.liveness.number(f_, in.ops[3])) == 4;
}

// Whether the place holds 0 or `whole` and nothing else.
bool Selector::all_or_nothing(Place size, unsigned whole, unsigned depth) const {
  if (!size.present()) return false;
  if (size.constant()) return constant_bits(size, 4) == 0 || constant_bits(size, 4) == whole;
  const uint32_t from = maker(size);
  constexpr unsigned kDeepest = 8;
  if (from == UINT32_MAX || depth == kDeepest) return false;
  const Instr& in = p_.code[from];
  if (shape(from) == Shape::kMove) return all_or_nothing(in.ops[1], whole, depth + 1);
  return shape(from) == Shape::kSelect && all_or_nothing(in.ops[1], whole, depth + 1) &&
         all_or_nothing(in.ops[2], whole, depth + 1);
}

bool Selector::chooses_copy(uint32_t i, const RowFacts& result) const {
  const Instr& in = p_.code[i];
  if (!in.ops[1].constant() || !in.ops[2].constant() || in.guard.present()) return false;
  if (is_zero(in.ops[1]) == is_zero(in.ops[2])) return false;
  return all_uses(result, [&](uint32_t u, const OperandRef& ref) {
    return ref.operand == 3 && has_copy_size(u) && all_or_nothing(in.ops[0], p_.code[u].aux, 0);
  });
}

uint32_t Selector::copies_anything(uint32_t i, uint32_t size, std::vector<Node>& out) {
  const Instr& in = p_.code[i];
  const bool once = !in.guard.present() && maker(in.ops[3]) != UINT32_MAX;
  const std::pair<uint32_t, uint64_t> key{g_.flow.block_of[i], static_cast<uint64_t>(in.ops[3].at)};
  if (once) {
    const auto known = copy_predicates_.find(key);
    if (known != copy_predicates_.end()) return known->second;
  }
  const uint32_t predicate = temporary(0);
  Node& n = push(out, OpClass::isetp, i);
  n.uses = {size};
  n.defs = {predicate};
  n.guarded = in.guard.present();
  if (n.guarded) add_source(in.guard, n.uses, 0);
  if (once) copy_predicates_[key] = predicate;
  return predicate;
}

// What is not copied is taken from the address's lower bits: 16 - size, masked, added.
uint32_t Selector::move_copy_back(uint32_t i, uint32_t size, const std::vector<uint32_t>& address,
                                  std::vector<Node>& out) {
  uint32_t missing = size;
  for (const OpClass op : {OpClass::iadd, OpClass::lop3}) {
    Node& n = push(out, op, i);
    n.uses = {missing};
    n.defs = {missing = temporary(1)};
  }
  uint32_t carry = kNoVirtual;
  for (const uint8_t words : {uint8_t{1}, uint8_t{2}}) {
    Node& n = push(out, OpClass::iadd, i);
    n.uses = address;
    n.uses.push_back(words == 1 ? missing : carry);
    n.defs = {carry = temporary(words)};
  }
  return carry;
}

void Selector::add_copy_size(uint32_t i, std::vector<uint32_t>& uses, std::vector<Node>& out) {
  if (!has_copy_size(i)) return;
  const Instr& in = p_.code[i];
  const uint32_t from = maker(in.ops[3]);
  // A choice that has vanished leaves its predicate, which is read itself.
  if (from != UINT32_MAX && folded(from) && shape(from) == Shape::kSelect) return;
  std::vector<uint32_t> size;
  add_source(in.ops[3], size, 0);
  if (size.size() != 1) return;
  const auto drop = [&](const std::vector<uint32_t>& values) {
    std::erase_if(uses,
                  [&](uint32_t v) { return std::find(values.begin(), values.end(), v) != values.end(); });
  };
  drop(size);
  uses.push_back(copies_anything(i, size[0], out));
  if (all_or_nothing(in.ops[3], in.aux, 0)) return;
  std::vector<uint32_t> address;
  add_source(in.ops[1], address, 0);
  drop(address);
  if (address.empty()) return;
  const auto [moved, is_new] =
      moved_copies_.try_emplace({g_.flow.block_of[i], static_cast<uint64_t>(size[0]) << 32 | address[0]}, 0);
  if (is_new) moved->second = move_copy_back(i, size[0], address, out);
  uses.push_back(moved->second);
}

}  // namespace gpuloom::ptx
