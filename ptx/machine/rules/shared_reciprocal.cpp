// SPDX-License-Identifier: Apache-2.0
// An approximate division of f32 is the dividend times MUFU.RCP of the divisor. Where the form asks for more
// range than MUFU has, comparisons of the divisor scale both. What is made of the divisor alone, the
// predicates too, is made once for all divisions of a block by it, and before the loop in which it does not
// change (ptxas 13.0, sm_75 to sm_120: three div.full by one divisor are two FSETP, eight FMUL under their
// predicates, one MUFU, three FMUL).
#include <algorithm>

#include "ptx/machine/rules/before_loop.h"
#include "ptx/passes/divide.h"
#include "ptx/passes/float_range.h"

namespace gpuloom::ptx {

namespace {

bool match_shared_reciprocal(const Selection& s, uint32_t i) {
  const OpClass op = s.class_now(i);
  return is_float(s.instr(i).type) && s.divisor_steps(op) != 0 &&
         s.divisor_steps(op) < s.sequence_for(i, op).size();
}

// The last instruction in front of i, from `begin` on, that writes the row; none: -1.
int64_t written_before(const Selection& s, uint32_t i, Place row, uint32_t begin) {
  const Program& p = s.program();
  for (uint32_t k = i; k-- > begin;) {
    for (uint32_t r = p.ref_begin[k]; r < p.ref_begin[k + 1]; ++r)
      if (p.refs[r].defines && p.refs[r].place.at == row.at) return k;
  }
  return -1;
}

// Whether the register of an operand cannot be scaled where it is: it is read behind i other than as the
// divisor of such a division, or it is one of those that a warpgroup product has.
bool stays_as_it_is(const Selection& s, uint32_t i, Place place) {
  const RowFacts* row = s.facts(place);
  const auto reads = [&](const auto& use) {
    const bool divides = s.op_class(use.first) == s.op_class(i) && use.second->operand == 2 &&
                         s.block_of(use.first) == s.block_of(i);
    return use.first > i && !divides;
  };
  if (row == nullptr) return false;
  if (std::ranges::any_of(row->uses, reads)) return true;
  const int64_t made = row->defs == 1
                           ? int64_t{row->def}
                           : written_before(s, i, place, s.program().functions[s.function()].entry);
  return made >= 0 && s.op_class(static_cast<uint32_t>(made)) == OpClass::wgmma;
}

// A value, or the same scaled where a predicate holds: in its own register (@P FMUL), or in another (FMUL,
// FSEL; of a constant, which has no register, FSEL).
uint32_t scaled_where(Emitter& out, OpClass step, const std::vector<uint32_t>& value, uint32_t predicate,
                      bool apart) {
  if (value.empty()) return out.make(OpClass::fsel, {predicate}, 1);
  std::vector<uint32_t> uses = value;
  if (apart) uses.push_back(out.make(step, value, 1));
  uses.push_back(predicate);
  const uint32_t result = out.make(apart ? OpClass::fsel : step, std::move(uses), 1);
  out.last().predicated = !apart;
  return result;
}

// The steps of a division: what is made of the divisor, and what of the dividend. A divisor whose range ptxas
// knows needs fewer comparisons, or none.
struct Steps {
  std::vector<OpClass> divisor, dividend;
};
Steps steps_of(const Selection& s, uint32_t i) {
  const OpClass op = s.class_now(i);
  const std::vector<OpClass> all = s.sequence_for(i, op);
  const auto middle = all.begin() + s.divisor_steps(op);
  Steps steps{{all.begin(), middle}, {middle, all.end()}};
  std::optional<ApproxDivision> division = approx_division(s.program(), s.instr(i));
  if (!division) return steps;
  const FloatRanges ranges(
      s.program(), [&](Place place) { return s.maker(place); },
      [&](Place place) { return static_cast<uint32_t>(s.constant_bits(place, 4)); });
  const int whole = division->scale_up + division->scale_down;
  division->divide_by(ranges.of(division->divisor));
  for (int spared = whole - division->scale_up - division->scale_down; spared > 0; --spared) {
    const auto first = std::ranges::find(steps.divisor, OpClass::fsetp);
    if (first == steps.divisor.end() || steps.dividend.size() < 2) break;
    steps.divisor.erase(first, first + 2);
    steps.dividend.erase(steps.dividend.begin());
  }
  return steps;
}

// The predicates that the scaling of dividends needs, in order, and the reciprocal.
std::vector<uint32_t> divisor_parts(const Selection& s, Emitter& out, uint32_t i, const Steps& steps) {
  const Place divisor = s.instr(i).ops[2];
  const OpClass op = s.class_now(i);
  const bool stable = s.stable(divisor);
  const uint32_t at = stable ? before_invariant_loop(s, s.block_of(i), divisor) : s.block_of(i);
  const auto [known, is_new] =
      out.once(Made::kReciprocal,
               {at, divisor.at, static_cast<int64_t>(op),
                stable ? int64_t{-1} : written_before(s, i, divisor, s.flow().blocks[s.block_of(i)].first)});
  if (!is_new) return known;
  const std::vector<uint32_t> whole = out.source(divisor);
  const bool stays = stays_as_it_is(s, i, divisor);
  out.in_block(at, [&](Emitter& there) {
    std::vector<uint32_t> scaled = whole;
    for (const OpClass step : steps.divisor) {
      if (step == OpClass::fsetp)
        known.push_back(there.make(step, whole, 0));
      else if (step == OpClass::fmul && !known.empty())
        scaled = {scaled_where(there, step, scaled, known.back(), stays && scaled == whole)};
      else
        scaled = {there.make(step, scaled, 1)};
    }
    known.push_back(scaled[0]);
  });
  return known;
}

void apply_shared_reciprocal(const Selection& s, Emitter& out, uint32_t i) {
  const Steps steps = steps_of(s, i);
  const std::vector<uint32_t> parts = divisor_parts(s, out, i, steps);
  const std::vector<uint32_t> whole = out.source(s.instr(i).ops[1]), divisor = out.source(s.instr(i).ops[2]);
  std::vector<uint32_t> scaled = whole;
  for (size_t k = 0; k + 1 < std::min(steps.dividend.size(), parts.size()); ++k) {
    const bool stays = k == 0 && !whole.empty() && stays_as_it_is(s, i, s.instr(i).ops[1]);
    scaled = {scaled_where(out, steps.dividend[k], scaled, parts[k], stays)};
  }
  Node& product = out.sequence({steps.dividend.back()})[0];
  const auto drop = [&](const std::vector<uint32_t>& values) {
    std::erase_if(product.uses, [&](uint32_t v) { return std::ranges::find(values, v) != values.end(); });
  };
  if (steps.dividend.size() > 1) {
    drop(whole);
    product.uses.insert(product.uses.end(), scaled.begin(), scaled.end());
  }
  if (divisor != whole) drop(divisor);
  product.uses.push_back(parts.back());
}

}  // namespace

extern const Rule kSharedReciprocal{"shared_reciprocal", match_shared_reciprocal, apply_shared_reciprocal};

}  // namespace gpuloom::ptx
