// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/kernels/writer.h"

#include <algorithm>

namespace gpuloom::fuzz {
namespace {

using ptx::Type;

// Classes of registers that nothing but the frame writes: addresses, lane masks, conditions of branches.
bool kept(const std::string& letters) {
  return letters == "%pt" || letters == "%tx" || letters == "%ms" || letters == "%pr" || letters == "%v" ||
         letters == "%vv";
}

std::string hex(uint64_t value, unsigned digits) {
  std::string text(digits, '0');
  for (unsigned k = digits; k-- > 0; value >>= 4) text[k] = "0123456789abcdef"[value & 15];
  return text;
}

// Of a 128-bit type: its lower half.
uint64_t special_integer(Random& rng, unsigned bits) {
  const uint64_t ones = bits >= 64 ? ~0ull : (1ull << bits) - 1;
  const auto power = [&] { return 1ull << rng.below(bits) % 64; };
  switch (rng.below(6)) {
    case 0:
      return rng.below(4);
    case 1:
      return power() & ones;
    case 2:
      return (power() - 1) & ones;
    case 3:
      return rng.below(256);
    case 4:
      return ones - rng.below(3);
    default:
      return rng.next() & ones;
  }
}

}  // namespace

Writer::Writer(Random& rng, Forms& forms, Habit habit, RandomKernel& kernel)
    : rng_(rng), habit_(habit), kernel_(kernel), out_(&kernel.body), forms_(forms) {
  kernel.bits_only = habit == Habit::kBits;
}

void Writer::line(const std::string& text, std::vector<std::string> defines, Role role,
                  const std::string& before) {
  Statement s;
  s.text = before + settled(text);
  traits_.note(s.text);
  s.defines = std::move(defines);
  s.role = role;
  out_->push_back(std::move(s));
}

std::string Writer::fresh(std::string_view letters) {
  auto known = names_.find(letters);
  if (known == names_.end()) known = names_.emplace(std::string(letters), 0).first;
  return std::string(letters) + std::to_string(known->second++);
}

std::vector<std::string> Writer::classes(Type type) const {
  const bool hand = habit_ == Habit::kHand;
  const auto list = [&](std::string plain, std::vector<std::string> floats,
                        std::vector<std::string> by_hand) {
    std::vector<std::string> out{std::move(plain)};
    out.insert(out.end(), floats.begin(), floats.end());
    if (hand) out.insert(out.end(), by_hand.begin(), by_hand.end());
    return out;
  };
  switch (type) {
    case Type::kPred:
      return {"%p"};
    case Type::kB128:
      return {"%q"};
    case Type::kF16:
      return list("%rs", {}, {"%h"});
    case Type::kF16x2:
      return list("%r", {}, {"%hh"});
    case Type::kF32:
      return rng_.chance(15) ? std::vector<std::string>{"%r", "%f"} : std::vector<std::string>{"%f"};
    case Type::kF64:
      return {"%fd"};  // see settled()
    case Type::kB32:
      if (!loose_bits_) return list("%r", {}, {"%u", "%s"});
      return list("%r", {"%f"}, {"%u", "%s", "%hh"});
    case Type::kB64:
      return list("%rd", {}, {"%x"});
    case Type::kB16:
      return list("%rs", {},
                  loose_bits_ ? std::vector<std::string>{"%h", "%w"} : std::vector<std::string>{"%w"});
    case Type::kU16x2:
    case Type::kS16x2:
    case Type::kBf16x2:
    case Type::kTf32:
      return {"%r"};
    default:
      break;
  }
  const unsigned width = ptx::bits(type);
  const bool number =
      ptx::info(type).kind == ptx::TypeKind::kUnsigned || ptx::info(type).kind == ptx::TypeKind::kSigned;
  if (width <= 8) return list(rng_.chance(50) ? "%rs" : "%r", {}, {});
  if (width == 16)
    return list("%rs", {}, number ? std::vector<std::string>{"%w"} : std::vector<std::string>{});
  if (width == 32)
    return list("%r", {}, number ? std::vector<std::string>{"%u", "%s"} : std::vector<std::string>{});
  return list("%rd", {}, number ? std::vector<std::string>{"%x"} : std::vector<std::string>{});
}

std::string Writer::reg(Type type) {
  std::vector<std::string> letters = classes(type);
  if (type == Type::kU32 && rng_.chance(8)) letters = {"%tx"};
  if (type == Type::kPred && rng_.chance(10)) letters.push_back("%pr");
  return reg_of(letters);
}

std::string Writer::reg_of(const std::vector<std::string>& letters) {
  std::vector<const std::string*> found;
  for (auto v = visible_.rbegin(); v != visible_.rend(); ++v)
    if (std::find(letters.begin(), letters.end(), v->letters) != letters.end()) found.push_back(&v->name);
  if (found.empty()) return "";
  // What was made last is used most.
  const size_t from = rng_.chance(60) ? std::min<size_t>(found.size(), 5) : found.size();
  return *found[rng_.below(from)];
}

std::vector<std::string> Writer::peers(Type type, unsigned count) {
  std::vector<std::string> out = {reg(type)};
  if (out[0].empty()) return {};
  while (out.size() < count) out.push_back(reg_of({class_of(out[0])}));
  return out;
}

std::string Writer::immediate(Type type) {
  const unsigned width = ptx::bits(type);
  if (type == Type::kF32 || type == Type::kF64) {
    static const std::vector<std::string> decimal = {"0.0", "1.0",   "-1.0", "0.5",
                                                     "2.0", "-3.25", "1e10", "0.1"};
    if (rng_.chance(30)) return rng_.pick(decimal);
    if (type == Type::kF32)
      return "0f" + hex(rng_.chance(50)
                            ? rng_.number({0, 0x3f800000, 0xbf800000, 0x40490fdb, 0x7f800000, 0x80000000})
                            : (rng_.next() & 0x807fffff) | uint64_t{120 + rng_.below(14)} << 23,
                        8);
    return "0d" + hex((rng_.next() & 0x800fffffffffffff) | uint64_t{1016 + rng_.below(14)} << 52, 16);
  }
  const uint64_t value = special_integer(rng_, width == 0 ? 32 : width);
  if (rng_.chance(40)) return "0x" + hex(value, width <= 8 ? 2 : width == 16 ? 4 : width == 32 ? 8 : 16);
  const bool is_signed = ptx::is_signed(type);
  if (is_signed || rng_.chance(15)) {
    const int64_t small =
        static_cast<int64_t>(value << (64 - std::min(width, 64u))) >> (64 - std::min(width, 64u));
    if (small != INT64_MIN) return std::to_string(small);
  }
  return width == 64 && (value >> 63) != 0 ? "0x" + hex(value, 16) : std::to_string(value);
}

std::string Writer::source(Type type, bool immediates) {
  if (immediates && type != Type::kPred && type != Type::kB128 && rng_.chance(18)) return immediate(type);
  std::string name = reg(type);
  return name.empty() && type != Type::kPred ? immediate(type) : name;
}

std::string Writer::destination(Type type, std::vector<std::string>& defined) {
  if (rng_.chance(45)) {
    const std::string name = reg(type);
    if (!name.empty() && !kept(class_of(name))) return name;
  }
  const std::vector<std::string> letters = classes(type);
  defined.push_back(fresh(rng_.pick(letters)));
  return defined.back();
}

std::string Writer::guard(unsigned percent) {
  if (!rng_.chance(percent)) return "";
  const std::string p = predicate();
  return p.empty() ? "" : (rng_.chance(50) ? "@" : "@!") + p + " ";
}

void Writer::statements(unsigned count) {
  for (unsigned k = 0; k < count; ++k) {
    const uint32_t dice = rng_.below(100);
    if (dice < 48) {
      plain();
    } else if (dice < 52) {
      chain();
    } else if (dice < 54) {
      divide();
    } else if (dice < 60) {
      pack();
    } else if (dice < 70) {
      load();
    } else if (dice < 76) {
      store();
    } else if (dice < 78) {
      special();
    } else {
      structure(dice, std::max(2u, count / 2));
    }
  }
}

void Writer::structure(uint32_t dice, unsigned budget) {
  const bool deep = place_.depth >= 3;
  if (dice < 82 && !deep) return branch(budget);
  if (dice < 84 && !deep) return loop(budget);
  if (dice < 85 && !deep) return table_branch(budget);
  if (dice < 89) return exchange();
  if (dice < 91) return atomic();
  if (dice < 93) return shared_exchange();
  if (dice < 94) return global_exchange();
  if (dice < 96) return call();
  if (dice < 97) return async_copy();
  if (dice < 99) return matrix();
  local_array();
}

}  // namespace gpuloom::fuzz
