// SPDX-License-Identifier: Apache-2.0
#include "ptx/parse/later_bodies.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "ptx/parse/module_parser.h"

namespace gpuloom::ptx {
namespace {

// What must not stay unread in a body: variables that live as long as the module, line tables, and the
// beginning of another function, before which a `}` is missing.
bool concerns_the_module(std::string_view directive) {
  constexpr std::string_view kWords[] = {".global", ".const", ".tex",      ".section", ".file",
                                         ".entry",  ".func",  ".visible",  ".extern",  ".weak",
                                         ".common", ".alias", ".attribute"};
  return std::find(std::begin(kWords), std::end(kWords), directive) != std::end(kWords);
}

// A call by address needs a prototype or a list of what it may call (PTX ISA 9.7.13.5).
bool calls_by_address(std::string_view text) {
  return text.find(".callprototype") != std::string_view::npos ||
         text.find(".calltargets") != std::string_view::npos;
}

}  // namespace

bool ModuleParser::leave_body(Function& function) {
  if (!leaves_bodies_ || !function.is_entry) return false;
  const TokenStream begin = context_->tokens;
  if (!context_->tokens.skip_braces(concerns_the_module)) return false;
  left_.insert_or_assign(&function, Left{&function, begin});
  return true;
}

void ModuleParser::parse_left(const Function& entry) {
  const auto found = left_.find(&entry);
  if (found == left_.end()) return;
  const Left left = found->second;
  left_.erase(found);
  const size_t first = context_->module.source_lines.size();
  context_->tokens = left.begin;
  context_->names.see_until(left.begin.now().position);
  context_->report.set_where("in entry " + ticked(entry.name));
  debug_.forget_all();
  try {
    parse_body(*left.function);
  } catch (const Abandon&) {  // said
  }
  debug_.finish(first);
  context_->report.set_where("");
}

struct LaterBodies::State {
  State(std::string source, std::string name, const IsaTable& isa, ParseOptions how)
      : text(std::move(source)),
        file_name(std::move(name)),
        options(std::move(how)),
        owned(std::make_unique<Module>()),
        module(owned.get()),
        context(text, *module, isa, options),
        parser(context) {
    module->file_name = file_name;
  }
  // Takes what was found since the last time.
  void throw_errors() {
    ParseResult result;
    context.report.finish(result);
    context.report = Reporter(options.keep);
    if (result.ok()) return;
    result.text = text;
    result.file_name = file_name;
    ptx::throw_errors(result);
  }

  std::string text, file_name;
  ParseOptions options;
  std::unique_ptr<Module> owned;
  Module* module;
  ParseContext context;
  ModuleParser parser;
  std::unordered_map<const Function*, uint32_t> first_lines;
  std::unordered_map<const Function*, ParseError> broken;
};

LaterBodies::LaterBodies(std::string text, std::string file_name, const IsaTable& isa,
                         const ParseOptions& options) {
  if (text.size() >= UINT32_MAX) throw Error(ErrorKind::kInput, file_name + ": PTX of 4 GiB or more");
  state_ = std::make_unique<State>(std::move(text), std::move(file_name), isa, options);
  if (!calls_by_address(state_->text)) state_->parser.leave_bodies();
  state_->parser.parse();
  state_->throw_errors();
}

LaterBodies::~LaterBodies() = default;

std::unique_ptr<Module> LaterBodies::take_module() { return std::move(state_->owned); }

void LaterBodies::complete(const Function& entry) {
  if (const auto known = state_->broken.find(&entry); known != state_->broken.end()) throw known->second;
  if (!state_->parser.is_left(entry)) return;
  state_->first_lines[&entry] = static_cast<uint32_t>(state_->module->source_lines.size());
  state_->parser.parse_left(entry);
  try {
    state_->throw_errors();
  } catch (const ParseError& error) {
    state_->broken.emplace(&entry, error);
    throw;
  }
}

uint32_t LaterBodies::first_line(const Function& entry) const {
  const auto found = state_->first_lines.find(&entry);
  return found == state_->first_lines.end() ? 0 : found->second;
}

size_t LaterBodies::unread() const { return state_->parser.left(); }

}  // namespace gpuloom::ptx
