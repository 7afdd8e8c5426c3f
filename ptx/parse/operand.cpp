// SPDX-License-Identifier: Apache-2.0
#include "ptx/parse/operand.h"

#include "base/text.h"
#include "ptx/ir/special_register.h"

namespace gpuloom::ptx {
namespace {

// Operand::component of ".x", ".r" (without the dot); kWholeRegister for none of them.
uint8_t component_named(std::string_view text) {
  if (text.size() != 1) return kWholeRegister;
  for (const std::string_view names : {"xyzw", "rgba"})
    if (const size_t k = names.find(text[0]); k != std::string_view::npos) return static_cast<uint8_t>(k);
  return kWholeRegister;
}

// Selectors of video instructions, "h0", "b3", "h31", "b7610": the letters, first one in the lowest byte; 0
// where it is none.
int64_t selector_named(std::string_view text) {
  const bool bytes = text[0] == 'b';
  if (text.size() < 2 || text.size() > 5 || (!bytes && (text[0] != 'h' || text.size() > 3))) return 0;
  if (text.find_first_not_of(bytes ? "01234567" : "0123", 1) != std::string_view::npos) return 0;
  int64_t value = 0;
  for (size_t k = text.size(); k-- > 0;) value = value << 8 | text[k];
  return value;
}

}  // namespace

uint32_t OperandParser::keep_children(size_t first) {
  const auto at = static_cast<uint32_t>(function_->operand_pool.size());
  function_->operand_pool.insert(function_->operand_pool.end(),
                                 stack_.begin() + static_cast<ptrdiff_t>(first), stack_.end());
  stack_.resize(first);
  return at;
}

void OperandParser::parse_all(std::vector<Operand>& out, bool call) {
  stack_.clear();
  if (context_->tokens.now().is(';')) return;
  do {
    out.push_back(parse(call));
    if (out.size() > 1000) {
      context_->report.error(Problem::kOperandCount, context_->tokens.now(),
                             "no instruction has this many operands");
      throw Abandon();
    }
  } while (context_->tokens.accept(','));
}

Operand OperandParser::parse(bool call) {
  Operand first = simple(call);
  if (!context_->tokens.now().is('|')) return first;
  context_->tokens.advance();
  Operand second = simple(false);
  Operand pair;
  pair.kind = OperandKind::kPair;
  pair.position = first.position;
  const size_t mark = stack_.size();
  stack_.push_back(first);
  stack_.push_back(second);
  pair.child_count = 2;
  pair.first_child = keep_children(mark);
  return pair;
}

Operand OperandParser::simple(bool call) {
  const Token& token = context_->tokens.now();
  switch (token.kind) {
    case TokenKind::kWord:
      return token.text == "WARP_SZ" ? constant() : word();
    case TokenKind::kInteger:
    case TokenKind::kFloat:
      return constant();
    case TokenKind::kPunctuation:
      if (token.is('[')) return address();
      if (token.is('{')) return braces();
      if (token.is('(') && call) return list();
      if ((token.is('!') || token.is('-')) && context_->tokens.peek().kind == TokenKind::kWord &&
          context_->tokens.peek().text != "WARP_SZ")
        return negated();
      if (ConstantParser::begins(token)) return constant();
      break;
    default:
      break;
  }
  context_->tokens.unexpected("an operand");
}

Operand OperandParser::negated() {
  const Token sign = context_->tokens.now();
  context_->tokens.advance();
  Operand operand = word();
  operand.negated = true;
  operand.position = sign.position;
  return operand;
}

Operand OperandParser::constant() {
  Operand operand;
  operand.position = context_->tokens.now().position;
  const Constant value = constants_->parse();
  operand.kind = OperandKind::kImmediate;
  operand.immediate_type = value.type;
  operand.value = value.integer();
  return operand;
}

bool OperandParser::find_guard(const Token& token, Operand& operand) {
  operand.position = token.position;
  if (!resolve(token, operand)) unknown(token, true);
  if (operand.kind == OperandKind::kRegister && function_->registers[operand.id].type == Type::kPred)
    return true;
  Diagnostic& d = context_->report.error(
      Problem::kGuard, token, "a guard is a predicate register, " + ticked(token.text) + " is none");
  if (operand.kind != OperandKind::kRegister) return false;
  const Register& reg = function_->registers[operand.id];
  d.notes.push_back({ticked(reg.name) + " is declared ." + std::string(info(reg.type).name), reg.position});
  return false;
}

// Registers, special registers, variables, functions and tables in scope.
bool OperandParser::resolve(const Token& token, Operand& operand) {
  std::string_view text = token.text;
  uint32_t id = 0;
  const Name* name = context_->names.find(text);
  if (name == nullptr) name = context_->names.find_in_range(text, id);
  if (name == nullptr) {
    const size_t dot = text.find('.');
    if (dot == std::string_view::npos) return false;
    operand.component = component_named(text.substr(dot + 1));
    if (operand.component == kWholeRegister)
      operand.value = dot + 1 < text.size() ? selector_named(text.substr(dot + 1)) : 0;
    if (operand.component == kWholeRegister && operand.value == 0) return false;
    text = text.substr(0, dot);
    name = context_->names.find(text);
    if (name == nullptr) name = context_->names.find_in_range(text, id);
    if (name == nullptr || (name->kind != NameKind::kRegister && name->kind != NameKind::kRegisterRange))
      return false;
  }
  operand.id = name->kind == NameKind::kRegisterRange ? id : name->id;
  switch (name->kind) {
    case NameKind::kRegister:
    case NameKind::kRegisterRange: {
      operand.kind = OperandKind::kRegister;
      const Register& reg = function_->registers[operand.id];
      if (operand.component != kWholeRegister && (reg.vector == 1 || operand.component >= reg.vector)) {
        context_->report.error(
            Problem::kOperandKind, token,
            reg.vector == 1 ? ticked(text) + " is not a vector" : ticked(text) + " has no such component");
        throw Abandon();
      }
      return true;
    }
    case NameKind::kSpecial:
      operand.kind = OperandKind::kSpecialRegister;
      return true;
    case NameKind::kSpecialVector:
      operand = special_vector(*name, token);
      return true;
    case NameKind::kVariable:
      operand.symbol_kind = SymbolKind::kVariable;
      break;
    case NameKind::kParameter:
      operand.symbol_kind = SymbolKind::kParameter;
      break;
    case NameKind::kFunction:
      operand.symbol_kind = SymbolKind::kFunction;
      break;
    case NameKind::kPrototype:
      operand.symbol_kind = SymbolKind::kPrototype;
      break;
    case NameKind::kBranchTargets:
      operand.symbol_kind = SymbolKind::kBranchTargets;
      break;
    case NameKind::kCallTargets:
      operand.symbol_kind = SymbolKind::kCallTargets;
      break;
  }
  operand.kind = OperandKind::kSymbol;
  operand.variable = name->variable;
  return true;
}

// %tid as the vector {%tid.x, %tid.y, %tid.z, %tid.w}.
Operand OperandParser::special_vector(const Name& name, const Token& token) {
  Operand vector;
  vector.kind = OperandKind::kVector;
  vector.position = token.position;
  vector.child_count = 4;
  const size_t mark = stack_.size();
  for (const char* component : {".x", ".y", ".z", ".w"}) {
    Operand part;
    const Name* found = context_->names.find(std::string(name.text) + component);
    part.kind = found == nullptr ? OperandKind::kNone : OperandKind::kSpecialRegister;
    part.id = found == nullptr ? 0 : found->id;
    part.position = token.position;
    stack_.push_back(part);
  }
  vector.first_child = keep_children(mark);
  return vector;
}

void OperandParser::unknown(const Token& token, bool guard) {
  const bool is_register = guard || token.text.starts_with('%');
  Diagnostic& d = context_->report.error(
      Problem::kName, token, (is_register ? "unknown register " : "unknown name ") + ticked(token.text));
  d.hint = context_->names.beyond_range(token.text);
  if (d.hint.empty() && context_->report.wants_hints())
    d.hint = did_you_mean(token.text, context_->names.all(is_register));
  throw Abandon();
}

Operand OperandParser::word() {
  const Token token = context_->tokens.now();
  Operand operand;
  operand.position = token.position;
  context_->tokens.advance();
  if (token.text == "_") {
    operand.kind = OperandKind::kSink;
    return operand;
  }
  if (!resolve(token, operand)) {
    if (token.text.starts_with('%') || token.text.find('.') != std::string_view::npos) unknown(token);
    operand.kind = OperandKind::kLabel;  // perhaps; known when the scope ends
    operand.id = static_cast<uint32_t>(forward.size());
    operand.component = kWholeRegister;
    forward.push_back({token.text, token.position});
    return operand;
  }
  if (operand.kind != OperandKind::kSymbol) return operand;
  if (context_->tokens.now().is('[')) index(operand);
  if (context_->tokens.now().is('+') || context_->tokens.now().is('-')) offset(operand);
  return operand;
}

// `array[3]` (PTX ISA 6.4.2) means the address of an element.
void OperandParser::index(Operand& operand) {
  context_->tokens.advance();
  const Token at = context_->tokens.now();
  if (at.kind == TokenKind::kWord && at.text != "WARP_SZ") {
    context_->report.error(Problem::kUnsupportedFeature, at,
                           "indexing an array by a register is not supported");
    throw Abandon();
  }
  const int64_t k = constants_->parse_integer("the index", INT32_MIN, INT64_MAX >> 16);
  context_->tokens.expect(']');
  const uint64_t element =
      operand.variable == nullptr ? 1 : bytes(operand.variable->type) * uint64_t{operand.variable->vector};
  operand.value = static_cast<int64_t>(static_cast<uint64_t>(k) * element);
}

void OperandParser::offset(Operand& operand) {
  TokenStream& tokens = context_->tokens;
  while (tokens.now().is('+') || tokens.now().is('-')) {
    const bool minus = tokens.now().is('-');
    tokens.advance();
    const Token at = tokens.now();
    if (!ConstantParser::begins(at)) {
      if (at.kind != TokenKind::kWord) tokens.unexpected("a constant offset");
      context_->report.error(Problem::kOperandKind, at,
                             "an offset is a constant: an address has one register or symbol");
      throw Abandon();
    }
    const Constant value = constants_->parse_term();
    if (!value.is_integer()) {
      context_->report.error(Problem::kConstant, at, "an offset is an integer");
      throw Abandon();
    }
    const uint64_t change = minus ? 0 - value.bits : value.bits;
    operand.value = static_cast<int64_t>(static_cast<uint64_t>(operand.value) + change);
  }
}

Operand OperandParser::braces() {
  TokenStream& tokens = context_->tokens;
  Operand vector;
  vector.kind = OperandKind::kVector;
  vector.position = tokens.now().position;
  const Nesting nesting(*context_, depth_);
  tokens.advance();
  const size_t mark = stack_.size();
  do {
    const Operand element = simple(false);
    stack_.push_back(element);
  } while (tokens.accept(','));
  tokens.expect('}');
  vector.child_count = static_cast<uint32_t>(stack_.size() - mark);
  vector.first_child = keep_children(mark);
  return vector;
}

// `( a, b )` of a call.
Operand OperandParser::list() {
  TokenStream& tokens = context_->tokens;
  Operand list;
  list.kind = OperandKind::kList;
  list.position = tokens.now().position;
  tokens.advance();
  const size_t mark = stack_.size();
  if (!tokens.now().is(')')) {
    do {
      const Operand element = simple(false);
      stack_.push_back(element);
    } while (tokens.accept(','));
  }
  tokens.expect(')');
  list.child_count = static_cast<uint32_t>(stack_.size() - mark);
  list.first_child = keep_children(mark);
  return list;
}

// What stands in brackets up to a comma.
Operand OperandParser::base() {
  TokenStream& tokens = context_->tokens;
  const Token token = tokens.now();
  Operand operand;
  operand.kind = OperandKind::kAddress;
  operand.position = token.position;
  if (token.kind != TokenKind::kWord || token.text == "WARP_SZ") {
    if (!ConstantParser::begins(token)) tokens.unexpected("an address");
    operand.value = constants_->parse_integer("an address", INT64_MIN, INT64_MAX);
    return operand;
  }
  tokens.advance();
  Operand named;
  named.position = token.position;
  if (!resolve(token, named)) unknown(token);
  if (named.kind == OperandKind::kRegister) {
    operand.id = named.id;
    operand.component = named.component;
  } else if (named.kind == OperandKind::kSymbol &&
             (named.symbol_kind == SymbolKind::kVariable || named.symbol_kind == SymbolKind::kParameter)) {
    operand.base_is_symbol = true;
    operand.symbol_kind = named.symbol_kind;
    operand.variable = named.variable;
    if (tokens.now().is('[')) index(operand);
  } else {
    context_->report.error(Problem::kOperandKind, token, ticked(token.text) + " cannot be an address");
    throw Abandon();
  }
  operand.has_base = true;
  offset(operand);
  return operand;
}

Operand OperandParser::address() {
  TokenStream& tokens = context_->tokens;
  const Token bracket = tokens.now();
  tokens.advance();
  Operand operand = base();
  if (tokens.now().is(',')) {
    Operand tensor;
    tensor.kind = OperandKind::kTensor;
    const size_t mark = stack_.size();
    stack_.push_back(operand);
    while (tokens.accept(',')) {
      const Operand part = simple(false);
      stack_.push_back(part);
    }
    tensor.child_count = static_cast<uint32_t>(stack_.size() - mark);
    tensor.first_child = keep_children(mark);
    operand = tensor;
  }
  operand.position = bracket.position;
  tokens.expect(']');
  if (tokens.now().directive(".unified")) tokens.advance();  // a promise about the address, of `ld` and `st`
  return operand;
}

}  // namespace gpuloom::ptx
