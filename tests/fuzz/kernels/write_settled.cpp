// SPDX-License-Identifier: Apache-2.0
// What PTX leaves open, or ptxas does otherwise than PTX says, is kept from what is compared with a GPU
// (README, "Known"): NaNs are made one NaN, constants are hidden where ptxas 13.0 goes wrong with them.
#include <algorithm>
#include <set>

#include "tests/fuzz/kernels/writer.h"

namespace gpuloom::fuzz {

using ptx::Type;

namespace {

using Names = std::set<std::string>;

bool half_word(const std::string& word) {
  static const Names halves = {"f16", "bf16", "f16x2", "bf16x2", "s16x2", "u16x2", "tf32"};
  return halves.count(word) != 0;
}

// The type of a NaN that the instruction may leave in several shapes, "" where there is one or none. Those of
// single and half precision are unspecified in PTX (9.7.3, 9.7.4): neg and abs change the sign or not, the
// larger of two may be moved, and x * 1, x / 1 and x - 0 are x to ptxas.
std::string open_nan(const Parts& p, const Traits& traits) {
  static const Names types = {"f32", "f16", "bf16", "f16x2", "bf16x2"};
  static const Names moves = {"neg", "abs", "min", "max"};
  static const Names sums = {"add", "sub", "mul", "fma", "mad", "div"};
  const auto type =
      std::find_if(p.words.begin(), p.words.end(), [&](const auto& w) { return types.count(w) != 0; });
  if (type == p.words.end()) return "";
  const bool moved = moves.count(p.mnemonic) != 0 && !p.has("NaN");
  const bool summed = sums.count(p.mnemonic) != 0 && traits.any_constant(p.from);
  // ptxas drops a later `and` with these (H200): what comes behind is to see another instruction's result.
  const bool dropped = (p.mnemonic == "tanh" || p.mnemonic == "ex2") && *type == "f16";
  return moved || summed || dropped ? *type : "";
}

}  // namespace

bool joins_predicate(const Use& use) {
  return use.form->instruction->mnemonic == "lop3" && (use.has(".and") || use.has(".or"));
}

std::string Writer::settled(std::string text) {
  static const Names quiet = {"add", "sub", "mul", "fma", "mad", "testp"};
  const std::vector<Parts> all = parts_of(text);
  for (const Parts& p : all) {
    if (p.to.empty() || p.to[0] == '[') continue;
    const std::string type = open_nan(p, traits_);
    for (std::string name : names_in(p.to)) {
      if (const size_t at = p.to.find(name + "."); at != std::string::npos)
        name = p.to.substr(at, name.size() + 2);  // an element of a vector
      if (name[0] != '%' || class_of(name) == "%p" || class_of(name) == "%pr") continue;
      if (!type.empty()) text += "\n  max.NaN." + type + " " + name + ", " + name + ", " + name + ";";
      // Of two f64 NaNs the hardware gives the first operand's, and which that is, is the compiler's choice.
      // So all of them are the one that arithmetic makes.
      if (class_of(name) == "%fd" && quiet.count(p.mnemonic) == 0) {
        const std::string is_nan = fresh("%pr");
        text += "\n  testp.notanumber.f64 " + is_nan + ", " + name + ";\n  selp.f64 " + name +
                ", 0dFFF8000000000000, " + name + ", " + is_nan + ";";
      }
    }
  }
  return text;
}

// The register joined with a word of memory that is zero, which no compiler knows; `before` gets the lines.
std::string Writer::veiled(const std::string& name, std::string& before) {
  const std::string letters = class_of(name);
  if (letters == "%fd") {
    const std::string bits = fresh("%rd"), hidden = fresh("%fd");
    before += "mov.b64 " + bits + ", " + name + ";\n  ";
    const std::string joined = veiled(bits, before);
    before += "mov.b64 " + hidden + ", " + joined + ";\n  ";
    return hidden;
  }
  const bool wide = letters == "%rd" || letters == "%x";
  const bool half = letters == "%rs" || letters == "%h" || letters == "%w";
  const std::string type = wide ? ".b64 " : half ? ".b16 " : ".b32 ";
  const std::string zero = fresh(wide ? "%rd" : half ? "%rs" : "%tx"), hidden = fresh(letters);
  before +=
      "ld.global" + type + zero + ", [zr$];\n  or" + type + hidden + ", " + name + ", " + zero + ";\n  ";
  return hidden;
}

std::string Writer::hidden_constant(const std::string& name, std::string& before) {
  return traits_.constant(name) ? veiled(name, before) : name;
}

// What ptxas computes otherwise, or wrongly, where it knows an operand.
Writer::Hides Writer::hides_of(const Use& use) {
  static const Names units = {"sin", "cos", "ex2", "lg2", "tanh"}, roots = {"rcp", "rsqrt", "sqrt"};
  const std::string& mnemonic = use.form->instruction->mnemonic;
  // rcp of rcp is nothing, rcp of sqrt is rsqrt.
  if (units.count(mnemonic) != 0 || (roots.count(mnemonic) != 0 && use.has(".approx")))
    return Hides::kRegisters;
  const auto any = [&](auto&& test) { return std::any_of(use.words.begin(), use.words.end(), test); };
  const bool halves = any([](const std::string& w) { return !w.empty() && half_word(w.substr(1)); });
  const bool packs = std::any_of(use.form->operands.begin(), use.form->operands.end(), [](const auto& slot) {
    return slot.type != Type::kNone && ptx::is_float(slot.type);
  });
  const bool floats = any([](const std::string& w) { return w == ".f32" || w == ".f64"; });
  const bool converts = mnemonic == "cvt" && (packs || floats);
  const bool signs = (mnemonic == "neg" || mnemonic == "abs") && floats;
  const bool saturates = (mnemonic == "add" || mnemonic == "sub") && use.has(".sat") && use.has(".s32");
  return halves || converts || signs || saturates || joins_predicate(use) ? Hides::kConstants
                                                                          : Hides::kNothing;
}

// An operand for which the instruction does what PTX says: `name`, or what lines in `before` make of it.
std::string Writer::in_range(const Use& use, size_t slot, const std::string& name, std::string& before) {
  const std::string& mnemonic = use.form->instruction->mnemonic;
  if (name[0] != '%') return name;
  const auto limit = [&](const char* letters, const std::string& op, const std::string& bound) {
    const std::string bounded = fresh(letters);
    before += op + " " + bounded + ", " + name + ", " + bound + ";\n  ";
    return bounded;
  };
  // The most negative number has no opposite; ptxas takes what these give for a number of more bits.
  const bool opposite = mnemonic == "abs" || mnemonic == "neg";
  if (opposite && use.has(".s16")) return limit("%rs", "max.s16", "-32767");
  if (mnemonic == "abs" && use.has(".s32")) return limit("%tx", "max.s32", "-2147483647");
  if (mnemonic == "abs" && use.has(".s64")) return limit("%rd", "max.s64", "-9223372036854775807");
  // A condition that is NaN chooses the second; ptxas knows |x| >= 0.
  if (mnemonic == "slct" && slot == 3 && use.words.back() == ".f32")
    return limit("%f", "max.f32", "0fFF800000");
  // Some arguments are not NaNs, so that ptxas may fold what follows into their users.
  if (opposite && use.has(".f32") && rng_.chance(40)) return limit("%f", "min.f32", "0f7F800000");
  return name;
}

// A part of a register is stored as the bits that it has, but for a part of a floating-point value, which
// ptxas converts to an integer.
std::string Writer::stored_whole(Type type, const std::string& name) {
  const std::string letters = class_of(name);
  const bool half = letters == "%rs" || letters == "%h" || letters == "%w";
  return ptx::bits(type) == 16 && half ? name : whole_number(name);
}

// A register that ptxas does not convert to an integer first; "" where there is none.
std::string Writer::whole_number(const std::string& name) {
  if (!traits_.computed_float(name)) return name;
  for (unsigned attempt = 0; attempt < 6; ++attempt)
    if (const std::string other = reg_of({class_of(name)}); !traits_.computed_float(other)) return other;
  return "";
}

}  // namespace gpuloom::fuzz
