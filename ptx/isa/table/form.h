// SPDX-License-Identifier: Apache-2.0
// The instruction table: what instructions exist, which forms they have, and what each form means.
// From this one table come the parser's legality checks, decoding, `gpuloom isa` and the coverage page.
#pragma once
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ptx/ir/module.h"
#include "ptx/ir/program.h"
#include "ptx/ir/types.h"
#include "ptx/isa/table/op_class.h"

namespace gpuloom::ptx {

class FormUse;

// One choice of a modifier, with what it needs beyond its form.
struct ModifierValue {
  std::string text;         // with the dot: ".rn", ".shared::cta"
  Type type = Type::kNone;  // where the word names a type
  std::string since;        // PTX ISA version, "" for the form's own
  std::vector<std::string>
      needs;  // any of these targets ("sm_90", "sm_100f", "sm_90a"); empty: the form's own
};

struct ModifierSlot {
  std::string set;  // name in the syntax, with the dot: ".type"; a literal is its own set
  bool optional = false;
  std::vector<ModifierValue> values;
};

enum class OperandShape : uint8_t {
  kPlain,          // register; immediate or symbol too where it is a source
  kAddress,        // [a]
  kVectorOrPlain,  // {..} of as many as the .vec modifier says, plain without one
  kList,           // {..} of a count that the check hook verifies, or plain for one
  kImmediate,      // constant expression only
  kPair,           // d|p; the slot describes d, the next slot p
  kLabel,          // branch target
  kTensor,         // [address, {coordinates}] and texture addresses
  kFunction,       // callee name or register
  kCallList,       // ( ... )
  kSymbol,         // name of a variable, .branchtargets, prototype, ...
};

struct OperandSlot {
  std::string name;
  OperandShape shape = OperandShape::kPlain;
  bool optional = false;
  bool destination = false;
  bool updated = false;     // a destination that is read too (the accumulators of wgmma)
  bool negatable = false;   // {!}p
  Type type = Type::kNone;  // fixed type, or
  int8_t type_slot = -1;    // the modifier slot that gives the type; -1 with kNone: not checked
};

struct InstructionInfo {
  std::string mnemonic;  // "add", "cp.async.bulk.tensor": what forms share before their modifiers
  std::string section;   // of the PTX manual (9.0)
  std::string summary;
  std::string family;  // folder of its file
};

struct Form {
  const InstructionInfo* instruction = nullptr;
  std::string syntax;  // as declared, for messages and listings
  std::vector<ModifierSlot> mods;
  std::vector<OperandSlot> operands;
  std::string since = "1.0";
  std::vector<std::string> needs;  // any of these targets; empty: all
  bool relaxed = false;            // operands may be wider than the type (ld, st, cvt: PTX ISA 9.4.1)
  InstrKind kind = InstrKind::kPlain;
  std::string not_modelled;  // reason why it has no meaning; "" where it has one
  // Hooks. `check` returns a problem in words, or "". `meaning` picks the lane function. `encode` fills Instr
  // fields.
  std::string (*check)(const FormUse&) = nullptr;
  LaneFn (*meaning)(const FormUse&) = nullptr;
  LaneFn fixed_meaning = nullptr;
  OpClass (*op_of)(const FormUse&) = nullptr;
  OpClass op = OpClass::none;
  void (*encode)(const FormUse&, Instr&) = nullptr;
  int16_t index = 0;
};

// One use of a form: the modifiers chosen and, where known, the operands. Cold path: decoding and checking
// only.
class FormUse {
 public:
  FormUse(const Form& form, const Instruction& instruction, const Function* function)
      : form_(&form), instruction_(&instruction), function_(function) {}
  const Form& form() const { return *form_; }
  const Instruction& instruction() const { return *instruction_; }
  const Function* function() const { return function_; }

  // The value chosen for a set (".rnd" -> ".rn"), "" where it is absent or the form has no such set.
  std::string_view mod(std::string_view set) const;
  // Whether the optional literal or the value stands in the instruction (".ftz").
  bool has(std::string_view value) const;
  // The type chosen for a set, kNone where absent.
  Type type(std::string_view set = ".type") const;
  // 1, 2, 4 or 8 from a set of .v2 .v4 .v8.
  unsigned vec(std::string_view set = ".vec") const;
  // State space from the sets ".space" or ".ss"; kGeneric where none is given. Function parameters and
  // shared::cluster told apart.
  Space space() const;
  const Operand& operand(unsigned index) const;  // a none-operand beyond the end
  unsigned operand_count() const { return instruction_->operand_count; }
  // Width in bits of the register (or of the elements of the vector) of an operand; 0 for immediates and
  // symbols.
  unsigned register_bits(unsigned index) const;
  // Element type of the register of an operand, kNone for immediates and symbols.
  Type register_type(unsigned index) const;
  // Elements in a vector or list operand, 1 for a plain one.
  unsigned element_count(unsigned index) const;

 private:
  const Form* form_;
  const Instruction* instruction_;
  const Function* function_;
};

class IsaTable {
 public:
  IsaTable() = default;
  IsaTable(const IsaTable&) = delete;
  IsaTable& operator=(const IsaTable&) = delete;
  const std::deque<InstructionInfo>& instructions() const { return instructions_; }
  const std::deque<Form>& forms() const { return forms_; }
  // All forms whose mnemonic is the first word of an opcode ("cp" for cp.async.bulk), in order of
  // declaration.
  const std::vector<const Form*>& forms_of(std::string_view first_word) const;

 private:
  friend class IsaBuilder;
  std::deque<InstructionInfo> instructions_;
  std::deque<Form> forms_;
  std::unordered_map<std::string, std::vector<const Form*>> by_first_word_;
};

// The whole ISA; built once, immutable after (the only function-local static of ptx/isa). Defined in the isa
// level.
const IsaTable& isa_table();

}  // namespace gpuloom::ptx
