// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ptx/passes/flow.h"
#include "ptx/passes/program_result.h"

namespace gpuloom::ptx {

namespace {

// Reads of a function against what may have been written on some way there.
class Definitions {
 public:
  Definitions(const Program& program, uint32_t f, const Flow& flow, const Liveness& rows)
      : p_(program),
        f_(f),
        flow_(flow),
        rows_(rows),
        begin_(flow.first_block[f]),
        in_(flow.first_block[f + 1] - begin_) {
    if (in_.empty()) return;
    at_begin();
    std::vector<RowSet> out(in_.size());
    for (bool changed = true; changed;) {
      changed = false;
      for (uint32_t b = begin_; b < begin_ + in_.size(); ++b) {
        for (const uint32_t before : flow.predecessors[b]) {
          if (before >= begin_ && before < begin_ + in_.size()) in_[b - begin_].merge(out[before - begin_]);
        }
        RowSet now = in_[b - begin_];
        for (uint32_t i = flow.blocks[b].first; i <= flow.blocks[b].last; ++i) define(i, now);
        changed |= out[b - begin_].merge(now);
      }
    }
  }

  template <class Visit>  // (instruction, what it reads)
  void for_unwritten(Visit visit) const {
    for (uint32_t b = begin_; b < begin_ + in_.size(); ++b) {
      if (b != begin_ && flow_.predecessors[b].empty()) continue;  // nobody comes here
      RowSet now = in_[b - begin_];
      for (uint32_t i = flow_.blocks[b].first; i <= flow_.blocks[b].last; ++i) {
        for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
          const OperandRef& ref = p_.refs[r];
          if (!ref.defines && !ref.place.constant() && !now.has(rows_.number(f_, ref.place))) visit(i, ref);
        }
        define(i, now);
      }
    }
  }

 private:
  void at_begin() {
    const auto add = [&](Place place) {
      if (place.present() && !place.constant()) in_[0].add(rows_.number(f_, place));
    };
    for (const SpecialRow& s : p_.functions[f_].specials) add(s.place);
    for (const CallValue& v : p_.functions[f_].params) add(v.row);
  }

  void define(uint32_t i, RowSet& out) const {
    for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
      if (p_.refs[r].defines && !p_.refs[r].place.constant()) out.add(rows_.number(f_, p_.refs[r].place));
    }
  }

  const Program& p_;
  uint32_t f_;
  const Flow& flow_;
  const Liveness& rows_;
  uint32_t begin_;
  std::vector<RowSet> in_;  // by block of the function
};

class ProgramCheck {
 public:
  explicit ProgramCheck(const Program& program) : p_(program) {}

  std::vector<std::string> run() {
    if (p_.code.empty()) return {};  // not decoded yet
    shape();
    if (!problems_.empty()) return std::move(problems_);  // what follows indexes by these
    blocks();
    const Flow flow = build_flow(p_);
    const Liveness rows = find_liveness(p_, flow);
    for (uint32_t f = 0; f < p_.functions.size(); ++f) definitions(f, flow, rows);
    return std::move(problems_);
  }

 private:
  void problem(std::string text) { problems_.push_back(std::move(text)); }

  // Line of the PTX, which stays the same when instructions move.
  std::string place_of(uint32_t i) const {
    const uint32_t source = p_.code[i].source;
    if (source >= p_.sources.size()) return "an instruction of no PTX";
    return "the instruction of line " + std::to_string(p_.sources[source].position.line);
  }

  void shape() {
    if (p_.ref_begin.size() != p_.code.size() + 1 || p_.ref_begin.back() != p_.refs.size())
      return problem("the rows of instructions do not match the instructions");
    for (const FunctionCode& f : p_.functions) {
      if (f.entry > f.end || f.end > p_.code.size()) return problem("a function lies outside of the code");
      for (uint32_t i = f.entry; i < f.end; ++i) instruction(f, i);
    }
  }

  void instruction(const FunctionCode& f, uint32_t i) {
    const Instr& in = p_.code[i];
    if (in.kind == InstrKind::kBranch && (in.target < f.entry || in.target >= f.end))
      problem(place_of(i) + " jumps out of its function");
    if (in.kind == InstrKind::kCall && in.extra >= p_.calls.size()) problem(place_of(i) + " calls nothing");
    for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
      const Place place = p_.refs[r].place;
      const bool known = place.constant() ? static_cast<size_t>(~place.at) < p_.constants.size()
                                          : static_cast<uint32_t>(place.at) < f.frame_bytes;
      if (!place.present() || !known) problem(place_of(i) + " names a row that there is not");
    }
  }

  void blocks() {
    if (p_.blocks.empty()) return;  // not found yet
    uint32_t next = 0;
    for (size_t b = 0; b < p_.blocks.size(); ++b) {
      const Block& block = p_.blocks[b];
      if (block.first != next || block.last < block.first)
        return problem("block " + std::to_string(b) + " does not begin where the one before it ends");
      for (const uint32_t s : block.successors) {
        if (s != UINT32_MAX && s >= p_.blocks.size())
          problem("block " + std::to_string(b) + " goes on to a block that there is not");
      }
      next = block.last + 1;
    }
    if (next != p_.code.size()) problem("the blocks do not cover the code");
  }

  void definitions(uint32_t f, const Flow& flow, const Liveness& rows) {
    Definitions(p_, f, flow, rows).for_unwritten([&](uint32_t i, const OperandRef&) {
      problem(place_of(i) + " reads what nothing has written");
    });
  }

  const Program& p_;
  std::vector<std::string> problems_;
};

}  // namespace

std::vector<UnwrittenRead> unwritten_reads(const Program& program, uint32_t f, const Flow& flow,
                                           const Liveness& rows) {
  std::vector<UnwrittenRead> out;
  Definitions(program, f, flow, rows).for_unwritten([&](uint32_t i, const OperandRef& ref) {
    out.push_back({i, rows.number(f, ref.place)});
  });
  return out;
}

std::vector<std::string> check_program(const Program& program) { return ProgramCheck(program).run(); }

}  // namespace gpuloom::ptx
