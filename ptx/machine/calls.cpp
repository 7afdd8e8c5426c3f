// SPDX-License-Identifier: Apache-2.0
#include "ptx/machine/calls.h"

#include <algorithm>

#include "ptx/passes/instr_questions.h"

namespace gpuloom::ptx {

namespace {

void add_once(std::vector<uint32_t>& list, uint32_t v) {
  if (std::find(list.begin(), list.end(), v) == list.end()) list.push_back(v);
}

uint8_t words_of(uint32_t bytes) { return static_cast<uint8_t>(std::max(1u, (bytes + 3) / 4)); }

// Functions that f calls by name, directly or not.
void reach(const std::vector<std::vector<uint32_t>>& callees, uint32_t f, std::vector<uint8_t>& seen) {
  for (const uint32_t callee : callees[f]) {
    if (seen[callee] != 0) continue;
    seen[callee] = 1;
    reach(callees, callee, seen);
  }
}

}  // namespace

bool is_call_parameter(const Instr& in) {
  return in.space == Space::kParamFunction && in.kind == InstrKind::kPlain && takes_no_work(in);
}

std::vector<uint8_t> Calls::find_conventional(const Program& p) {
  const size_t count = p.functions.size();
  std::vector<std::vector<uint32_t>> callees(count);
  std::vector<uint8_t> named(count, 0), out(count, 0);
  for (uint32_t f = 0; f < count; ++f) {
    for (uint32_t i = p.functions[f].entry; i < p.functions[f].end; ++i) {
      if (p.code[i].kind != InstrKind::kCall) continue;
      const uint32_t callee = p.calls[p.code[i].extra].function;
      if (callee == UINT32_MAX) continue;
      add_once(callees[f], callee);
      named[callee] = 1;
    }
  }
  for (uint32_t f = 1; f < count; ++f) {
    std::vector<uint8_t> seen(count, 0);
    reach(callees, f, seen);
    if (seen[f] == 0 && named[f] != 0) continue;  // what nobody names is called by address
    out[f] = 1;
    for (uint32_t other = 0; other < count; ++other) out[other] |= seen[other];
  }
  return out;
}

std::vector<uint32_t> callees_of(const Graph& g, const Node& call) {
  const Program& p = *g.program;
  std::vector<uint32_t> found;
  const auto add = [&](const Instr& in) {
    if (in.kind != InstrKind::kCall) return;
    const uint32_t f = p.calls[in.extra].function;
    if (f != UINT32_MAX && g.conventional[f] == 0) add_once(found, f);
  };
  add(p.code[call.decoded]);
  for (size_t k = 0; k < found.size(); ++k) {
    for (uint32_t i = p.functions[found[k]].entry; i < p.functions[found[k]].end; ++i) add(p.code[i]);
  }
  return found;
}

Calls::Calls(Graph& g)
    : g_(g),
      pieces_(g.program->functions.size()),
      arguments_(g.program->calls.size()),
      results_(g.program->calls.size()),
      returns_(g.program->functions.size()) {
  const Program& p = *g.program;
  for (uint32_t f = 0; f < p.functions.size(); ++f) {
    const FunctionCode& code = p.functions[f];
    Piece formal{};
    formal.callee = f;
    add_pieces(f, code.params, formal, conventional(f));
    formal.result = true;
    add_pieces(f, code.returns, formal, conventional(f));
    for (uint32_t i = code.entry; i < code.end; ++i) {
      if (p.code[i].kind != InstrKind::kCall) continue;
      const CallSite& site = p.calls[p.code[i].extra];
      Piece actual{};
      actual.callee = site.function;
      actual.call = p.code[i].extra;
      add_pieces(f, site.arguments, actual, conventional(site));
      actual.result = true;
      add_pieces(f, site.results, actual, conventional(site));
    }
  }
  for (uint32_t f = 0; f < p.functions.size(); ++f) find_accesses(f);
}

void Calls::add_pieces(uint32_t f, const std::vector<CallValue>& values, Piece piece, bool by_convention) {
  unsigned next = kFirstArgument;
  for (uint32_t k = 0; k < values.size(); ++k) {
    const unsigned words = words_of(values[k].bytes);
    const unsigned align = words >= 4 ? 4 : words;
    next = (next + align - 1) / align * align;
    piece.offset = values[k].local;
    piece.bytes = values[k].bytes;
    piece.index = k;
    piece.first =
        by_convention ? static_cast<uint8_t>(std::min<unsigned>(next, kEndOfArguments)) : kNoRegister;
    next += words;
    if (!values[k].row.present()) pieces_[f].push_back(piece);
  }
}

// Registers for what the code names, so that calls and returns know theirs.
void Calls::find_accesses(uint32_t f) {
  const Program& p = *g_.program;
  for (uint32_t i = p.functions[f].entry; i < p.functions[f].end; ++i) {
    const Instr& in = p.code[i];
    if (!is_call_parameter(in)) continue;
    const uint32_t bytes_each = in.type == Type::kNone ? 4 : bytes(in.type);
    for (uint32_t e = 0; e < std::max<uint32_t>(1, in.vec); ++e)
      slot(f, static_cast<uint32_t>(in.imm) + e * bytes_each, bytes_each);
  }
}

uint32_t Calls::slot(uint32_t f, uint32_t offset, uint32_t bytes) {
  for (const Piece& piece : pieces_[f]) {
    if (offset < piece.offset || offset + bytes > piece.offset + piece.bytes) continue;
    const uint32_t word = (offset - piece.offset) / 4;
    const uint8_t words = words_of(bytes);
    uint32_t v = kNoVirtual;
    if (piece.first == kNoRegister) {
      v = shared(piece.callee, piece.result, piece.index, word, words);
    } else if (piece.first + word + words <= kEndOfArguments) {
      v = fixed(static_cast<uint8_t>(piece.first + word), words);
    }
    if (v == kNoVirtual) return v;
    if (piece.call != UINT32_MAX) {
      add_once(piece.result ? results_[piece.call] : arguments_[piece.call], v);
    } else if (piece.result) {
      add_once(returns_[f], v);
    }
    return v;
  }
  return kNoVirtual;
}

uint32_t Calls::fixed(uint8_t first, uint8_t words) {
  const auto [it, is_new] = fixed_.try_emplace({first, words}, 0);
  if (is_new) {
    it->second = static_cast<uint32_t>(g_.registers.size());
    VirtualRegister r{words, false, kNoRegister};
    r.whole = true;
    r.fixed = first;
    g_.registers.push_back(r);
  }
  return it->second;
}

uint32_t Calls::shared(uint32_t callee, bool result, uint32_t index, uint32_t word, uint8_t words) {
  const auto [it, is_new] = shared_.try_emplace({callee, result, index, word, words}, 0);
  if (is_new) {
    it->second = static_cast<uint32_t>(g_.registers.size());
    VirtualRegister r{words, false, kNoRegister};
    r.whole = true;
    g_.registers.push_back(r);
  }
  return it->second;
}

std::vector<uint32_t> Calls::return_address(const CallSite& site) {
  if (conventional(site)) return {fixed(kReturnAddress, 1), fixed(kReturnAddress + 1, 1)};
  return return_address(site.function);
}

std::vector<uint32_t> Calls::return_address(uint32_t f) {
  if (conventional(f)) return {fixed(kReturnAddress, 1), fixed(kReturnAddress + 1, 1)};
  return {shared(f, false, UINT32_MAX, 0, 1)};
}

}  // namespace gpuloom::ptx
