// SPDX-License-Identifier: Apache-2.0
#include "ptx/machine/functions.h"

#include <set>
#include <unordered_map>
#include <utility>

#include "ptx/isa/table/op_traits.h"
#include "ptx/passes/instr_questions.h"

namespace gpuloom::ptx {
namespace {

// Of a polynomial in a library's function; what has fewer steps may be a formula of the program's own (the
// shortest of CUDA's: a sine of five terms, as its PTX shows).
constexpr unsigned kSteps = 4;

using Line = std::pair<uint32_t, uint32_t>;  // file and line

// What a row holds at a place: rows are used again for other values.
struct Value {
  int32_t row = 0;
  uint32_t made = UINT32_MAX;  // instruction of the block; none: before it
  bool operator==(const Value&) const = default;
};

// A sum of products that grows by the same factor, and by a coefficient that is a constant and another in
// each step: what adds the same again and again is a loop's own sum.
struct Chain {
  unsigned steps = 0;
  int32_t coefficient = 0;  // place of the constant
  Value factors[2];         // either, after the first step
};

bool is_product_and_sum(const Instr& in) {
  const OpClass op = class_of(in);
  return (op == OpClass::ffma || op == OpClass::dfma) && in.ops[3].present();
}

bool computes(const Instr& in) { return in.kind == InstrKind::kPlain && !is(class_of(in), kNoFunction); }

class Finder {
 public:
  explicit Finder(const Program& program) : program_(program) {}

  FoundFunctions find() {
    for (const Block& block : program_.blocks) find_chains(block);
    std::set<std::pair<const Function*, Line>> lines;
    FoundFunctions found{std::vector<bool>(program_.code.size()), std::vector<bool>(program_.code.size())};
    for (const uint32_t pc : lasts_) {
      found.last[pc] = true;
      lines.insert(place_of(pc));
    }
    if (lines.empty()) return found;
    for (uint32_t pc = 0; pc < program_.code.size(); ++pc) {
      const Instr& in = program_.code[pc];
      const bool ahead = in.kind == InstrKind::kBranch && in.target > pc;
      if ((computes(in) || ahead) && !found.last[pc] && lines.contains(place_of(pc))) found.within[pc] = true;
    }
    return found;
  }

 private:
  std::pair<const Function*, Line> place_of(uint32_t pc) const {
    const InstrSource& from = program_.sources[program_.code[pc].source];
    if (from.source_line == 0) return {};
    const SourceLine& line = program_.module->source_lines[from.source_line - 1];
    return {from.function, {line.file, line.line}};
  }

  // Values of a block as it is gone through.
  struct Seen {
    std::unordered_map<int32_t, uint32_t> made;       // by row: who has written it last
    std::unordered_map<uint32_t, Chain> chains;       // by instruction
    std::unordered_map<uint32_t, int32_t> constants;  // by instruction: what a move brings

    Value value(Place place) const {
      const auto at = made.find(place.at);
      return {place.at, at == made.end() ? UINT32_MAX : at->second};
    }
    // The place of the constant that it is; not negative where it is none.
    int32_t constant(Place place) const {
      const auto at = constants.find(value(place).made);
      return at == constants.end() ? place.at : at->second;
    }
  };

  void find_chains(const Block& block) {
    Seen seen;
    for (uint32_t pc = block.first; pc <= block.last; ++pc) {
      const Instr& in = program_.code[pc];
      const bool moves = class_of(in) == OpClass::mov || class_of(in) == OpClass::mov64;
      if (is_product_and_sum(in) && seen.constant(in.ops[3]) < 0 && place_of(pc).first != nullptr)
        seen.chains[pc] = grown(in, pc, seen);
      else if (moves && in.ops[1].present() && in.ops[1].constant())
        seen.constants[pc] = in.ops[1].at;
      for (uint32_t r = program_.ref_begin[pc]; r < program_.ref_begin[pc + 1]; ++r)
        if (program_.refs[r].defines) seen.made[program_.refs[r].place.at] = pc;
    }
  }

  // The chain that ends with the instruction; a longer one takes the place of its shorter self.
  Chain grown(const Instr& in, uint32_t pc, const Seen& seen) {
    const Value a = seen.value(in.ops[1]), b = seen.value(in.ops[2]);
    const int32_t coefficient = seen.constant(in.ops[3]);
    for (const auto& [sum, factor] : {std::pair{a, b}, {b, a}}) {
      const auto at = seen.chains.find(sum.made);
      if (at == seen.chains.end() || at->second.coefficient == coefficient ||
          place_of(sum.made) != place_of(pc))
        continue;
      const Chain& before = at->second;
      if (before.factors[0] != factor && before.factors[1] != factor) continue;
      lasts_.erase(sum.made);
      if (before.steps + 1 >= kSteps) lasts_.insert(pc);
      return {before.steps + 1, coefficient, {factor, factor}};
    }
    return {1, coefficient, {a, b}};
  }

  const Program& program_;
  std::set<uint32_t> lasts_;  // instructions that end a polynomial
};

}  // namespace

FoundFunctions find_functions(const Program& program) { return Finder(program).find(); }

}  // namespace gpuloom::ptx
