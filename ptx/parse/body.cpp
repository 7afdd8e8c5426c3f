// SPDX-License-Identifier: Apache-2.0
#include "ptx/parse/body.h"

#include <algorithm>
#include <unordered_map>

#include "base/text.h"
#include "ptx/parse/call_check.h"
#include "ptx/parse/debug.h"

namespace gpuloom::ptx {
namespace {

bool begins_function(const TokenStream& tokens) {
  const Token& token = tokens.now();
  if (token.kind != TokenKind::kDirective) return false;
  if (token.text == ".extern") return tokens.peek().directive(".func");
  return token.text == ".entry" || token.text == ".func" || token.text == ".visible" || token.text == ".weak";
}

}  // namespace

BodyParser::BodyParser(ParseContext& context, DeclarationParser& declarations, DebugParser& debug)
    : context_(&context),
      declarations_(&declarations),
      debug_(&debug),
      opcodes_(context),
      operands_(context, declarations.constants()),
      fitter_(context) {}

void BodyParser::parse(Function& function) {
  function_ = &function;
  operands_.set_function(function);
  fitter_.set_function(function);
  labels_.clear();
  references_.clear();
  depth_ = 0;
  broken_ = false;
  debug_->forget();
  scope();
  report_unresolved();
}

// From `{` to behind `}`.
void BodyParser::scope() {
  TokenStream& tokens = context_->tokens;
  const Token brace = tokens.now();
  const Nesting nesting(*context_, depth_);
  tokens.expect('{');
  context_->names.open();
  const size_t first_label = labels_.size(), first_reference = references_.size();
  while (!tokens.now().is('}') && !broken_) {
    if (begins_function(tokens)) {
      context_->report
          .error(Problem::kSyntax, tokens.now(),
                 "a function begins inside a body: a `}` is missing before it")
          .notes.push_back({"this `{` is not closed", brace.position});
      broken_ = true;
      break;
    }
    if (tokens.at_end()) {
      context_->report.error(Problem::kTruncated, tokens.now().position, 1, "the file ends inside a body")
          .notes.push_back({"this `{` is not closed", brace.position});
      broken_ = true;  // those around it are not closed either: said once
      break;
    }
    const char* const begin = tokens.now().text.data();
    try {
      statement();
    } catch (const Abandon&) {
      if (tokens.now().text.data() == begin)
        tokens.advance();  // what begins no statement must not be met again
      close_unfinished();
    }
  }
  close_scope(first_label, first_reference);
  context_->names.close();
  if (!broken_) tokens.accept('}');
}

// After a problem: to where the next statement may begin.
void BodyParser::close_unfinished() {
  context_->tokens.skip_statement();
  operands_.forward.clear();
}

void BodyParser::close_scope(size_t first_label, size_t first_reference) {
  const size_t count = labels_.size() - first_label;
  std::unordered_map<std::string_view, uint32_t> index;
  const auto find = [&](std::string_view name, size_t end) {
    if (count > 8) {
      const auto found = index.find(name);
      return found == index.end() ? UINT32_MAX : found->second;
    }
    for (size_t k = first_label; k < end; ++k)
      if (labels_[k].name == name) return labels_[k].index;
    return UINT32_MAX;
  };
  for (size_t k = first_label; k < labels_.size(); ++k) {
    if (const uint32_t other = find(labels_[k].name, k); other != UINT32_MAX) {
      context_->report
          .error(Problem::kLabel, function_->labels[labels_[k].index].position, labels_[k].name.size(),
                 "label " + ticked(labels_[k].name) + " is defined twice")
          .notes.push_back({"first defined here", function_->labels[other].position});
    } else if (count > 8) {
      index.emplace(labels_[k].name, labels_[k].index);
    }
  }
  size_t kept = first_reference;
  for (size_t k = first_reference; k < references_.size(); ++k) {
    const Reference& reference = references_[k];
    if (const uint32_t label = find(reference.name, labels_.size()); label != UINT32_MAX) {
      if (reference.callee)
        context_->report.error(Problem::kCall, reference.position, reference.name.size(),
                               ticked(reference.name) + " is a label, not a function");
      if (reference.operand != UINT32_MAX) function_->operand_pool[reference.operand].id = label;
      continue;
    }
    // A prototype or table that stands behind its use.
    const Name* name = reference.operand == UINT32_MAX ? nullptr : context_->names.find(reference.name);
    if (name != nullptr && (name->kind == NameKind::kPrototype || name->kind == NameKind::kBranchTargets ||
                            name->kind == NameKind::kCallTargets)) {
      Operand& operand = function_->operand_pool[reference.operand];
      operand.kind = OperandKind::kSymbol;
      operand.id = name->id;
      operand.symbol_kind = name->kind == NameKind::kPrototype       ? SymbolKind::kPrototype
                            : name->kind == NameKind::kBranchTargets ? SymbolKind::kBranchTargets
                                                                     : SymbolKind::kCallTargets;
      continue;
    }
    references_[kept++] = reference;
  }
  references_.resize(kept);
  labels_.resize(first_label);
}

void BodyParser::report_unresolved() {
  std::vector<std::string> known;
  for (const Reference& reference : references_) {
    Diagnostic& d = context_->report.error(Problem::kName, reference.position, reference.name.size(),
                                           "unknown name " + ticked(reference.name));
    if (!context_->report.wants_hints()) continue;
    if (known.empty()) {
      known = context_->names.all(false);
      for (size_t k = 0; k < function_->labels.size() && k < 2000; ++k)
        known.push_back(function_->labels[k].name);
    }
    const bool elsewhere = std::any_of(function_->labels.begin(), function_->labels.end(),
                                       [&](const Label& label) { return label.name == reference.name; });
    d.hint = elsewhere ? "that label is in another scope and cannot be seen from here"
                       : did_you_mean(reference.name, known);
  }
  references_.clear();
}

void BodyParser::statement() {
  TokenStream& tokens = context_->tokens;
  const Token& token = tokens.now();
  switch (token.kind) {
    case TokenKind::kWord:
      word_statement();
      return;
    case TokenKind::kDirective:
      directive_statement();
      return;
    case TokenKind::kPunctuation:
      if (token.is(';')) {
        tokens.advance();
        return;
      }
      if (token.is('{')) {
        scope();
        return;
      }
      if (token.is('@')) {
        guard();
        return;
      }
      break;
    default:
      break;
  }
  if (token.kind == TokenKind::kBad) tokens.unexpected("an instruction");
  context_->report.error(Problem::kSyntax, token,
                         "expected an instruction, a declaration or `}`, found " + ticked(token.text));
  throw Abandon();
}

void BodyParser::directive_statement() {
  TokenStream& tokens = context_->tokens;
  const std::string_view word = tokens.now().text;
  if (word == ".loc") {
    debug_->loc();
  } else if (word == ".reg") {
    registers();
  } else if (word == ".file") {
    debug_->file();
  } else if (word == ".section") {
    debug_->section();
  } else if (word == ".pragma") {
    pragma();
  } else if (DeclarationParser::space_of(tokens.now()) != Space::kGeneric || word == ".extern" ||
             word == ".attribute") {
    variables();
  } else {
    Diagnostic& d =
        context_->report.error(Problem::kDirective, tokens.now(), ticked(word) + " cannot appear in a body");
    if (context_->report.wants_hints())
      d.hint =
          did_you_mean(word, {".reg", ".local", ".shared", ".param", ".loc", ".pragma", ".global", ".const"});
    throw Abandon();
  }
}

void BodyParser::pragma() {
  TokenStream& tokens = context_->tokens;
  tokens.advance();
  do {
    if (tokens.now().kind != TokenKind::kString) tokens.unexpected("a string");
    const std::string_view text = tokens.now().text;
    function_->directives.pragmas.emplace_back(text.substr(1, text.size() - 2));
    // Its place matters ("nounroll" belongs to the loop that it stands in): a label that no branch can name.
    Label& place = function_->labels.emplace_back();
    place.name = ".pragma " + std::string(text.substr(1, text.size() - 2));
    place.instruction = static_cast<uint32_t>(function_->instructions.size());
    place.position = tokens.now().position;
    tokens.advance();
  } while (tokens.accept(','));
  tokens.expect_end_of_statement();
}

void BodyParser::word_statement() {
  TokenStream& tokens = context_->tokens;
  if (tokens.peek().is(':')) {
    const Token name = tokens.now();
    tokens.advance();
    tokens.advance();
    if (tokens.now().directive(".branchtargets") || tokens.now().directive(".calltargets"))
      table(name);
    else if (tokens.now().directive(".callprototype"))
      prototype(name);
    else
      label(name);
    return;
  }
  instruction(Guard());
}

void BodyParser::label(const Token& name) {
  labels_.push_back({name.text, static_cast<uint32_t>(function_->labels.size())});
  function_->labels.push_back(
      {std::string(name.text), static_cast<uint32_t>(function_->instructions.size()), name.position});
}

void BodyParser::table(const Token& name) {
  TokenStream& tokens = context_->tokens;
  const bool branches = tokens.now().text == ".branchtargets";
  tokens.advance();
  LabelList list{std::string(name.text), {}, name.position};
  do {
    const Token target = tokens.expect_word(branches ? "a label" : "a function");
    list.targets.emplace_back(target.text);
    if (branches) {
      references_.push_back({target.text, target.position, UINT32_MAX, false});
    } else if (const Name* found = context_->names.find(target.text);
               found == nullptr || found->kind != NameKind::kFunction) {
      context_->report.error(Problem::kName, target,
                             ticked(target.text) + " is not a function declared before");
    }
  } while (tokens.accept(','));
  tokens.expect_end_of_statement();
  std::vector<LabelList>& lists = branches ? function_->branch_targets : function_->call_targets;
  context_->names.add({name.text, branches ? NameKind::kBranchTargets : NameKind::kCallTargets,
                       static_cast<uint32_t>(lists.size()), 0, nullptr, name.position});
  lists.push_back(std::move(list));
}

// `name: .callprototype (.param .b32 _) _ (.param .b32 _, ...) .noreturn;`
void BodyParser::prototype(const Token& name) {
  TokenStream& tokens = context_->tokens;
  tokens.advance();
  Prototype prototype;
  prototype.name = std::string(name.text);
  prototype.position = name.position;
  if (tokens.now().is('(')) prototype.returns = declarations_->parameters(Space::kParamFunction, true);
  tokens.expect_word("`_`");
  if (tokens.now().is('(')) prototype.params = declarations_->parameters(Space::kParamFunction, true);
  while (tokens.now().kind == TokenKind::kDirective) {
    if (tokens.now().text == ".noreturn") {
      prototype.noreturn = true;
      tokens.advance();
    } else if (tokens.now().text == ".abi_preserve" || tokens.now().text == ".abi_preserve_control") {
      tokens.advance();
      declarations_->constants().parse_integer("the number of registers", 0, 255);
    } else {
      tokens.unexpected("`;`");
    }
  }
  tokens.expect_end_of_statement();
  context_->names.add({name.text, NameKind::kPrototype, static_cast<uint32_t>(function_->prototypes.size()),
                       0, nullptr, name.position});
  function_->prototypes.push_back(std::move(prototype));
}

void BodyParser::guard() {
  TokenStream& tokens = context_->tokens;
  tokens.advance();
  if (tokens.now().is('@')) {  // `@@DWARF ...` of PTX 1.x and 2.x: the rest of the line
    const uint32_t line = tokens.now().position.line;
    while (!tokens.at_end() && tokens.now().position.line == line) tokens.advance();
    return;
  }
  Guard guard;
  guard.negated = tokens.accept('!');
  const Token name = tokens.expect_word("a predicate register");
  Operand reg;
  if (operands_.find_guard(name, reg)) guard.register_id = static_cast<int32_t>(reg.id);
  if (tokens.now().kind != TokenKind::kWord) tokens.unexpected("an instruction");
  instruction(guard);
}

void BodyParser::instruction(const Guard& guard) {
  TokenStream& tokens = context_->tokens;
  const Token token = tokens.now();
  tokens.advance();
  const Opcode& opcode = opcodes_.find(token.text);
  if (opcode.candidates.empty()) {
    opcodes_.explain(token);
    throw Abandon();
  }
  written_.clear();
  operands_.forward.clear();
  const bool call = opcode.candidates[0].form->kind == InstrKind::kCall || token.text.starts_with("call");
  operands_.parse_all(written_, call);
  Instruction in;
  in.guard = guard;
  in.position = token.position;
  in.source_line = debug_->current();
  if (tokens.now().kind == TokenKind::kPunctuation && tokens.now().is(';'))
    tokens.advance();
  else
    tokens.expect_end_of_statement();
  if (!fitter_.fit(opcode, token, written_, in)) {
    operands_.forward.clear();
    return;
  }
  if (!operands_.forward.empty()) refer(in);
  if (call) check_call(*context_, *function_, in, token);
  function_->instructions.push_back(in);
}

// Notes which operands wait for a label.
void BodyParser::refer(const Instruction& in) {
  const auto note = [this](uint32_t at, bool callee) {
    const Operand& operand = function_->operand_pool[at];
    if (operand.kind != OperandKind::kLabel) return;
    const ForwardName& name = operands_.forward[operand.id];
    references_.push_back({name.text, name.position, at, callee});
  };
  for (uint32_t k = 0; k < in.operand_count; ++k) {
    const uint32_t at = in.first_operand + k;
    note(at, in.form->kind == InstrKind::kCall);
    const Operand operand = function_->operand_pool[at];
    for (uint32_t c = 0; c < operand.child_count; ++c) note(operand.first_child + c, false);
  }
  operands_.forward.clear();
}

}  // namespace gpuloom::ptx
