// SPDX-License-Identifier: Apache-2.0
#include "ptx/machine/alignment.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>

#include "ptx/isa/table/form.h"
#include "ptx/machine/facts.h"
#include "ptx/passes/instr_questions.h"

namespace gpuloom::ptx {

namespace {

constexpr unsigned kMost = 31;

class ZeroBits {
 public:
  ZeroBits(const Graph& g, uint32_t f) : g_(g), p_(*g.program), f_(f) {}

  // Values start as "all zero" and lose bits until nothing changes, so that a variable which a loop advances
  // by 64 keeps its 6 bits.
  std::vector<uint8_t> run() {
    const FunctionCode& code = p_.functions[f_];
    std::vector<uint8_t> has_definition(g_.liveness.rows[f_].offset.size(), 0);
    for (uint32_t r = p_.ref_begin[code.entry]; r < p_.ref_begin[code.end]; ++r) {
      if (p_.refs[r].defines) has_definition[g_.liveness.number(f_, p_.refs[r].place)] = 1;
    }
    for (const SpecialRow& s : code.specials) has_definition[g_.liveness.number(f_, s.place)] = 0;
    bits_.assign(has_definition.size(), 0);
    for (size_t k = 0; k < bits_.size(); ++k) bits_[k] = has_definition[k] != 0 ? kMost : 0;
    for (const CallValue& v : code.params) {
      if (v.row.present()) bits_[g_.liveness.number(f_, v.row)] = 0;
    }
    while (sweep(code)) {
    }
    return std::move(bits_);
  }

 private:
  bool sweep(const FunctionCode& code) {
    bool changed = false;
    for (uint32_t i = code.entry; i < code.end; ++i) {
      const unsigned made = made_by(i);
      for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
        if (!p_.refs[r].defines) continue;
        uint8_t& known = bits_[g_.liveness.number(f_, p_.refs[r].place)];
        if (made >= known) continue;
        known = static_cast<uint8_t>(made);
        changed = true;
      }
    }
    return changed;
  }

  unsigned of(Place place) const {
    if (!place.present()) return 0;
    return place.constant() ? zero_bits_of_constant(p_, place) : bits_[g_.liveness.number(f_, place)];
  }

  unsigned made_by(uint32_t i) const {
    const Instr& in = p_.code[i];
    const Shape shape = shape_of(p_, in);
    switch (shape) {  // the places of others may be lists
      case Shape::kOther:
      case Shape::kPack:
      case Shape::kSetp:
      case Shape::kParamLoad:
      case Shape::kCallParam:
        return 0;
      default:
        break;
    }
    const unsigned a = of(in.ops[1]), b = of(in.ops[2]);
    switch (shape) {
      case Shape::kRename:  // an inserted one adds an offset
        return takes_no_work(in) && in.imm != 0 ? 0 : a;
      case Shape::kMove:
      case Shape::kExtend:
        return a;
      case Shape::kAdd32:
      case Shape::kSub32:
      case Shape::kAdd64:
      case Shape::kSub64:
        return std::min(a, b);
      case Shape::kMul32:
      case Shape::kMulWide:
      case Shape::kMul64:
        return std::min(a + b, kMost);
      case Shape::kMad32:
      case Shape::kMadWide:
      case Shape::kMad64:
        return std::min(std::min(a + b, kMost), of(in.ops[3]));
      case Shape::kShl32:
      case Shape::kShl64:
        return in.ops[2].constant() ? std::min(a + low_word(in.ops[2]), kMost) : a;
      case Shape::kLogic32: {
        const InstrSource& source = p_.sources[in.source];
        const Instruction& written = source.function->instructions[source.instruction];
        return written.form->instruction->mnemonic == "and" ? std::max(a, b) : std::min(a, b);
      }
      default:
        return 0;
    }
  }

  unsigned low_word(Place constant) const {
    uint32_t value = 0;
    std::memcpy(&value, p_.constants.data() + static_cast<uint32_t>(~constant.at), sizeof value);
    return std::min(value, uint32_t{kMost});
  }

  const Graph& g_;
  const Program& p_;
  uint32_t f_;
  std::vector<uint8_t> bits_;
};

}  // namespace

uint8_t zero_bits_of_constant(const Program& p, Place constant) {
  uint32_t value = 0;
  std::memcpy(&value, p.constants.data() + static_cast<uint32_t>(~constant.at), sizeof value);
  return static_cast<uint8_t>(std::min<int>(std::countr_zero(value), kMost));
}

std::vector<uint8_t> known_zero_bits(const Graph& g, uint32_t f) { return ZeroBits(g, f).run(); }

}  // namespace gpuloom::ptx
