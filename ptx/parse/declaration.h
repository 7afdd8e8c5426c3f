// SPDX-License-Identifier: Apache-2.0
// Variable and parameter declarations (PTX ISA 5.4) and their initialisers.
#pragma once
#include <functional>

#include "ptx/parse/constant.h"

namespace gpuloom::ptx {

// The part of a declaration before its names: `.global .attribute(.managed) .align 16 .v4 .f32`.
struct DeclarationHead {
  Space space = Space::kGeneric;
  Type type = Type::kNone;
  uint8_t vector = 1;
  uint32_t align = 0;
  bool managed = false;
  bool is_pointer = false;  // .ptr, with the two that follow
  Space pointer_space = Space::kGeneric;
  uint32_t pointer_align = 0;
  Position position;
};

class DeclarationParser {
 public:
  explicit DeclarationParser(ParseContext& context) : context_(&context), constants_(context) {}

  // Reads `.space` and what follows up to the name; `space` is kGeneric where the token at hand names none.
  static Space space_of(const Token& token);
  DeclarationHead head(bool parameter);
  // Name, dimensions and initialiser; the token at hand is the name.
  Variable variable(const DeclarationHead& head, Linkage linkage);
  // Parameter list in parentheses, of an entry, a function or a prototype.
  std::vector<Variable> parameters(Space param_space, bool names_optional);
  // `.attribute(...)` with the token at hand being that word.
  void attributes(bool& managed);
  ConstantParser& constants() { return constants_; }

 private:
  Type type_word();
  uint32_t alignment();
  void pointer(DeclarationHead& head);
  void dimensions(Variable& variable, std::vector<uint64_t>& extents);

  ParseContext* context_;
  ConstantParser constants_;
};

// `= {...}` of a variable whose type and extents are known.
class InitialiserParser {
 public:
  InitialiserParser(ParseContext& context, ConstantParser& constants, Variable& variable,
                    std::vector<uint64_t> extents);
  void parse();

 private:
  void level(size_t depth, uint64_t first);
  void scalar(uint64_t index);
  void opaque();
  void store(uint64_t index, const Token& token, const Constant& value);
  void symbol(uint64_t index, bool masked, uint64_t mask);
  bool address_of(const Token& name, Relocation& relocation);

  ParseContext* context_;
  ConstantParser* constants_;
  Variable* variable_;
  std::vector<uint64_t> extents_;  // elements at each brace level; 0 for `[]`
  std::vector<uint64_t> strides_;  // scalars that one element of the level has
  uint64_t count_ = 0;             // scalars up to the last one written
};

}  // namespace gpuloom::ptx
