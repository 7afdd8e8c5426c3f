// SPDX-License-Identifier: Apache-2.0
#include "ptx/machine/value_width.h"

#include <algorithm>
#include <bit>

namespace gpuloom::ptx {

namespace {

constexpr unsigned kDeepest = 8;  // instructions behind one another

// PTX ISA 10: a block has at most 1024 threads (the table of capabilities of the CUDA C++ programming guide).
unsigned special_width(SpecialRegister reg) {
  switch (reg) {
    case SpecialRegister::tid_x:
    case SpecialRegister::tid_y:
    case SpecialRegister::tid_z:
      return 10;
    case SpecialRegister::ntid_x:
    case SpecialRegister::ntid_y:
    case SpecialRegister::ntid_z:
      return 11;
    case SpecialRegister::laneid:
    case SpecialRegister::warpid:
      return 5;
    default:
      return 32;
  }
}

class Width {
 public:
  explicit Width(const Selection& s) : s_(s) {}

  // `bytes` of the operand, where it is a constant.
  unsigned of(Place place, unsigned bytes, unsigned depth) const {
    if (!place.present()) return 64;
    if (place.constant()) return static_cast<unsigned>(std::bit_width(s_.constant_bits(place, bytes)));
    const unsigned most = s_.bytes_of(place) * 8;
    const uint32_t from = s_.maker(place);
    if (from == UINT32_MAX || depth > kDeepest || !s_.stable(place)) return most;
    return std::min(most, made_by(from, depth + 1));
  }

 private:
  unsigned made_by(uint32_t i, unsigned depth) const {
    const Instr& in = s_.instr(i);
    if (in.kind != InstrKind::kPlain || in.guard.present() || in.vec > 1) return 64;
    const bool widens = s_.shape(i) == Shape::kExtend || s_.shape(i) == Shape::kMulWide;
    const unsigned bytes = !widens && bits(in.type) == 64 ? 8 : 4;
    const auto source = [&](unsigned k) { return of(in.ops[k], bytes, depth); };
    switch (s_.shape(i)) {
      case Shape::kMoveSpecial:
        return special_width(static_cast<SpecialRegister>(s_.use(i).operand(1).id));
      case Shape::kMove:
      case Shape::kRename:
        return in.imm == 0 ? source(1) : 64;
      case Shape::kExtend:
        return s_.extends_sign(i) ? extended(source(1)) : source(1);
      case Shape::kShl32:
      case Shape::kShl64:
        return source(1) + shift(in.ops[2]);
      case Shape::kShr32: {
        const unsigned width = source(1), by = shift(in.ops[2]);
        return is_signed(in.type) && width > 31 ? 64 : width - std::min(width, by);
      }
      case Shape::kLogic32:
      case Shape::kLogic64: {
        const unsigned a = source(1), b = source(2);
        return s_.mnemonic(i) == "and" ? std::min(a, b) : std::max(a, b);
      }
      case Shape::kAdd32:
      case Shape::kAdd64:
        return std::max(source(1), source(2)) + 1;
      case Shape::kMul32:
      case Shape::kMulWide:
        return source(1) + source(2);
      case Shape::kSelect:
        return std::max(source(1), source(2));
      default:
        return 64;
    }
  }

  static unsigned extended(unsigned width) { return width < 32 ? width : 64; }
  unsigned shift(Place by) const {
    return by.present() && by.constant()
               ? static_cast<unsigned>(std::min<uint64_t>(s_.constant_bits(by, 4), 64))
               : 64;
  }

  const Selection& s_;
};

}  // namespace

unsigned value_width(const Selection& s, Place place) { return Width(s).of(place, 8, 0); }

}  // namespace gpuloom::ptx
