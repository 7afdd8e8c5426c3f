// SPDX-License-Identifier: Apache-2.0
// Instructions that compute: forms of the table, carries, divisions, packing moves, special registers.
#include <algorithm>

#include "tests/fuzz/kernels/writer.h"

namespace gpuloom::fuzz {

using ptx::Type;

namespace {

Type half_of(Type type) {
  return type == Type::kB128 ? Type::kB64 : type == Type::kB64 ? Type::kB32 : Type::kB16;
}

// Immediates that ptxas takes in this operand.
bool takes_immediate(const Use& use, const ptx::OperandSlot& slot, Type type) {
  const ptx::InstructionInfo& info = *use.form->instruction;
  if (info.family == "video" || info.family == "half" || type == Type::kU16x2 || type == Type::kS16x2)
    return false;
  // ptxas 13.0 takes an immediate for zero, adds it to another behind which the sum would saturate, or counts
  // the most negative number as positive (README, "Known").
  if (info.mnemonic == "set" && use.has(".bf16") && use.has(".f32")) return false;
  if (use.has(".sat") && use.has(".s32") && info.family == "integer") return false;
  if ((info.mnemonic == "abs" || info.mnemonic == "neg") && ptx::is_signed(type)) return false;
  if (joins_predicate(use)) return false;
  if (info.mnemonic == "cvt" && (slot.type != Type::kNone || use.has(".tf32"))) return false;
  return !((info.mnemonic == "bfe" || info.mnemonic == "bfi") && slot.type == Type::kU32);
}

// Instructions for which bits are bits, in registers of any type.
bool any_register(const Use& use) {
  static const std::vector<std::string> names = {"mov", "selp", "and", "or", "xor", "not", "slct"};
  return std::find(names.begin(), names.end(), use.form->instruction->mnemonic) != names.end();
}

bool shifts_wide(const Use& use) { return use.has(".b64") || use.has(".u64") || use.has(".s64"); }

// ptxas 13.0 makes several instructions of these and puts the guard before some of them only: where it is
// off, the destination changes all the same (H200: @%p set.gt.f16.s64 leaves |d| as a float).
bool lost_under_guard(const Use& use) {
  const std::string& mnemonic = use.form->instruction->mnemonic;
  return mnemonic == "set" || mnemonic == "testp";
}

}  // namespace

bool Writer::write_use(const Use& use) {
  loose_bits_ = any_register(use);
  const bool written = try_use(use);
  loose_bits_ = false;
  return written;
}

// The name of a register that the instruction writes.
std::string Writer::written(const Use& use, const ptx::OperandSlot& slot, bool second,
                            std::vector<std::string>& defined) {
  const Type type = use.type_of(slot);
  // Narrow formats come in registers of bits alone.
  if (slot.type != Type::kNone && use.form->instruction->mnemonic == "cvt")
    return destination(ptx::bits(type) == 16 ? Type::kBf16 : Type::kTf32, defined);
  if (second && use.form->instruction->mnemonic != "lop3" && rng_.chance(15)) return "_";
  return destination(type == Type::kNone ? Type::kB32 : type, defined);
}

// What it reads there; `before` gets the lines that make it.
std::string Writer::read(const Use& use, size_t k, std::string& before) {
  const ptx::OperandSlot& slot = use.form->operands[k];
  const std::string& mnemonic = use.form->instruction->mnemonic;
  const Type type = use.type_of(slot);
  if (slot.shape == ptx::OperandShape::kImmediate) return std::to_string(rng_.below(256));
  std::string text;
  if (slot.type != Type::kNone && mnemonic == "cvt") {
    text = ptx::bits(type) == 16 ? reg_of({"%rs"})
           : type != Type::kF32  ? reg_of({"%r"})
           : use.has(".tf32")    ? reg_of({"%f"})  // of two halves in a word ptxas converts one
                                 : reg_of({"%r", "%f"});
  } else {
    text = source(type == Type::kNone ? Type::kB32 : type, takes_immediate(use, slot, type));
  }
  if (text.empty()) return text;
  if ((mnemonic == "shl" || mnemonic == "shr") && k == 2 && shifts_wide(use)) text = whole_number(text);
  if (text.empty() || text[0] != '%' || type == Type::kPred)
    return !text.empty() && slot.negatable && rng_.chance(35) ? "!" + text : text;
  text = in_range(use, k, text, before);
  const Hides hides = hides_of(use);
  if (hides == Hides::kRegisters) text = veiled(text, before);
  if (hides == Hides::kConstants) text = hidden_constant(text, before);
  if ((mnemonic == "bfe" || mnemonic == "bfi") && slot.type == Type::kU32) {
    const std::string bounded = fresh("%tx");  // beyond 255 PTX says nothing
    before += "and.b32 " + bounded + ", " + text + ", " + rng_.pick({"255", "63", "31"}) + ";\n  ";
    text = bounded;
  }
  return text;
}

bool Writer::try_use(const Use& use) {
  for (unsigned attempt = 0; attempt < 5; ++attempt) {
    const std::string when = lost_under_guard(use) ? "" : guard(10);
    std::vector<std::string> defined, from;
    std::string operands, before;
    bool complete = true;
    const auto& slots = use.form->operands;
    for (size_t k = 0; k < slots.size(); ++k) {
      const ptx::OperandSlot& slot = slots[k];
      if (slot.optional && !rng_.chance(40)) continue;
      const bool second = k > 0 && slots[k - 1].shape == ptx::OperandShape::kPair;
      if (k > 0) operands += second ? "|" : ", ";
      const std::string text = slot.destination ? written(use, slot, second, defined) : read(use, k, before);
      // Two results in one register are not PTX.
      complete = complete && !text.empty() && !(second && operands == text + "|");
      // Of one register twice ptxas loses one where the result is joined with a predicate.
      if (joins_predicate(use) && !slot.destination) {
        complete = complete && std::find(from.begin(), from.end(), text) == from.end();
        from.push_back(text);
      }
      operands += text;
    }
    if (!complete || (!when.empty() && !defined.empty())) continue;
    const std::string text = use.opcode + " " + operands + ";";
    if (!forms_.takes(text)) continue;
    for (const std::string& name : defined) show(name);
    line(when + text, defined, Role::kPlain, before);
    return true;
  }
  return false;
}

void Writer::plain() {
  for (unsigned attempt = 0; attempt < 8; ++attempt)
    if (write_use(forms_.pick(rng_))) return;
}

// add.cc, addc.cc, ..., addc: nothing may come between that changes the carry.
void Writer::chain() {
  const bool multiply = rng_.chance(35), wide = rng_.chance(30);
  const Type type = wide ? Type::kU64 : Type::kU32;
  const std::string kind = multiply ? "mad" : rng_.pick({"add", "sub"});
  const std::string suffix = (wide ? rng_.pick({".u64", ".s64"}) : rng_.pick({".u32", ".s32"}));
  const unsigned steps = 2 + rng_.below(3);
  std::vector<std::string> all;
  Statement s;
  for (unsigned k = 0; k < steps; ++k) {
    std::string op = k == 0 ? kind + (multiply ? "." : "") : kind + "c" + (multiply ? "." : "");
    if (multiply) {
      op = k == 0 ? "mad." : "madc.";
      op += rng_.pick({"lo", "hi"});
      if (k + 1 < steps) op += ".cc";
    } else {
      op = k == 0 ? kind + ".cc" : kind + "c" + (k + 1 < steps ? ".cc" : "");
    }
    std::vector<std::string> defined;
    std::string text = op + suffix + " " + destination(type, defined) + ", " + source(type, !multiply) +
                       ", " + source(type, !multiply);
    if (multiply) text += ", " + source(type, false);
    text += ";";
    if (!forms_.takes(text)) return;
    s.text += (k > 0 ? "\n  " : "") + text;
    traits_.note(text);
    all.insert(all.end(), defined.begin(), defined.end());
    for (const std::string& name : defined) show(name);
  }
  s.defines = all;
  out_->push_back(std::move(s));
}

// PTX leaves a division by zero and the most negative number by -1 open.
void Writer::divide() {
  const Type type = std::vector<Type>{
      Type::kU32, Type::kS32, Type::kU64, Type::kS64, Type::kU16, Type::kS16}[rng_.below(6)];
  const unsigned width = ptx::bits(type);
  const std::string bits = ".b" + std::to_string(width), name(ptx::info(type).name);
  const std::string letters = width == 16 ? "%rs" : width == 32 ? "%r" : "%rd";
  together([&] {
    const std::string divisor = fresh(letters);
    const std::string from = reg(type);
    if (from.empty()) return;
    const std::string mask = width == 16 ? "0x7ff" : rng_.chance(50) ? "255" : "0x7fffffff";
    if (rng_.chance(30)) {
      const uint32_t constant = rng_.number({3, 7, 10, 16, 64, 100, 641, 1000, 32767});
      std::vector<std::string> defined;
      const std::string to = destination(type, defined);
      line(
          rng_.pick({"div.", "rem."}) + name + " " + to + ", " + from + ", " + std::to_string(constant) + ";",
          defined);
      for (const std::string& d : defined) show(d);
      return;
    }
    line("and" + bits + " " + divisor + ", " + from + ", " + mask + ";\n  or" + bits + " " + divisor + ", " +
             divisor + ", 1;",
         {divisor}, Role::kFixed);
    std::vector<std::string> defined;
    const std::string dividend = source(type, false), to = destination(type, defined);
    line(rng_.pick({"div.", "rem."}) + name + " " + to + ", " + dividend + ", " + divisor + ";", defined);
    for (const std::string& d : defined) show(d);
  });
}

// mov with a brace list on one side: halves to a whole, a whole to halves, `_` for what nobody wants; a list
// of one; a copy of a predicate.
void Writer::pack() {
  const Type whole =
      std::vector<Type>{Type::kB32, Type::kB64, Type::kB64, Type::kB32, Type::kB128}[rng_.below(5)];
  const std::string suffix = std::string(ptx::info(whole).name);
  const unsigned count = whole == Type::kB64 && rng_.chance(25)    ? 4
                         : whole == Type::kB128 && rng_.chance(30) ? 4
                                                                   : 2;
  const Type part = count == 4 ? (whole == Type::kB128 ? Type::kB32 : Type::kB16) : half_of(whole);
  std::vector<std::string> defined;
  std::string text;
  if (rng_.chance(50)) {
    text = "mov." + suffix + " " + destination(whole, defined) + ", {";
    for (unsigned k = 0; k < count; ++k) text += (k > 0 ? ", " : "") + source(part, habit_ == Habit::kTriton);
    text += "};";
  } else {
    const std::string from = reg(whole);
    if (from.empty() || traits_.narrow(from)) return;  // ptxas takes the lowest part for every one
    text = "mov." + suffix + " {";
    const unsigned left_out = rng_.chance(40) ? rng_.below(count) : count;
    std::vector<std::string> taken;
    for (unsigned k = 0; k < count; ++k) {
      std::string to = destination(part, defined);
      if (k > 0 && class_of(to) != class_of(taken[0])) {
        if (!defined.empty() && defined.back() == to) defined.pop_back();
        to = fresh(class_of(taken[0]));
        defined.push_back(to);
      }
      if (std::find(taken.begin(), taken.end(), to) != taken.end()) {
        to = fresh(classes(part)[0]);
        defined.push_back(to);
      }
      taken.push_back(to);
      text += (k > 0 ? ", " : "") + (k == left_out ? std::string("_") : to);
    }
    if (left_out < count) std::erase(defined, taken[left_out]);
    text += "}, " + from + ";";
  }
  if (!forms_.takes(text)) return;
  line(text, defined);
  for (const std::string& name : defined) show(name);
}

void Writer::special() {
  if (rng_.chance(25) && !place_.in_function) {
    line(rng_.pick({"membar.cta;", "membar.gl;", "fence.acq_rel.gpu;", "fence.sc.cta;", "fence.acq_rel.cta;",
                    "nanosleep.u32 20;", "prefetch.global.L1 [%pt0+512];", "prefetch.global.L2 [%pt0+1024];",
                    "fence.proxy.async;", "pmevent 3;"}));
    return;
  }
  if (habit_ == Habit::kHand && rng_.chance(40) && !place_.in_function) return whole_vector();
  std::vector<std::string> defined;
  if (rng_.chance(10) && !place_.in_function) {
    line("isspacep." + rng_.pick({"global", "shared", "shared::cta", "local", "const"}) + " " +
             destination(Type::kPred, defined) + ", %pt2;",
         defined);
    for (const std::string& name : defined) show(name);
    return;
  }
  const std::string which = rng_.pick({"%tid.x", "%tid.y", "%ntid.x", "%ctaid.x", "%nctaid.x", "%laneid",
                                       "%lanemask_eq", "%lanemask_lt", "%lanemask_le", "%lanemask_gt",
                                       "%lanemask_ge", "WARP_SZ", "%ntid.y", "%tid.z", "%nctaid.y"});
  const std::string text = "mov.u32 " + destination(Type::kU32, defined) + ", " + which + ";";
  if (!forms_.takes(text)) return;
  line(text, defined);
  for (const std::string& name : defined) show(name);
}

// A vector register: loaded whole, used by element, stored whole.
void Writer::whole_vector() {
  together([&] {
    const std::string v = fresh("%v"), f = fresh("%f");
    fixed("ld.global.v4.f32 " + v + ", [%pt0+" + std::to_string(rng_.below(100) * 16) + "];", {v});
    const std::string to = rng_.pick({".x", ".y", ".z", ".w"});
    line("fma.rn.f32 " + v + to + ", " + v + rng_.pick({".x", ".y", ".r", ".g"}) + ", " + source(Type::kF32) +
         ", " + v + ".w;");
    fixed("mov.f32 " + f + ", " + v + rng_.pick({".x", ".y", ".z", ".w", ".b", ".a"}) + ";", {f});
    if (rng_.chance(60))
      line("st.global.v4.f32 [%pt2+" + std::to_string(rng_.below(8) * 16) + "], " + v + ";");
    show(f);
  });
}

}  // namespace gpuloom::fuzz
