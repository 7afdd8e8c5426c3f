// SPDX-License-Identifier: Apache-2.0
#include "ptx/isa/table/syntax.h"

#include <cctype>

#include "base/error.h"

namespace gpuloom::ptx {
namespace {

// How an operand gets its type.
enum class TypeSource : uint8_t { kDefault, kFixed, kSet, kAny };

struct ParsedOperand {
  OperandSlot slot;
  TypeSource source = TypeSource::kDefault;
  std::string type_set;  // for kSet, with the dot
};

class SyntaxParser {
 public:
  explicit SyntaxParser(const Form& form) : form_(form), text_(form.syntax) {}

  std::vector<ModifierSlot> modifiers() {
    const std::string& mnemonic = form_.instruction->mnemonic;
    if (!text_.starts_with(mnemonic)) fail("it does not begin with `" + mnemonic + "`");
    at_ = mnemonic.size();
    std::vector<ModifierSlot> mods;
    while (at_ < text_.size() && !blank(text_[at_])) {
      const bool optional = take('{');
      ModifierSlot slot{modifier_word(), optional, {}};
      slot.values.push_back({slot.set, type_named(std::string_view(slot.set).substr(1)), {}, {}});
      mods.push_back(std::move(slot));
      if (optional && !take('}')) fail("a modifier in braces must stand alone: `{.sat}`");
    }
    if (mods.size() > kMaxModifierSlots) fail("it has more than 16 modifiers");
    return mods;
  }

  // After modifiers().
  std::vector<ParsedOperand> operands() {
    skip_blanks();
    while (at_ < text_.size()) sequence_element(false);
    return std::move(out_);
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw Error(ErrorKind::kInternal, "instruction declaration `" + text_ + "` is malformed at column " +
                                          std::to_string(at_ + 1) + ": " + why);
  }
  static bool blank(char c) { return c == ' ' || c == '\t' || c == '\n'; }
  static bool word_char(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-';
  }
  void skip_blanks() {
    while (at_ < text_.size() && blank(text_[at_])) ++at_;
  }
  char peek(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    skip_blanks();
    if (!take(c)) fail(std::string("expected `") + c + "`");
  }

  std::string modifier_word() {
    const size_t begin = at_;
    if (!take('.')) fail("expected a modifier with its dot");
    while (word_char(peek()) || peek() == ':') ++at_;
    if (at_ == begin + 1) fail("a dot without a word");
    return text_.substr(begin, at_ - begin);
  }

  std::string name() {
    skip_blanks();
    const size_t begin = at_;
    while (word_char(peek())) ++at_;
    if (at_ == begin) fail("expected the name of an operand");
    return text_.substr(begin, at_ - begin);
  }

  // Elements are separated by commas; an optional one brings its own: `a{, b}`, `{(ret), }&f`.
  void sequence_element(bool optional) {
    skip_blanks();
    if (peek() == '{' && peek(1) != '!') {
      ++at_;
      skip_blanks();
      const bool leading = take(',');
      if (leading == (need_comma_ == false)) fail("an optional operand brings its own comma: `a{, b}`");
      need_comma_ = false;
      while (peek() != '}') {
        if (at_ >= text_.size()) fail("`{` without `}`");
        sequence_element(true);
        skip_blanks();
      }
      ++at_;
      skip_blanks();
      return;
    }
    if (need_comma_) {
      expect(',');
      need_comma_ = false;
      skip_blanks();
      if (optional && peek() == '}') return;  // `{(ret), }`
    }
    operand(optional);
    need_comma_ = true;
    skip_blanks();
  }

  void type_suffix(ParsedOperand& operand) {
    if (!take(':')) return;
    if (peek() == '.') {
      operand.source = TypeSource::kSet;
      operand.type_set = modifier_word();
      return;
    }
    const std::string word = name();
    if (word == "any") {
      operand.source = TypeSource::kAny;
      return;
    }
    operand.source = TypeSource::kFixed;
    operand.slot.type = type_named(word);
    if (operand.slot.type == Type::kNone) fail("`" + word + "` is not a type");
  }

  void suffixes(ParsedOperand& operand) {
    while (true) {
      if (take('*')) {
        operand.slot.shape = OperandShape::kVectorOrPlain;
      } else if (take('+')) {
        operand.slot.shape = OperandShape::kList;
      } else if (peek() == ':') {
        type_suffix(operand);
      } else {
        return;
      }
    }
  }

  void bracket(ParsedOperand& operand) {
    operand.slot.shape = OperandShape::kAddress;
    operand.source = TypeSource::kAny;
    operand.slot.name = name();
    suffixes(operand);
    for (int depth = 1; depth > 0; ++at_) {
      if (at_ >= text_.size()) fail("`[` without `]`");
      if (peek() == '[') ++depth;
      if (peek() == ']') --depth;
      if (peek() == ',' || peek() == '{') operand.slot.shape = OperandShape::kTensor;
    }
    suffixes(operand);
  }

  // One that the parser resolves by itself, whose type nothing checks.
  void special(ParsedOperand& operand, OperandShape shape) {
    operand.slot.shape = shape;
    operand.source = TypeSource::kAny;
    operand.slot.name = name();
    type_suffix(operand);
  }

