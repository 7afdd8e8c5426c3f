// SPDX-License-Identifier: Apache-2.0
#include "ptx/parse/declaration.h"

#include <bit>

#include "sim/base/text.h"

namespace gpuloom::ptx {
namespace {

constexpr uint64_t kLargest = uint64_t{1} << 40;  // bytes of a variable: more than any device has

bool is_opaque(Type type) { return info(type).kind == TypeKind::kOpaque; }

std::vector<std::string> type_words() {
  return {".pred",   ".b8",  ".b16",    ".b32",        ".b64", ".b128", ".u8",    ".u16",    ".u32",
          ".u64",    ".s8",  ".s16",    ".s32",        ".s64", ".f16",  ".f16x2", ".bf16",   ".f32",
          ".bf16x2", ".f64", ".texref", ".samplerref", ".v2",  ".v4",   ".align", ".surfref"};
}

}  // namespace

Space DeclarationParser::space_of(const Token& token) {
  if (token.kind != TokenKind::kDirective) return Space::kGeneric;
  const std::string_view text = token.text;
  if (text == ".reg") return Space::kReg;
  if (text == ".param") return Space::kParam;
  if (text == ".global") return Space::kGlobal;
  if (text == ".shared" || text == ".shared::cta") return Space::kShared;
  if (text == ".local") return Space::kLocal;
  if (text == ".const") return Space::kConst;
  if (text == ".tex") return Space::kTex;
  if (text == ".sreg") return Space::kSreg;
  return Space::kGeneric;
}

uint32_t DeclarationParser::alignment() {
  const Token first = context_->tokens.peek();
  context_->tokens.advance();
  const int64_t align = constants_.parse_integer("the alignment", 1, 1 << 20);
  if (!std::has_single_bit(static_cast<uint64_t>(align)))
    context_->report.error(Problem::kDeclaration, first, "an alignment must be a power of two");
  return static_cast<uint32_t>(align);
}

void DeclarationParser::attributes(bool& managed) {
  TokenStream& tokens = context_->tokens;
  tokens.advance();
  tokens.expect('(');
  while (true) {
    if (tokens.now().directive(".managed")) {
      managed = true;
      tokens.advance();
    } else if (tokens.now().directive(".unified")) {
      tokens.advance();
      tokens.expect('(');
      constants_.parse();
      tokens.expect(',');
      constants_.parse();
      tokens.expect(')');
    } else {
      tokens.unexpected(".managed or .unified");
    }
    if (!tokens.accept(',')) break;
  }
  tokens.expect(')');
}

void DeclarationParser::pointer(DeclarationHead& head) {
  head.is_pointer = true;
  context_->tokens.advance();
  const Space space = space_of(context_->tokens.now());
  if (space == Space::kGlobal || space == Space::kConst || space == Space::kShared ||
      space == Space::kLocal) {
    head.pointer_space = space;
    context_->tokens.advance();
  }
  if (context_->tokens.now().directive(".align")) head.pointer_align = alignment();
}

DeclarationHead DeclarationParser::head(bool parameter) {
  TokenStream& tokens = context_->tokens;
  DeclarationHead head;
  head.position = tokens.now().position;
  head.space = space_of(tokens.now());
  if (head.space == Space::kGeneric) tokens.unexpected(parameter ? "a parameter" : "a state space");
  tokens.advance();
  // Constant banks of PTX 1.x and 2.x: `.const[3]`.
  if (head.space == Space::kConst && tokens.accept('[')) {
    constants_.parse_integer("the bank", 0, 10);
    tokens.expect(']');
  }
  while (tokens.now().kind == TokenKind::kDirective) {
    const std::string_view word = tokens.now().text;
    if (word == ".align") {
      head.align = alignment();
    } else if (word == ".ptr" && parameter) {
      pointer(head);
    } else if (word == ".attribute") {
      attributes(head.managed);
    } else if (word == ".v2" || word == ".v4" || word == ".v8") {
      head.vector = static_cast<uint8_t>(word[2] - '0');
      tokens.advance();
    } else {
      head.type = type_word();
    }
  }
  if (head.type == Type::kNone) tokens.unexpected("a type");
  return head;
}

Type DeclarationParser::type_word() {
  const Token token = context_->tokens.now();
  const Type type = type_named(token.text.substr(1));
  if (type == Type::kNone) {
    Diagnostic& d = context_->report.error(Problem::kDeclaration, token, ticked(token.text) + " is no type");
    if (context_->report.wants_hints()) d.hint = did_you_mean(token.text, type_words());
    throw Abandon();
  }
  context_->tokens.advance();
  return type;
}

void DeclarationParser::dimensions(Variable& variable, std::vector<uint64_t>& extents) {
  TokenStream& tokens = context_->tokens;
  uint64_t elements = 1;
  while (tokens.now().is('[')) {
    const Token bracket = tokens.now();
    tokens.advance();
    variable.is_array = true;
    if (tokens.accept(']')) {
      if (!extents.empty())
        context_->report.error(Problem::kDeclaration, bracket, "only the first dimension may be open");
      variable.unsized = true;
      extents.push_back(0);
      continue;
    }
    const auto extent =
        static_cast<uint64_t>(constants_.parse_integer("the dimension", 0, static_cast<int64_t>(kLargest)));
    tokens.expect(']');
    extents.push_back(extent);
    if (extent != 0 && elements > kLargest / extent) {
      context_->report.error(Problem::kDeclaration, bracket, "this array is larger than any memory");
      throw Abandon();
    }
    elements *= extent;
  }
  const uint64_t scalar = bytes(variable.type) * uint64_t{variable.vector};
  if (elements * scalar > kLargest) {
    context_->report.error(Problem::kDeclaration, variable.position, variable.name.size(),
                           "this variable is larger than any memory");
    throw Abandon();
  }
  variable.size_bytes = variable.unsized ? 0 : elements * scalar;
}

Variable DeclarationParser::variable(const DeclarationHead& head, Linkage linkage) {
  const Token name = context_->tokens.expect_word("a name");
  Variable v;
  v.name = std::string(name.text);
  v.position = name.position;
  v.space = head.space;
  v.type = head.type;
  v.vector = head.vector;
  v.linkage = linkage;
  v.managed = head.managed;
  v.is_pointer = head.is_pointer;
  v.pointer_space = head.pointer_space;
  v.pointer_align = head.pointer_align;
  if (head.type == Type::kPred)
    context_->report.error(Problem::kDeclaration, name, "predicates live in registers only: `.reg .pred`");
  const uint32_t natural = bytes(head.type) * head.vector;
  if (head.vector > 1 && bits(head.type) * head.vector > (head.vector == 8 ? 256u : 128u) &&
      head.space != Space::kReg)
    context_->report.error(Problem::kDeclaration, name, "a vector has at most 128 bits");
  v.align_bytes = std::max(head.align, natural == 0 ? 1u : std::bit_floor(natural));
  // A wrong `.align` was reported already; rounding keeps what follows sane.
  v.align_bytes = std::bit_ceil(v.align_bytes);
  if (head.align != 0 && head.align < natural) v.align_bytes = std::bit_ceil(natural);
  std::vector<uint64_t> extents;
  dimensions(v, extents);
  if (context_->tokens.now().is('=')) {
    const Token equals = context_->tokens.now();
    context_->tokens.advance();
    if (head.space != Space::kGlobal && head.space != Space::kConst) {
      context_->report.error(Problem::kInitialiser, equals,
                             "only .global and .const variables can be initialised");
      throw Abandon();
    }
    if (linkage == Linkage::kExtern)
      context_->report.error(Problem::kInitialiser, equals, "an .extern variable cannot be initialised");
    InitialiserParser(*context_, constants_, v, std::move(extents)).parse();
  } else if (v.unsized && linkage != Linkage::kExtern &&
             (head.space == Space::kGlobal || head.space == Space::kShared || head.space == Space::kConst ||
              head.space == Space::kLocal)) {
    context_->report.error(Problem::kDeclaration, name,
                           ticked(name.text) + " has no size: `[]` is for .extern or initialised arrays");
  }
  return v;
}

std::vector<Variable> DeclarationParser::parameters(Space param_space, bool names_optional) {
  TokenStream& tokens = context_->tokens;
  std::vector<Variable> out;
  tokens.expect('(');
  if (tokens.accept(')')) return out;
  do {
    const Token first = tokens.now();
    DeclarationHead h = head(true);
    if (h.space != Space::kParam && h.space != Space::kReg) {
      context_->report.error(Problem::kDeclaration, first, "a parameter is in .param or .reg");
      throw Abandon();
    }
    if (h.space == Space::kParam) h.space = param_space;
    if (h.space == Space::kReg && param_space == Space::kParam)
      context_->report.error(Problem::kDeclaration, first, "parameters of an entry are in .param");
    if (h.space == Space::kReg && h.type == Type::kPred && tokens.now().kind == TokenKind::kWord) {
      Variable predicate;  // .reg .pred parameters of PTX without ABI
      predicate.name = std::string(tokens.now().text);
      predicate.position = tokens.now().position;
      predicate.space = h.space;
      predicate.type = h.type;
      tokens.advance();
      out.push_back(std::move(predicate));
    } else if (names_optional && tokens.now().kind != TokenKind::kWord) {
      Variable unnamed;
      unnamed.space = h.space;
      unnamed.type = h.type;
      unnamed.vector = h.vector;
      unnamed.align_bytes = std::max(h.align, bytes(h.type));
      unnamed.size_bytes = bytes(h.type) * uint64_t{h.vector};
      unnamed.position = h.position;
      out.push_back(std::move(unnamed));
    } else {
      out.push_back(variable(h, Linkage::kNone));
    }
  } while (tokens.accept(','));
  tokens.expect(')');
  return out;
}

// ---------------------------------------------------------------- initialisers

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
    Diagnostic& d = context_->report.error(Problem::kName, name,
                                           ticked(name.text) + " is no variable or function declared before");
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
