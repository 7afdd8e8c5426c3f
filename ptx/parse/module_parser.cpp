// SPDX-License-Identifier: Apache-2.0
#include "ptx/parse/module_parser.h"

#include "base/text.h"
#include "ptx/target.h"

namespace gpuloom::ptx {
namespace {

const std::vector<std::string>& module_words() {
  static const std::vector<std::string> kWords = {
      ".version", ".target", ".address_size", ".entry", ".func",     ".visible", ".extern",
      ".weak",    ".common", ".global",       ".const", ".tex",      ".shared",  ".file",
      ".section", ".alias",  ".pragma",       ".loc",   ".attribute"};
  return kWords;
}

bool begins_statement(const Token& token) {
  if (token.kind != TokenKind::kDirective) return false;
  for (const std::string& word : module_words())
    if (token.text == word && word != ".pragma" && word != ".loc" && word != ".shared") return true;
  return false;
}

}  // namespace

void ModuleParser::parse() {
  TokenStream& tokens = context_->tokens;
  context_->names.open();
  // A comment without an end is what is wrong then, and statement() says so.
  const bool comment = tokens.now().kind == TokenKind::kBad && tokens.now().text.starts_with("/*");
  if (!tokens.now().directive(".version") && !comment) {
    Diagnostic& d =
        context_->report.error(tokens.at_end() ? Problem::kTruncated : Problem::kHeader,
                               tokens.now().position, std::max<size_t>(tokens.now().text.size(), 1),
                               tokens.at_end() ? "there is no PTX in the file" : "PTX begins with .version");
    d.hint = "the first line of a module is `.version 9.0`, the second `.target sm_90`";
  }
  while (!tokens.at_end()) {
    const char* const begin = tokens.now().text.data();
    try {
      statement();
    } catch (const Abandon&) {
      if (tokens.now().text.data() == begin)
        tokens.advance();  // what begins no statement must not be met again
      recover();
    }
    context_->report.set_where("");
  }
  debug_.finish();
  if (left_.empty()) context_->names.close();  // bodies that are still to come need the module's names
}

// To the next directive that begins a line outside braces, or behind a `;`.
void ModuleParser::recover() {
  TokenStream& tokens = context_->tokens;
  while (!tokens.at_end()) {
    if (tokens.first_on_line() && begins_statement(tokens.now())) return;
    if (tokens.now().is('{')) {
      skip_braces();
      if (tokens.first_on_line()) return;
      continue;
    }
    if (tokens.accept(';')) return;
    tokens.advance();
  }
}

void ModuleParser::skip_braces() {
  TokenStream& tokens = context_->tokens;
  unsigned depth = 0;
  do {
    if (tokens.now().is('{')) ++depth;
    if (tokens.now().is('}')) --depth;
    if (depth > 0 && tokens.first_on_line() &&
        (tokens.now().directive(".entry") || tokens.now().directive(".visible")))
      return;
    tokens.advance();
  } while (depth > 0 && !tokens.at_end());
}

void ModuleParser::statement() {
  TokenStream& tokens = context_->tokens;
  const Token token = tokens.now();
  if (token.is(';')) {
    tokens.advance();
    return;
  }
  if (token.is('@')) {  // `@@DWARF ...` of PTX 1.x and 2.x
    while (!tokens.at_end() && tokens.now().position.line == token.position.line) tokens.advance();
    return;
  }
  if (token.is('}')) {
    context_->report.error(Problem::kSyntax, token, "`}` without `{`");
    tokens.advance();
    return;
  }
  if (token.kind != TokenKind::kDirective) {
    if (token.kind == TokenKind::kBad) tokens.unexpected("a directive");
    context_->report.error(Problem::kSyntax, token, "expected a directive, found " + ticked(token.text));
    tokens.advance();
    throw Abandon();
  }
  const std::string_view word = token.text;
  if (word == ".version") {
    version();
  } else if (word == ".target") {
    target();
  } else if (word == ".address_size") {
    address_size();
  } else if (word == ".file") {
    debug_.file();
  } else if (word == ".loc") {
    debug_.loc();
  } else if (word == ".section") {
    debug_.section();
  } else if (word == ".alias") {
    alias();
  } else if (word == ".pragma") {
    while (!tokens.at_end() && !tokens.now().is(';')) tokens.advance();
    tokens.expect_end_of_statement();
  } else if (word == ".language") {
    while (!tokens.at_end() && tokens.now().position.line == token.position.line) tokens.advance();
  } else {
    linked();
  }
}

void ModuleParser::version() {
  TokenStream& tokens = context_->tokens;
  const Token directive = tokens.now();
  tokens.advance();
  const Token number = tokens.now();
  const unsigned version = ptx_version(number.text);
  if (number.kind != TokenKind::kFloat || version == 0) {
    if (number.kind == TokenKind::kBad) tokens.unexpected("a PTX version");
    context_->report.error(Problem::kHeader, number, "a PTX version looks like 9.0");
    throw Abandon();
  }
  tokens.advance();
  if (context_->version != 0) {
    context_->report.error(Problem::kHeader, directive, ".version appears twice");
    return;
  }
  context_->version = version;
  context_->module.version_major = version / 100;
  context_->module.version_minor = version % 100;
  if (version > ptx_version(kNewestPtxMajor, kNewestPtxMinor))
    context_->report.warning(Problem::kVersion, number.position, number.text.size(),
                             "PTX ISA " + std::string(number.text) + " is newer than what gpuloom knows (" +
                                 std::to_string(kNewestPtxMajor) + "." + std::to_string(kNewestPtxMinor) +
                                 ")");
}

void ModuleParser::target() {
  TokenStream& tokens = context_->tokens;
  tokens.advance();
  has_target_ = true;
  do {
    target_word(tokens.expect_word("a target such as sm_90"));
  } while (tokens.accept(','));
}

void ModuleParser::target_word(const Token& word) {
  context_->module.targets.emplace_back(word.text);
  if (word.text == "texmode_unified" || word.text == "texmode_independent" || word.text == "debug" ||
      word.text == "map_f64_to_f32")
    return;
  const TargetInfo* info = find_target(word.text);
  if (info == nullptr) {
    Diagnostic& d = context_->report.error(Problem::kHeader, word, "unknown target " + ticked(word.text));
    std::vector<std::string> known = {"texmode_unified", "texmode_independent", "debug", "map_f64_to_f32"};
    for (const TargetInfo& target : all_targets()) known.emplace_back(target.name);
    d.hint = did_you_mean(word.text, known);
    return;
  }
  if (context_->target.empty()) context_->target = std::string(word.text);
  if (context_->version != 0 && context_->version < ptx_version(info->since))
    context_->report.error(Problem::kVersion, word,
                           "target " + std::string(word.text) + " needs PTX ISA " + std::string(info->since));
  const std::string& device = context_->options.device;
  if (device.empty() || covers(device, word.text)) return;
  // The names are those of an H200's driver: the first for PTX as text, the second for what nvcc embeds.
  Diagnostic& d =
      context_->report.error(Problem::kDevice, word,
                             "this module is for " + std::string(word.text) + ", but the device is " +
                                 device + " (cudaErrorInvalidPtx, or cudaErrorNoKernelImageForDevice)");
  const std::string flag = "; compile with -arch=" + device.substr(0, device.find_last_of("0123456789") + 1);
  if (word.text.ends_with('a'))
    d.hint = "code for an architecture-specific target runs on that architecture only";
  else if (word.text.ends_with('f'))
    d.hint = "code for a family-specific target runs on that family only";
  else
    d.hint = "PTX runs on the capability that it names and on later ones";
  d.hint += flag;
}

void ModuleParser::address_size() {
  context_->tokens.advance();
  const Token number = context_->tokens.now();
  const int64_t bits = declarations_.constants().parse_integer("the address size", 1, 128);
  if (bits != 32 && bits != 64)
    context_->report.error(Problem::kHeader, number, "the address size is 32 or 64");
  context_->module.address_bits = bits == 32 ? 32 : 64;
}

// What may carry a linking directive: functions and variables.
void ModuleParser::linked() {
  TokenStream& tokens = context_->tokens;
  Linkage linkage = Linkage::kNone;
  bool managed = false;
  while (true) {
    const Token token = tokens.now();
    Linkage next = Linkage::kNone;
    if (token.directive(".visible")) next = Linkage::kVisible;
    if (token.directive(".extern")) next = Linkage::kExtern;
    if (token.directive(".weak")) next = Linkage::kWeak;
    if (token.directive(".common")) next = Linkage::kCommon;
    if (next != Linkage::kNone) {
      linkage = next;
      tokens.advance();
    } else if (token.directive(".attribute")) {
      declarations_.attributes(managed);
    } else {
      break;
    }
  }
  const Token token = tokens.now();
  if (token.directive(".entry") || token.directive(".func")) {
    if (!has_target_)
      context_->report.error(Problem::kHeader, token, ".target is missing before the first function");
    has_target_ = true;
    function(linkage);
  } else if (DeclarationParser::space_of(token) != Space::kGeneric) {
    variables(linkage, managed);
  } else if (token.kind == TokenKind::kDirective) {
    Diagnostic& d = context_->report.error(Problem::kDirective, token,
                                           "unknown directive " + ticked(token.text) + " at module level");
    if (context_->report.wants_hints()) d.hint = did_you_mean(token.text, module_words());
    tokens.advance();
    throw Abandon();
  } else {
    tokens.unexpected("`.entry`, `.func` or a state space");
  }
}

void ModuleParser::variables(Linkage linkage, bool managed) {
  TokenStream& tokens = context_->tokens;
  const Token first = tokens.now();
  DeclarationHead head = declarations_.head(false);
  head.managed = head.managed || managed;
  if (head.space == Space::kReg || head.space == Space::kParam || head.space == Space::kLocal ||
      head.space == Space::kSreg) {
    context_->report.error(Problem::kDeclaration, first,
                           ticked(first.text) + " variables are declared in a function");
    throw Abandon();
  }
  do {
    const Token name = tokens.now();
    add_variable(declarations_.variable(head, linkage), name);
  } while (tokens.accept(','));
  tokens.expect_end_of_statement();
}

void ModuleParser::add_variable(Variable&& variable, const Token& name) {
  std::deque<Variable>& all = context_->module.variables;
  const Name* previous = nullptr;
  Name entry{name.text, NameKind::kVariable, static_cast<uint32_t>(all.size()), 0, nullptr, name.position};
  if (const Name* old = context_->names.find(name.text); old != nullptr && old->kind == NameKind::kVariable) {
    // A declaration and a definition of the same variable are one.
    Variable& known = all[old->id];
    const bool same =
        known.space == variable.space && known.type == variable.type && known.vector == variable.vector;
    if (same && (known.linkage == Linkage::kExtern || variable.linkage == Linkage::kExtern ||
                 variable.linkage == Linkage::kWeak || variable.linkage == Linkage::kCommon)) {
      if (known.linkage == Linkage::kExtern) known = std::move(variable);
      return;
    }
  }
  all.push_back(std::move(variable));
  entry.variable = &all.back();
  if (!context_->names.add(entry, &previous))
    context_->report.error(Problem::kRedefinition, name, ticked(name.text) + " is defined twice")
        .notes.push_back({"first defined here", previous->position});
}

void ModuleParser::function(Linkage linkage) {
  TokenStream& tokens = context_->tokens;
  Function parsed;
  parsed.linkage = linkage;
  parsed.is_entry = tokens.now().text == ".entry";
  tokens.advance();
  bool managed = false;
  if (tokens.now().directive(".attribute")) declarations_.attributes(managed);
  if (!parsed.is_entry && tokens.now().is('('))
    parsed.returns = declarations_.parameters(Space::kParamFunction, false);
  const Token name = tokens.expect_word("the function's name");
  parsed.name = std::string(name.text);
  parsed.position = name.position;
  context_->report.set_where((parsed.is_entry ? "in entry " : "in function ") + ticked(name.text));
  if (tokens.now().is('('))
    parsed.params = declarations_.parameters(parsed.is_entry ? Space::kParam : Space::kParamFunction, false);
  TuningParser(*context_, declarations_.constants()).parse(parsed);
  parsed.has_body = tokens.now().is('{');
  if (!parsed.has_body && !tokens.now().is(';')) tokens.unexpected("`{` or `;`");
  Function& function = place(std::move(parsed), name);
  if (tokens.accept(';') || leave_body(function)) return;
  parse_body(function);
}

void ModuleParser::parse_body(Function& function) {
  context_->names.open();
  add_parameters(function);
  body_.parse(function);
  context_->names.close();
}

// Puts the function into the module; a definition takes the place of its declaration.
Function& ModuleParser::place(Function&& parsed, const Token& name) {
  std::deque<Function>& all = context_->module.functions;
  const Name* old = context_->names.find(name.text);
  if (old != nullptr && old->kind == NameKind::kFunction) {
    Function& known = all[old->id];
    if (known.is_entry != parsed.is_entry || (known.has_body && parsed.has_body)) {
      context_->report.error(Problem::kRedefinition, name, ticked(name.text) + " is defined twice")
          .notes.push_back({"first defined here", known.position});
      return all.emplace_back(std::move(parsed));
    }
    if (known.params.size() != parsed.params.size() || known.returns.size() != parsed.returns.size())
      context_->report
          .error(Problem::kDeclaration, name, ticked(name.text) + " was declared with other parameters")
          .notes.push_back({"declared here", known.position});
    if (known.has_body && !parsed.has_body) return known;
    known = std::move(parsed);
    return known;
  }
  const Name* previous = nullptr;
  if (!context_->names.add(
          {name.text, NameKind::kFunction, static_cast<uint32_t>(all.size()), 0, nullptr, name.position},
          &previous))
    context_->report.error(Problem::kRedefinition, name, ticked(name.text) + " is defined twice")
        .notes.push_back({"first defined here", previous->position});
  return all.emplace_back(std::move(parsed));
}

void ModuleParser::add_parameters(Function& function) {
  for (std::vector<Variable>* list : {&function.returns, &function.params}) {
    for (size_t k = 0; k < list->size(); ++k) {
      const Variable& variable = (*list)[k];
      Name name{variable.name, NameKind::kParameter, static_cast<uint32_t>(k), 0,
                &variable,     variable.position};
      if (variable.space == Space::kReg) {
        name.kind = NameKind::kRegister;
        name.id = static_cast<uint32_t>(function.registers.size());
        name.variable = nullptr;
        function.registers.push_back({variable.name, variable.type, variable.vector, variable.position});
      }
      const Name* previous = nullptr;
      if (!context_->names.add(name, &previous))
        context_->report
            .error(Problem::kRedefinition, variable.position, variable.name.size(),
                   ticked(variable.name) + " is declared twice")
            .notes.push_back({"first declared here", previous->position});
    }
  }
}

// `.alias name, function;`
void ModuleParser::alias() {
  TokenStream& tokens = context_->tokens;
  tokens.advance();
  const Token name = tokens.expect_word("the alias");
  tokens.expect(',');
  const Token target = tokens.expect_word("a function");
  tokens.expect_end_of_statement();
  const Name* found = context_->names.find(target.text);
  if (found == nullptr || found->kind != NameKind::kFunction) {
    Diagnostic& d = context_->report.error(Problem::kName, target,
                                           ticked(target.text) + " is not a function declared before");
    if (context_->report.wants_hints()) d.hint = did_you_mean(target.text, context_->names.all(false));
    return;
  }
  context_->module.aliases.push_back({std::string(name.text), std::string(target.text), name.position});
}

}  // namespace gpuloom::ptx
