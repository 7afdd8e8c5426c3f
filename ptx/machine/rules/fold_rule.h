// SPDX-License-Identifier: Apache-2.0
// A rule of folding: which instructions vanish, and what becomes of those that use their results. Folding is
// about time only: the decoded instructions all stay and take effect in a fitting place. Not for users of
// lower().
#pragma once
#include <optional>

#include "ptx/machine/rules/rule.h"

namespace gpuloom::ptx {

// An instruction that may fold.
struct Candidate {
  uint32_t i = 0;
  Shape shape = Shape::kOther;
  const RowFacts* result = nullptr;  // of the one row that it alone writes; null: there is none
  bool steady = false;               // has a result whose sources are the same wherever it is used
};

// What folding does.
class Folder {
 public:
  Folder(Selector& selector, Candidate candidate) : s_(selector), c_(candidate) {}
  void vanish();                         // no operation of its own
  void into_users(OpClass as);           // its users do it with theirs, as class `as`; none: their own
  void fuse(OpClass as);                 // its own operation is another
  void take(uint32_t user, OpClass as);  // a user does more, which it can do once
  void join(uint32_t other);             // another instruction vanishes: its result is this one's source
  void rename();                         // it counts as a name for the same bits
  void become(Shape shape, OpClass as);  // another instruction
  void make_word(uint32_t row);          // of 64 bits one register

 private:
  Selector& s_;
  Candidate c_;
};

struct FoldRule {
  std::string_view name;
  bool (*match)(const Selection&, const Candidate&);
  void (*apply)(const Selection&, Folder&, const Candidate&);
};

// The first that matches is applied.
std::span<const FoldRule* const> fold_rules();

// ---- what several rules ask

template <class Test>
bool all_uses(const RowFacts& row, Test test) {
  for (const auto& use : row.uses)
    if (!test(use.first, *use.second)) return false;
  return !row.uses.empty();
}
// Whether all who read the row are of this shape and can take an instruction into theirs.
bool used_by(const Selection& s, const RowFacts& row, Shape wanted);
// Whether the row is the base of addresses alone.
bool address_only(const Selection& s, const RowFacts& row);
bool adds_nothing(const Selection& s, uint32_t i);
// Whether what a move names, if that is a constant, is one: not so the address of a shared variable that
// depends on the block's rank in its cluster.
bool names_known(const Selection& s, uint32_t i);
// The constant that an operand is, or that a move gave it.
std::optional<uint64_t> known_operand(const Selection& s, Place place, unsigned bytes);
// IMAD.WIDE adds a pair of registers, so the upper half of an extended value is made for it (SASS of
// transpose_naive; of 256-bit products: an upper half that becomes a lower one is moved, too); IADD3 and
// LEA.HI.X.SX32 extend what they add.
bool adds_product(const Selection& s, uint32_t i);
bool joins_product(const Selection& s, const RowFacts& row);
// [R + UR]: an address that adds the base of shared memory to a register.
bool has_uniform_base(const Selection& s, uint32_t i);

// Whether registers can be chosen so that a vector and its elements are the same.
bool can_choose_registers(const Selection& s, uint32_t i);
unsigned narrowest_operand(const Selection& s, uint32_t i);  // in bytes
// Whether i puts values narrower than a register together.
bool packs_halves(const Selection& s, uint32_t i);

}  // namespace gpuloom::ptx
