// SPDX-License-Identifier: Apache-2.0
// `= {...}` of a variable: values, symbols with masks, fields of samplers.
#include <bit>

#include "base/text.h"
#include "ptx/parse/declaration.h"

namespace gpuloom::ptx {
namespace {

bool is_opaque(Type type) { return info(type).kind == TypeKind::kOpaque; }

}  // namespace

InitialiserParser::InitialiserParser(ParseContext& context, ConstantParser& constants, Variable& variable,
                                     std::vector<uint64_t> extents)
    : context_(&context), constants_(&constants), variable_(&variable), extents_(std::move(extents)) {
  if (variable.vector > 1) extents_.push_back(variable.vector);
  strides_.assign(extents_.size(), 1);
  for (size_t k = extents_.size(); k-- > 1;) strides_[k - 1] = strides_[k] * extents_[k];
}

void InitialiserParser::parse() {
  if (is_opaque(variable_->type)) {
    opaque();
    return;
  }
  const Token first = context_->tokens.now();
  if (extents_.empty()) {
    scalar(0);
  } else if (first.is('{')) {
    level(0, 0);
  } else {
    context_->tokens.unexpected("`{`: an array or vector is initialised with braces");
  }
  const uint64_t element = bytes(variable_->type) * uint64_t{variable_->vector};
  if (variable_->unsized) {
    const uint64_t scalars_in_element = strides_[0];
    variable_->size_bytes =
        (count_ + scalars_in_element - 1) / scalars_in_element * scalars_in_element * bytes(variable_->type);
    variable_->unsized = false;
    if (variable_->size_bytes < element) variable_->size_bytes = 0;
  }
  if (!variable_->initial.empty()) variable_->initial.resize(variable_->size_bytes);
}

void InitialiserParser::level(size_t depth, uint64_t first) {
  TokenStream& tokens = context_->tokens;
  tokens.expect('{');
  uint64_t k = 0;
  const uint64_t extent = extents_[depth];
  while (!tokens.now().is('}')) {
    const Token element = tokens.now();
    if (k == extent && !(depth == 0 && variable_->unsized)) {
      context_->report.error(Problem::kInitialiser, element,
                             "more values than the array has elements (" + std::to_string(extent) + ")");
      throw Abandon();
    }
    const uint64_t index = first + k * strides_[depth];
    if (element.is('{')) {
      if (depth + 1 >= extents_.size()) {
        context_->report.error(Problem::kInitialiser, element, "braces deeper than the array has dimensions");
        throw Abandon();
      }
      level(depth + 1, index);
    } else if (depth + 1 < extents_.size()) {
      tokens.unexpected("`{`: each row or vector has its own braces");
    } else {
      scalar(index);
    }
    ++k;
    if (!tokens.accept(',')) break;
    if (tokens.now().is('}')) tokens.unexpected("a value after the comma");
  }
  tokens.expect('}');
}

void InitialiserParser::scalar(uint64_t index) {
  TokenStream& tokens = context_->tokens;
  const Token first = tokens.now();
  count_ = std::max(count_, index + 1);
  if (first.kind == TokenKind::kWord && first.text != "WARP_SZ") {
    symbol(index, false, 0);
    return;
  }
  if (!ConstantParser::begins(first)) tokens.unexpected("an initial value");
  if (first.kind == TokenKind::kInteger && tokens.peek().is('(')) {
    uint64_t mask = 0;
    bool is_unsigned = false;
    if (!integer_value(first.text, mask, is_unsigned)) tokens.unexpected("a mask of 64 bits");
    tokens.advance();
    tokens.expect('(');
    symbol(index, true, mask);
    tokens.expect(')');
    return;
  }
  store(index, first, constants_->parse());
}

void InitialiserParser::store(uint64_t index, const Token& token, const Constant& value) {
  const Type type = variable_->type;
  const unsigned size = bytes(type);
  uint64_t pattern = value.bits;
  bool good = true;
  if (type == Type::kF32 || (type == Type::kB32 && !value.is_integer())) {
    good = !value.is_integer();
    if (value.type == Type::kF64)
      pattern = std::bit_cast<uint32_t>(static_cast<float>(std::bit_cast<double>(value.bits)));
  } else if (type == Type::kF64 || (type == Type::kB64 && !value.is_integer())) {
    good = !value.is_integer();
    if (value.type == Type::kF32)
      pattern = std::bit_cast<uint64_t>(
          static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(value.bits))));
  } else {
    good = value.is_integer() && !is_float(type);
  }
  if (!good) {
    context_->report.error(Problem::kInitialiser, token,
                           std::string(value.is_integer() ? "an integer" : "a floating-point number") +
                               " cannot initialise ." + std::string(info(type).name));
    return;
  }
  if (variable_->initial.size() < (index + 1) * size) variable_->initial.resize((index + 1) * size);
  for (unsigned k = 0; k < size; ++k)
    variable_->initial[index * size + k] = k < 8 ? static_cast<uint8_t>(pattern >> (8 * k)) : uint8_t{0};
}

