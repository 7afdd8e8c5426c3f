// SPDX-License-Identifier: Apache-2.0
// Whether operands fit a form: number, kinds, types (PTX ISA 9.4), vector lengths, state spaces, and the
// form's own check.
#pragma once
#include "ptx/parse/opcode.h"

namespace gpuloom::ptx {

// PTX ISA 9.4, table "Type Checking Rules": whether a register of type `reg` may stand where the instruction
// says `type`; `relaxed`: wider registers too (9.4.1).
bool types_agree(Type type, Type reg, bool relaxed);

class OperandFitter {
 public:
  explicit OperandFitter(ParseContext& context) : context_(&context) {}
  void set_function(Function& function) { function_ = &function; }

  // Chooses the form for `in` among the candidates, completes `in` (form, mods, operands, which are added to
  // the function's pool) and returns true; or reports the problem and returns false. Where only the target is
  // in the way, reports that and goes on.
  bool fit(const Opcode& opcode, const Token& token, std::vector<Operand>& written, Instruction& in);

 private:
  enum class Why : uint8_t {
    kNone,
    kTooFew,
    kTooMany,
    kNotRegister,
    kNotSource,
    kNotAddress,
    kNotImmediate,
    kNotLabel,
    kNotFunction,
    kNotSymbol,
    kNotList,
    kVector,
    kPair,
    kType,
    kImmediateType,
    kAddressType,
    kNegated,
    kSpecial,
    kSymbol,
    kSink,
    kSelector,
    kSpace,
    kCheck
  };
  struct Detail {
    const Operand* operand = nullptr;  // the one in the way
    Type expected = Type::kNone;
    const OperandSlot* slot = nullptr;
  };
  struct Mismatch {
    Why why = Why::kNone;
    unsigned score = 0;  // how far the fit came
    const Candidate* candidate = nullptr;
    Operand operand;  // the one in the way
    Type expected = Type::kNone;
    const OperandSlot* slot = nullptr;
    std::string text;  // of the form's check
  };

  bool fit(const Candidate& candidate, const std::vector<Operand>& written, Instruction& in, Mismatch& best);
  // Operand `op` onward against group `group` onward; chosen_[g] is the index of the operand of group g, -1
  // absent.
  bool align(const Candidate& candidate, const std::vector<Operand>& written, size_t need, size_t group,
             size_t op, Instruction& in, Mismatch& best);
  bool finish(const Candidate& candidate, const std::vector<Operand>& written, Instruction& in,
              Mismatch& best);
  Why one(const Candidate& candidate, size_t need, const Operand& operand, Detail& detail) const;
  Why plain(const Candidate& candidate, const OperandNeed& need, const Operand& operand, bool element,
            Detail& detail) const;
  Why elements(const Candidate& candidate, const OperandNeed& need, const Operand& operand,
               Detail& detail) const;
  Why address(const OperandNeed& need, const Operand& operand, Detail& detail) const;
  Why source_register(const Candidate& candidate, const OperandNeed& need, const Operand& operand,
                      bool element) const;
  struct Explained {
    Problem problem;
    std::string message, hint;
  };
  static std::string_view wanted(Why why);
  static std::string_view type_hint(const Mismatch& mismatch);
  Explained explain_type(const Mismatch& mismatch) const;
  Explained explain_kind(const Mismatch& mismatch) const;
  Explained explained(const Mismatch& mismatch, size_t count) const;
  void explain(const Mismatch& mismatch, const Token& token, size_t count);
  std::string describe(const Operand& operand) const;
  const Operand* children(const Operand& operand) const {
    return &function_->operand_pool[operand.first_child];
  }

  ParseContext* context_;
  Function* function_ = nullptr;
  std::array<int16_t, 32> chosen_{};
};

}  // namespace gpuloom::ptx