  void operand(bool optional) {
    const bool first = out_.empty();
    ParsedOperand parsed;
    parsed.slot.optional = optional;
    if (take('[')) {
      bracket(parsed);
    } else if (take('@')) {
      special(parsed, OperandShape::kLabel);
    } else if (take('&')) {
      special(parsed, OperandShape::kFunction);
    } else if (take('$')) {
      special(parsed, OperandShape::kSymbol);
    } else if (take('(')) {
      special(parsed, OperandShape::kCallList);
      expect(')');
      parsed.slot.destination = first && parsed.slot.name.starts_with("ret");
    } else {
      plain(parsed, first, optional);
      return;
    }
    out_.push_back(std::move(parsed));
  }

  void plain(ParsedOperand& parsed, bool first, bool optional) {
    if (peek() == '{' && peek(1) == '!' && peek(2) == '}') {
      parsed.slot.negatable = true;
      at_ += 3;
    }
    const bool immediate = take('#');
    parsed.slot.name = name();
    if (immediate) parsed.slot.shape = OperandShape::kImmediate;
    suffixes(parsed);
    if (parsed.source == TypeSource::kDefault &&
        (parsed.slot.negatable || names_predicate(parsed.slot.name))) {
      parsed.source = TypeSource::kFixed;
      parsed.slot.type = Type::kPred;
    }
    const char initial = parsed.slot.name[0];
    parsed.slot.destination = first && !immediate && (initial == 'd' || initial == 'p' || initial == 'q');
    const bool half_optional = peek() == '{' && peek(1) == '|';
    if (peek() != '|' && !half_optional) {
      out_.push_back(std::move(parsed));
      return;
    }
    if (parsed.slot.shape != OperandShape::kPlain && parsed.slot.shape != OperandShape::kVectorOrPlain)
      fail("the first half of a pair must be plain or a vector");
    at_ += half_optional ? 2 : 1;
    parsed.slot.shape = OperandShape::kPair;
    parsed.slot.destination = true;
    out_.push_back(std::move(parsed));
    ParsedOperand half;
    half.slot.name = name();
    half.slot.optional = half_optional || optional;
    half.slot.destination = true;
    half.source = TypeSource::kFixed;
    half.slot.type = Type::kPred;
    suffixes(half);
    if (half_optional) expect('}');
    out_.push_back(std::move(half));
  }

  // The manual calls predicates p and q throughout.
  static bool names_predicate(std::string_view word) { return word == "p" || word == "q"; }

  const Form& form_;
  const std::string& text_;
  size_t at_ = 0;
  bool need_comma_ = false;
  std::vector<ParsedOperand> out_;
};

bool is_type_set(const ModifierSlot& slot) {
  for (const ModifierValue& value : slot.values)
    if (value.type != Type::kNone) return true;
  return false;
}

int slot_named(const Form& form, std::string_view set) {
  for (size_t k = 0; k < form.mods.size(); ++k)
    if (form.mods[k].set == set) return static_cast<int>(k);
  return -1;
}

// The slot that gives an operand without a type of its own its type; -1: none.
int default_type_slot(const Form& form, std::string_view operand_name) {
  if (const int slot = slot_named(form, ".type"); slot >= 0) return slot;
  int only = -1, count = 0;
  for (size_t k = 0; k < form.mods.size(); ++k)
    if (is_type_set(form.mods[k]) && count++ == 0) only = static_cast<int>(k);
  if (count == 1) return only;
  return slot_named(form, "." + std::string(operand_name) + "type");
}

std::vector<ParsedOperand> operands_of(const Form& form) {
  SyntaxParser parser(form);
  parser.modifiers();
  return parser.operands();
}

}  // namespace

void parse_form_syntax(Form& form) {
  SyntaxParser parser(form);
  form.mods = parser.modifiers();
  form.operands.clear();
  for (ParsedOperand& operand : parser.operands()) form.operands.push_back(std::move(operand.slot));
  resolve_operand_types(form);
}

void resolve_operand_types(Form& form) {
  const std::vector<ParsedOperand> parsed = operands_of(form);
  for (size_t k = 0; k < parsed.size(); ++k) {
    if (parsed[k].source == TypeSource::kDefault) {
      form.operands[k].type_slot = static_cast<int8_t>(default_type_slot(form, parsed[k].slot.name));
    } else if (parsed[k].source == TypeSource::kSet) {
      const int slot = slot_named(form, parsed[k].type_set);
      if (slot < 0)
        throw Error(ErrorKind::kInternal,
                    "instruction declaration `" + form.syntax + "` has no set " + parsed[k].type_set);
      form.operands[k].type_slot = static_cast<int8_t>(slot);
    }
  }
}

void require_resolved_types(const Form& form) {
  bool has_types = false;
  for (const ModifierSlot& slot : form.mods) has_types = has_types || is_type_set(slot);
  if (!has_types) return;
  const std::vector<ParsedOperand> parsed = operands_of(form);
  for (size_t k = 0; k < parsed.size(); ++k) {
    if (parsed[k].source != TypeSource::kDefault || form.operands[k].type_slot >= 0) continue;
    throw Error(ErrorKind::kInternal, "instruction declaration `" + form.syntax +
                                          "` leaves the type of operand `" + parsed[k].slot.name +
                                          "` open: write `" + parsed[k].slot.name +
                                          ":u32`, `:.set` or `:any`");
  }
}

}  // namespace gpuloom::ptx
