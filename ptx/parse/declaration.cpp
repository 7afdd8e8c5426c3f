// SPDX-License-Identifier: Apache-2.0
#include "ptx/parse/declaration.h"

#include <bit>

#include "base/text.h"

namespace gpuloom::ptx {
namespace {

constexpr uint64_t kLargest = uint64_t{1} << 40;  // bytes of a variable: more than any device has

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
    Diagnostic& d =
        context_->report.error(Problem::kDeclaration, token, ticked(token.text) + " is not a type");
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

}  // namespace gpuloom::ptx
