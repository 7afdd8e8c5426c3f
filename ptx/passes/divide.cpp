// SPDX-License-Identifier: Apache-2.0
#include "ptx/passes/divide.h"

#include <bit>
#include <cmath>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ptx/isa/table/use_of.h"
#include "ptx/passes/bind.h"
#include "ptx/passes/synthesize.h"

namespace gpuloom::ptx {

namespace {

constexpr float kUp = 0x1p24f, kDown = 0x1p-2f, kSmallestNormal = 0x1p-126f, kLargestWhole = 0x1p126f;
using Names = std::vector<std::string_view>;

// Makes rows and instructions in front of one instruction.
class Maker {
 public:
  Maker(Draft& d, uint32_t f, uint32_t at, Edit& edit) : d_(d), f_(f), at_(at), edit_(edit) {}

  Place number(float value) { return d_.constants.row(4, std::bit_cast<uint32_t>(value)); }
  Place row() {
    FunctionDraft& f = d_.functions[f_];
    const Place place = Place::reg(f.take_row(4));
    d_.program.functions[f_].frame_bytes = (f.frame_bytes + 63) / 64 * 64;
    return place;
  }

  Place make(std::string_view mnemonic, const Names& names, const std::vector<Place>& from, Place to = {},
             Place guard = {}) {
    const Place out = to.present() ? to : row();
    Instr in = synthesize(mnemonic, names, std::vector<Type>(from.size() + 1, Type::kF32));
    std::vector<OperandRef> refs{{out, 4, true, false, 0, 0xff}};
    in.ops[0] = out;
    for (size_t k = 0; k < from.size(); ++k) {
      in.ops[k + 1u] = from[k];
      refs.push_back({from[k], 4, false, false, static_cast<uint8_t>(k + 1), 0xff});
    }
    if (mnemonic == "abs") in.op_class = static_cast<uint16_t>(OpClass::none);  // an operand's modifier
    add(in, refs, guard);
    return out;
  }
  Place compare(std::string_view relation, const Names& flush, Place a, float b) {
    const Place out = row(), limit = number(b);
    Names names{relation, ".f32"};
    names.insert(names.end(), flush.begin(), flush.end());
    Instr in = synthesize("setp", names, {Type::kPred, Type::kF32, Type::kF32});
    in.ops[0] = out;
    in.ops[1] = {};
    in.ops[2] = a;
    in.ops[3] = limit;
    add(in,
        {{out, 0, true, false, 0, 0xff}, {a, 4, false, false, 2, 0xff}, {limit, 4, false, false, 3, 0xff}});
    return out;
  }
  Place select(float yes, Place no, Place condition) {
    const Place out = row(), first = number(yes);
    Instr in = synthesize("selp", {".f32"}, {Type::kF32, Type::kF32, Type::kF32, Type::kPred});
    const Place places[] = {out, first, no, condition};
    std::vector<OperandRef> refs;
    for (uint8_t k = 0; k < 4; ++k) {
      in.ops[k] = places[k];
      refs.push_back({places[k], static_cast<uint8_t>(k == 3 ? 0 : 4), k == 0, false, k, 0xff});
    }
    add(in, refs);
    return out;
  }

 private:
  void add(Instr& in, std::vector<OperandRef> refs, Place guard = {}) {
    in.source = d_.program.code[at_].source;
    in.guard = guard;
    if (guard.present()) refs.push_back({guard, 0, false, false, kInstrPlaces, 0xff});
    edit_.insert.push_back({at_, in, std::move(refs)});
  }

