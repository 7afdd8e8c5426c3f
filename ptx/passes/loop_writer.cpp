// SPDX-License-Identifier: Apache-2.0
#include "ptx/passes/loop_writer.h"

#include "ptx/passes/synthesize.h"

namespace gpuloom::ptx {
namespace {

OperandRef ref(Place place, unsigned width, bool defines, unsigned operand) {
  return {place, static_cast<uint8_t>(width), defines, false, static_cast<uint8_t>(operand), 0xff};
}

std::string_view text(Relation r) {
  constexpr std::string_view kText[] = {".ne", ".lt", ".le", ".gt", ".ge"};
  return kText[static_cast<size_t>(r)];
}

std::string_view text(Type t) {
  return t == Type::kS32 ? ".s32" : t == Type::kU32 ? ".u32" : t == Type::kS64 ? ".s64" : ".u64";
}

}  // namespace

Place LoopWriter::row(unsigned bytes_a_lane) {
  FunctionDraft& f = d_.functions[loop_.function];
  const Place place = Place::reg(f.take_row(bytes_a_lane == 0 ? 4 : bytes_a_lane));
  p_.functions[loop_.function].frame_bytes = (f.frame_bytes + 63) / 64 * 64;
  return place;
}

Place LoopWriter::number(int64_t value) {
  return d_.constants.row(bytes(loop_.type), static_cast<uint64_t>(value));
}

Relation LoopWriter::direction() const {
  if (loop_.relation != Relation::kNe) return loop_.relation;
  return loop_.step > 0 ? Relation::kLt : Relation::kGt;
}

Type LoopWriter::signed_type() const {
  if (loop_.relation != Relation::kNe) return loop_.type;
  return bits(loop_.type) == 32 ? Type::kS32 : Type::kS64;
}

void LoopWriter::compare(Place p, Relation relation, Type type, Place a, Place b, std::string_view combine,
                         Place also) {
  std::vector<std::string_view> mods = {text(relation), text(type)};
  std::vector<Type> types = {Type::kPred, type, type};
  if (!combine.empty()) {
    mods.insert(mods.begin() + 1, combine);
    types.push_back(Type::kPred);
  }
  Instr in = synthesize("setp", mods, types);
  in.ops[0] = p;
  in.ops[1] = {};
  in.ops[2] = a;
  in.ops[3] = b;
  in.source = p_.code[loop_.compare].source;
  const unsigned width = bytes(type);
  std::vector<OperandRef> refs = {ref(p, 0, true, 0), ref(a, width, false, 2), ref(b, width, false, 3)};
  if (!combine.empty()) {
    in.ops[4] = also;
    refs.push_back(ref(also, 0, false, 4));
  }
  out_.add(in, refs);
}

void LoopWriter::set(Place p, bool value) {
  Instr in = synthesize("mov", {".pred"}, {Type::kPred, Type::kPred});
  in.ops[0] = p;
  in.ops[1] = d_.constants.row(0, value ? 1 : 0);
  in.source = p_.code[loop_.compare].source;
  out_.add(in, {ref(p, 0, true, 0), ref(in.ops[1], 0, false, 1)});
}

void LoopWriter::subtract(Place d, Place a, Place b, bool saturate) {
  const Type type = bits(loop_.type) == 32 ? Type::kS32 : Type::kS64;
  std::vector<std::string_view> mods = {text(type)};
  if (saturate) mods.insert(mods.begin(), ".sat");
  Instr in = synthesize("sub", mods, {type, type, type});
  in.ops[0] = d;
  in.ops[1] = a;
  in.ops[2] = b;
  in.source = p_.code[loop_.compare].source;
  const unsigned width = bytes(type);
  out_.add(in, {ref(d, width, true, 0), ref(a, width, false, 1), ref(b, width, false, 2)});
}

uint32_t LoopWriter::branch(Place condition, bool negated, uint32_t target) {
  Instr in = p_.code[loop_.region.last];
  in.guard = condition;
  in.guard_negated = negated ? 1 : 0;
  in.target = target;
  out_.add(in, {ref(condition, 0, false, kInstrPlaces)});
  return out_.next() - 1;
}

void LoopWriter::test_far(Place p, int64_t more) {
  const Relation r = direction();
  const Type type = signed_type();
  if (loop_.constant_bound) {
    compare(p, r, type, loop_.counter, number(*loop_.constant_bound - more * loop_.step));
    return;
  }
  const bool up = loop_.step > 0, inclusive = r == Relation::kLe || r == Relation::kGe;
  const Place way = row(bytes(loop_.type));
  const Place far = number(more * (up ? loop_.step : -loop_.step));
  const Relation beyond = inclusive ? Relation::kGe : Relation::kGt;
  const Place from = up ? loop_.counter : loop_.bound, to = up ? loop_.bound : loop_.counter;
  if (type == Type::kS32) {
    subtract(way, to, from, true);
    compare(p, beyond, type, way, far);
    return;
  }
  const Place ahead = row(0);
  compare(ahead, r, type, loop_.counter, loop_.bound);
  subtract(way, to, from, false);
  compare(p, beyond, bits(type) == 32 ? Type::kU32 : Type::kU64, way, far, ".and", ahead);
}

}  // namespace gpuloom::ptx
