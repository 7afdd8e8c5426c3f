// SPDX-License-Identifier: Apache-2.0
// From the text of an opcode to the forms that it may be, with every modifier assigned to its slot.
#pragma once
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ptx/parse/context.h"

namespace gpuloom::ptx {

// What an operand of a candidate must be; a pair has two, one after the other.
struct OperandNeed {
  const OperandSlot* slot = nullptr;
  Type type = Type::kNone;        // kNone: not checked
  Space space = Space::kGeneric;  // of a variable that an address names; generic: any
};

struct Candidate {
  const Form* form = nullptr;
  std::array<uint8_t, kMaxModifierSlots> mods{};
  std::vector<OperandNeed> needs;
  unsigned groups = 0, mandatory = 0;  // operands as written: a pair is one
  unsigned vector = 1;                 // elements that `d*` has
  // Why the module's version or target does not have it; "" where it has.
  std::string illegal;
  Problem illegal_code = Problem::kTarget;
  bool reads_special = false;  // special registers may be sources
  bool takes_symbol = false;   // symbols may be sources
  bool takes_sink = false;     // `_` may be the destination
  bool selects = false;        // video selectors
};

struct Opcode {
  std::vector<Candidate> candidates;  // none: the opcode is wrong
};

// Memoises by opcode text: one look-up an instruction.
class OpcodeTable {
 public:
  explicit OpcodeTable(ParseContext& context) : context_(&context) {}
  // `text` must live as long as the table.
  const Opcode& find(std::string_view text);
  // Reports what is wrong with an opcode without candidates.
  void explain(const Token& opcode);

 private:
  std::unique_ptr<Opcode> resolve(std::string_view text) const;
  void complete(Candidate& candidate) const;
  static void flush_subnormals(Candidate& candidate);
  static void find_spaces(Candidate& candidate);
  void check_legality(Candidate& candidate) const;

  ParseContext* context_;
  std::unordered_map<std::string_view, std::unique_ptr<Opcode>> memo_;
};

// Assigns the modifiers of `opcode` to the slots of `form`: in the order of the form where that works, else
// (`any_order`) each to the first free slot that takes it. False where it does not work out.
bool match_modifiers(const Form& form, std::string_view opcode, bool any_order,
                     std::array<uint8_t, kMaxModifierSlots>& mods);

}  // namespace gpuloom::ptx