  Draft& d_;
  uint32_t f_, at_;
  Edit& edit_;
};

// Rounded to nearest, where MUFU.RCP is one off for an eighth of all numbers; flushed both ways, as MUFU does
// whatever the form says.
float reciprocal(float x) {
  const auto flush = [](float v) { return std::fabs(v) < kSmallestNormal ? std::copysign(0.0f, v) : v; };
  return flush(1.0f / flush(x));
}

// A row that one unguarded mov of a constant defines is that constant: is_constant (ptx/isa/table) asks the
// same of what was written, before passes.
std::unordered_map<int32_t, Place> constant_rows(const Program& p, uint32_t f) {
  std::unordered_map<int32_t, Place> known;
  const FunctionCode& code = p.functions[f];
  for (uint32_t i = code.entry; i < code.end; ++i) {
    const Instr& in = p.code[i];
    for (uint32_t r = p.ref_begin[i]; r < p.ref_begin[i + 1]; ++r) {
      const OperandRef& ref = p.refs[r];
      if (!ref.defines || ref.place.constant()) continue;
      const bool move = in.kind == InstrKind::kPlain && !in.guard.present() && ref.bytes == 4 &&
                        ref.operand == 0 && in.ops[1].present() && in.ops[1].constant() &&
                        !in.ops[2].present() && use_of(p, in).form().instruction->mnemonic == "mov";
      const auto [at, first] = known.try_emplace(ref.place.at, move ? in.ops[1] : Place{});
      if (!first) at->second = {};
    }
  }
  return known;
}

// The division at `at`, by `value`, as a product.
void multiply_instead(Draft& d, uint32_t f, uint32_t at, const ApproxDivision& division, float value,
                      Edit& edit) {
  const Instr& in = d.program.code[at];
  const float size = std::fabs(value);
  const float scale = division.scale_down && size > kLargestWhole   ? kDown
                      : division.scale_up && size < kSmallestNormal ? kUp
                                                                    : 1;
  Maker make(d, f, at, edit);
  Names names{".f32"};
  if (division.ftz) names.emplace_back(".ftz");
  Place a = division.dividend;
  if (scale != 1) a = make.make("mul", names, {a, make.number(scale)});
  Instr mul = synthesize("mul", names, {Type::kF32, Type::kF32, Type::kF32});
  std::vector<OperandRef> refs;
  const Place places[] = {in.ops[0], a, make.number(reciprocal(value * scale))};
  for (uint8_t k = 0; k < 3; ++k) {
    mul.ops[k] = places[k];
    refs.push_back({places[k], 4, k == 0, false, k, 0xff});
  }
  mul.source = in.source;
  mul.guard = in.guard;
  mul.guard_negated = in.guard_negated;
  if (mul.guard.present()) refs.push_back({mul.guard, 0, false, false, kInstrPlaces, 0xff});
  edit.replace[at] = {mul, refs};
}

}  // namespace

std::optional<ApproxDivision> approx_division(const Program& program, const Instr& in) {
  const auto op = static_cast<OpClass>(in.op_class);
  if (op != OpClass::div_f32_approx && op != OpClass::div_f32_scaled && op != OpClass::div_f32_full &&
      op != OpClass::mufu_denormal)
    return {};
  const FormUse use = use_of(program, in);
  const std::string& name = use.form().instruction->mnemonic;
  ApproxDivision out;
  out.ftz = use.has(".ftz");
  if (name == "rcp" && use.has(".approx") && !out.ftz) {
    out.divisor = in.ops[1];
    out.scale_up = out.scale_down = true;
    return out;
  }
  if (name != "div" || !(use.has(".approx") || use.has(".full"))) return {};
  out.dividend = in.ops[1];
  out.divisor = in.ops[2];
  out.scale_up = !out.ftz;
  out.scale_down = use.has(".full");
  return out;
}

void ApproxDivision::divide_by(const FloatRange& range) {
  const double normal = kSmallestNormal, whole = kLargestWhole;
  scale_up = scale_up && range.least < normal && range.most > -normal;
  scale_down = scale_down && (range.most > whole || range.least < -whole);
}

Factors split_division(Draft& draft, uint32_t f, const ApproxDivision& division, uint32_t at, Edit& edit) {
  Maker make(draft, f, at, edit);
  const Names flush = division.ftz ? Names{".ftz"} : Names{};
  const Names rcp{".approx", ".ftz", ".f32"};
  if (!division.scaled()) return {division.dividend, make.make("rcp", rcp, {division.divisor})};
  Names mul{".rn", ".f32"}, abs{".f32"};
  mul.insert(mul.end(), flush.begin(), flush.end());
  abs.insert(abs.end(), flush.begin(), flush.end());
  const Place size = make.make("abs", abs, {division.divisor});
  Place large, small;
  if (division.scale_down) large = make.compare(".gt", flush, size, kLargestWhole);
  if (division.scale_up) small = make.compare(".lt", flush, size, kSmallestNormal);
  if (!division.dividend.present()) {
    const Place scale = make.select(kDown, make.select(kUp, make.number(1), small), large);
    return {scale, make.make("rcp", rcp, {make.make("mul", mul, {division.divisor, scale})})};
  }
  const Place a = make.make("mov", {".f32"}, {division.dividend}),
              b = make.make("mov", {".f32"}, {division.divisor});
  for (const auto& [condition, scale] : {std::pair{large, kDown}, std::pair{small, kUp}}) {
    if (!condition.present()) continue;
    make.make("mul", mul, {b, make.number(scale)}, b, condition);
    make.make("mul", mul, {a, make.number(scale)}, a, condition);
  }
  return {make.make("rcp", rcp, {b}), a};
}

void fold_constant_divisors(Draft& d) {
  Program& p = d.program;
  Edit edit(p);
  bool changed = false;
  for (uint32_t f = 0; f < p.functions.size(); ++f) {
    std::optional<std::unordered_map<int32_t, Place>> known;  // where there is a division
    for (uint32_t i = p.functions[f].entry; i < p.functions[f].end; ++i) {
      const auto division = approx_division(p, p.code[i]);
      if (!division || !division->dividend.present()) continue;
      if (!known) known = constant_rows(p, f);
      Place divisor = division->divisor;
      if (const auto it = known->find(divisor.at); it != known->end()) divisor = it->second;
      uint64_t bits = 0;
      if (!d.constants.value_of(divisor, bits)) continue;
      const float value = std::bit_cast<float>(static_cast<uint32_t>(bits));
      if (std::isnan(value)) continue;
      multiply_instead(d, f, i, *division, value, edit);
      changed = true;
    }
  }
  if (changed) apply(p, edit);
}

}  // namespace gpuloom::ptx
