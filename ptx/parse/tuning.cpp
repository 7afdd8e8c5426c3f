// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "ptx/parse/module_parser.h"

namespace gpuloom::ptx {

// `x`, `x, y` or `x, y, z`; what is not given is 1.
void TuningParser::triple(uint32_t (&out)[3], std::string_view what) {
  out[1] = out[2] = 1;
  for (uint32_t& extent : out) {
    extent = static_cast<uint32_t>(constants_->parse_integer(what, 1, INT32_MAX));
    if (!context_->tokens.accept(',')) return;
  }
}

bool TuningParser::one(Function& function, std::string_view word) {
  Directives& d = function.directives;
  const auto number = [&](std::string_view what) {
    context_->tokens.advance();
    return static_cast<uint32_t>(constants_->parse_integer(what, 1, INT32_MAX));
  };
  const auto triple_of = [&](uint32_t(&out)[3], std::string_view what) {
    context_->tokens.advance();
    triple(out, what);
  };
  if (word == ".maxntid") {
    triple_of(d.maxntid, "the number of threads");
  } else if (word == ".reqntid") {
    triple_of(d.reqntid, "the number of threads");
  } else if (word == ".reqnctapercluster") {
    triple_of(d.reqnctapercluster, "the number of blocks");
  } else if (word == ".minnctapersm") {
    d.minnctapersm = number("the number of blocks");
  } else if (word == ".maxnctapersm") {
    d.maxnctapersm = number("the number of blocks");
  } else if (word == ".maxnreg") {
    d.maxnreg = number("the number of registers");
  } else if (word == ".maxclusterrank") {
    d.maxclusterrank = number("the number of blocks");
  } else if (word == ".explicitcluster") {
    d.explicit_cluster = true;
    context_->tokens.advance();
  } else if (word == ".blocksareclusters") {
    d.blocks_are_clusters = true;
    context_->tokens.advance();
  } else {
    return false;
  }
  return true;
}

void TuningParser::parse(Function& function) {
  TokenStream& tokens = context_->tokens;
  while (tokens.now().kind == TokenKind::kDirective) {
    const Token token = tokens.now();
    if (token.text == ".noreturn") {
      function.directives.noreturn = true;
      tokens.advance();
    } else if (token.text == ".pragma") {
      tokens.advance();
      do {
        if (tokens.now().kind != TokenKind::kString) tokens.unexpected("a string");
        function.directives.pragmas.emplace_back(tokens.now().text.substr(1, tokens.now().text.size() - 2));
        tokens.advance();
      } while (tokens.accept(','));
      tokens.expect_end_of_statement();
    } else if (token.text == ".abi_preserve" || token.text == ".abi_preserve_control") {
      tokens.advance();
      constants_->parse_integer("the number of registers", 0, 255);
    } else if (!one(function, token.text)) {
      Diagnostic& d = context_->report.error(Problem::kDirective, token,
                                             ticked(token.text) + " cannot appear before a body");
      if (context_->report.wants_hints())
        d.hint = did_you_mean(token.text, {".maxntid", ".reqntid", ".reqnctapercluster", ".minnctapersm",
                                           ".maxnctapersm", ".maxnreg", ".maxclusterrank", ".explicitcluster",
                                           ".blocksareclusters", ".noreturn", ".pragma"});
      throw Abandon();
    } else if (!function.is_entry) {
      context_->report.error(Problem::kDirective, token, ticked(token.text) + " is for an .entry only");
    }
  }
  const Directives& d = function.directives;
  if (d.maxntid[0] != 0 && d.reqntid[0] != 0)
    context_->report.error(Problem::kDirective, function.position, function.name.size(),
                           "an entry has .maxntid or .reqntid, not both");
}

}  // namespace gpuloom::ptx