bool InitialiserParser::address_of(const Token& name, Relocation& relocation) {
  const Name* found = context_->names.find(name.text);
  if (found == nullptr || (found->kind != NameKind::kVariable && found->kind != NameKind::kFunction)) {
    Diagnostic& d = context_->report.error(
        Problem::kName, name, ticked(name.text) + " is not a variable or function declared before");
    if (context_->report.wants_hints()) d.hint = did_you_mean(name.text, context_->names.all(false));
    return false;
  }
  relocation.symbol = std::string(name.text);
  return true;
}

// `symbol`, `generic(symbol)`, each with an offset; the token at hand is the first word.
void InitialiserParser::symbol(uint64_t index, bool masked, uint64_t mask) {
  TokenStream& tokens = context_->tokens;
  const unsigned size = bytes(variable_->type);
  Relocation relocation;
  relocation.offset_bytes = static_cast<uint32_t>(index * size);
  relocation.width_bytes = static_cast<uint8_t>(size);
  const Token first = tokens.expect_word("a symbol");
  Token name = first;
  if (first.text == "generic" && tokens.now().is('(')) {
    relocation.generic = true;
    tokens.advance();
    name = tokens.expect_word("a symbol");
    tokens.expect(')');
  }
  const bool known = address_of(name, relocation);
  while (tokens.now().is('+') || tokens.now().is('-')) {
    const bool minus = tokens.now().is('-');
    tokens.advance();
    const Token at = tokens.now();
    const Constant offset = constants_->parse_term();
    if (!offset.is_integer()) {
      context_->report.error(Problem::kConstant, at, "an offset is an integer");
      throw Abandon();
    }
    relocation.addend = static_cast<int64_t>(static_cast<uint64_t>(relocation.addend) +
                                             (minus ? 0 - offset.bits : offset.bits));
  }
  if (masked) {
    relocation.width_bytes = 1;
    relocation.mask_shift = mask == 0 ? 0 : static_cast<uint8_t>(std::countr_zero(mask));
    if (mask == 0 || relocation.mask_shift % 8 != 0 || mask >> relocation.mask_shift != 0xff)
      context_->report.error(Problem::kInitialiser, first, "a mask selects one byte: 0xff, 0xff00, ...");
  } else if (size < 4 || is_float(variable_->type)) {
    context_->report.error(Problem::kInitialiser, first, "an address needs an integer of 32 or 64 bits");
  }
  if (!known) return;
  if (variable_->initial.size() < (index + 1) * size) variable_->initial.resize((index + 1) * size);
  variable_->relocations.push_back(std::move(relocation));
}

// `{ addr_mode_0 = clamp_to_edge, filter_mode = linear, ... }` of .samplerref and .texref: read, not kept.
void InitialiserParser::opaque() {
  TokenStream& tokens = context_->tokens;
  const Token first = tokens.now();
  tokens.expect('{');
  while (!tokens.now().is('}')) {
    tokens.expect_word("a property");
    tokens.expect('=');
    if (tokens.now().kind == TokenKind::kWord)
      tokens.advance();
    else
      constants_->parse();
    if (!tokens.accept(',')) break;
  }
  tokens.expect('}');
  if (context_->options.warn_not_modelled)
    context_->report.warning(
        Problem::kUnsupportedFeature, first.position, 1,
        "initial values of textures, samplers and surfaces are not modelled; the host sets them");
}

}  // namespace gpuloom::ptx
