// SPDX-License-Identifier: Apache-2.0
// Loads and stores of every type, width, space and form of address.
#include <algorithm>

#include "tests/fuzz/kernels/writer.h"

namespace gpuloom::fuzz {

using ptx::Type;

namespace {

const std::vector<Type>& memory_types() {
  static const std::vector<Type> types = {Type::kB8,  Type::kB16, Type::kB32, Type::kB64, Type::kU8,
                                          Type::kU16, Type::kU32, Type::kU64, Type::kS8,  Type::kS16,
                                          Type::kS32, Type::kS64, Type::kF32, Type::kF64, Type::kB32,
                                          Type::kF32, Type::kB128};
  return types;
}

std::string named(Type type) { return "." + std::string(ptx::info(type).name); }

// A register may be wider than an integer in memory. Braces are not put around one value of 128 bits, of
// which ptxas takes the lower half twice.
Type in_register(Type type, Random& rng, bool stored) {
  const unsigned bits = ptx::bits(type);
  if (ptx::is_float(type) || bits >= 64 || !rng.chance(bits == 8 ? 100 : 20)) return type;
  if (bits == 8 && stored) return rng.chance(70) ? Type::kU32 : Type::kU64;
  if (bits == 8) return std::vector<Type>{Type::kU16, Type::kU32, Type::kU64}[rng.below(3)];
  return bits == 16 && rng.chance(70) ? Type::kU32 : Type::kU64;
}

}  // namespace

Use Writer::memory_use(std::string_view mnemonic,
                       const std::vector<std::pair<std::string, std::string>>& words) {
  std::vector<const ptx::Form*> forms;
  for (const ptx::Form* form : ptx::isa_table().forms_of(mnemonic))
    if (form->instruction->mnemonic == mnemonic && form->not_modelled.empty()) forms.push_back(form);
  // Other spaces have no cache to advise.
  const bool cached = std::any_of(words.begin(), words.end(), [](const auto& w) {
    return w.first == ".ss" && (w.second.empty() || w.second == ".global");
  });
  const bool named_global = std::any_of(
      words.begin(), words.end(), [](const auto& w) { return w.first == ".ss" && w.second == ".global"; });
  // The plain form is what programs are made of.
  const ptx::Form& form = rng_.chance(60) ? *forms[0] : *rng_.pick(forms);
  Use use = forms_.use_of(form, rng_);
  use.opcode = form.instruction->mnemonic;
  bool cached_by_operator = false;
  for (size_t k = 0; k < form.mods.size(); ++k) {
    const ptx::ModifierSlot& slot = form.mods[k];
    std::string& word = use.words[k];
    for (const auto& [set, value] : words)
      if (slot.set == set) word = value;
    const bool hint = slot.set == ".level::cache_hint";
    if (hint) word = named_global && !policy_.empty() && rng_.chance(40) ? slot.values[0].text : "";
    if (slot.optional && slot.set.starts_with(".level") && (!cached || cached_by_operator)) word.clear();
    if (slot.set == ".cop" && !word.empty()) cached_by_operator = true;
    if (slot.optional && !hint && slot.set.starts_with(".level") && !rng_.chance(25)) word.clear();
    use.opcode += word;
  }
  // Some forms name .global themselves.
  for (const auto& [set, value] : words)
    if ((set == ".ss" || set == ".space") && value != ".global" && use.has(".global")) return {};
  // What was asked for and has no place in this form: another one.
  for (const auto& [set, value] : words) {
    const bool has =
        std::any_of(form.mods.begin(), form.mods.end(), [&](const auto& m) { return m.set == set; }) ||
        std::any_of(form.mods.begin(), form.mods.end(), [&](const auto& m) { return m.set == value; });
    if (!has && !value.empty()) return {};
  }
  return use;
}

// The operand behind the address of an access with a cache policy.
std::string Writer::cache_hint(const Use& use) const {
  return use.has(".L2::cache_hint") ? ", " + policy_ : "";
}

std::string Writer::address(const Region& region, unsigned bytes) {
  const bool dynamic = rng_.chance(30) && region.bytes >= 2 * bytes && region.bytes >= 32;
  const uint32_t span = dynamic ? region.bytes / 2 : region.bytes;
  const uint32_t offset = rng_.below(span / bytes) * bytes;
  const std::string letters = region.narrow ? "%tx" : "%pt", size = region.narrow ? ".u32" : ".u64";
  const auto bracket = [&](const std::string& base, uint32_t at) {
    const std::string space = habit_ == Habit::kTriton ? " " : "";
    if (at == 0 && rng_.chance(60)) return "[" + space + base + space + "]";
    return "[" + space + base + (space.empty() ? "+" : " + ") + std::to_string(at) + space + "]";
  };
  std::string base = region.base;
  if (dynamic) {
    const std::string index = reg(Type::kU32);
    const std::string bounded = fresh("%tx"), at = fresh(letters);
    std::string text =
        "and.b32 " + bounded + ", " + index + ", " + std::to_string((span - 1) & ~(bytes - 1)) + ";\n  ";
    std::vector<std::string> defined = {bounded, at};
    if (region.is_symbol()) {
      text += "mov" + size + " " + at + ", " + base + ";\n  ";
      base = at;
    }
    if (region.narrow) {
      text += "add.s32 " + at + ", " + base + ", " + bounded + ";";
    } else {
      const std::string wide = fresh("%pt");
      defined.push_back(wide);
      text += rng_.chance(50) ? "cvt.u64.u32 " + wide + ", " + bounded + ";\n  "
                              : "mul.wide.u32 " + wide + ", " + bounded + ", 1;\n  ";
      text += "add.s64 " + at + ", " + base + ", " + wide + ";";
    }
    if (index.empty()) return bracket(region.base, offset);
    fixed(text, defined);
    return bracket(at, offset);
  }
  // A pointer of its own for the access, before or behind it, or the base with an offset.
  if (!region.is_symbol() && rng_.chance(15)) {
    const std::string at = fresh(letters);
    const int beyond = rng_.range(-4, 4) * 16;
    fixed("add" + std::string(region.narrow ? ".s32 " : ".s64 ") + at + ", " + base + ", " +
              std::to_string(static_cast<int>(offset) + beyond) + ";",
          {at});
    return "[" + at + "+" + std::to_string(-beyond) + "]";
  }
  return bracket(base, offset);
}

void Writer::load() {
  if (regions_.empty()) return;
  const Region region = rng_.pick(regions_);
  const Type type = rng_.pick(memory_types());
  const unsigned bytes = ptx::bytes(type);
  unsigned vec = rng_.chance(70) ? 1 : rng_.chance(60) ? 2 : 4;
  if (bytes * vec > 16 || bytes * vec > region.bytes) vec = 1;
  const Use use = memory_use(
      "ld",
      {{".ss", region.space}, {".type", named(type)}, {".vec", vec == 1 ? "" : ".v" + std::to_string(vec)}});
  if (use.form == nullptr || (use.has(".nc") && !region.constant)) return;
  const std::string when = guard(habit_ == Habit::kTriton ? 50 : 12);
  const Type held = in_register(type, rng_, false);
  together([&] {
    std::vector<std::string> defined, elements;
    for (unsigned k = 0; k < vec; ++k) {
      loose_bits_ = true;
      std::string to = destination(held, defined);
      loose_bits_ = false;
      if (k > 0 && class_of(to) != class_of(elements[0])) {  // PTX does not mix types in a list
        if (!defined.empty() && defined.back() == to) defined.pop_back();
        to = fresh(class_of(elements[0]));
        defined.push_back(to);
      }
      if (std::find(elements.begin(), elements.end(), to) != elements.end()) {
        to = fresh(class_of(to));
        defined.push_back(to);
      }
      elements.push_back(to);
    }
    std::string before;
    for (const std::string& name : defined)  // what a guarded load leaves alone must have a value
      if (!when.empty() && bytes < 16)
        before += "mov.b" + std::to_string(ptx::bits(held)) + " " + name + ", " +
                  (rng_.chance(50) ? "0" : "0x1") + ";\n  ";
    if (!when.empty() && bytes == 16 && !defined.empty()) return;
    std::string list;
    for (unsigned k = 0; k < vec; ++k) list += (k > 0 ? ", " : "") + elements[k];
    const bool braces = vec > 1 || (bytes < 16 && rng_.chance(habit_ == Habit::kTriton ? 90 : 10));
    if (habit_ == Habit::kTriton) list = " " + list + " ";
    if (braces) list = "{" + list + "}";
    const std::string text = use.opcode + " " + list + ", ";
    const std::string probe =
        text + "[" + (region.is_symbol() ? "%pt0" : region.base) + "]" + cache_hint(use) + ";";
    if (!before.empty() && !forms_.takes(before)) return;
    if (!forms_.takes(probe)) return;
    const std::string at = address(region, bytes * vec);
    line(before + when + text + at + cache_hint(use) + ";", defined);
    for (const std::string& name : defined) show(name);
  });
}

void Writer::store() {
  std::vector<const Region*> writable;
  for (const Region& r : regions_)
    if (r.writable) writable.push_back(&r);
  if (writable.empty()) return;
  const Region region = *rng_.pick(writable);
  const Type type = rng_.pick(memory_types());
  const unsigned bytes = ptx::bytes(type);
  unsigned vec = rng_.chance(70) ? 1 : rng_.chance(60) ? 2 : 4;
  if (bytes * vec > 16 || bytes * vec > region.bytes) vec = 1;
  const Use use = memory_use(
      "st",
      {{".ss", region.space}, {".type", named(type)}, {".vec", vec == 1 ? "" : ".v" + std::to_string(vec)}});
  if (use.form == nullptr) return;
  const Type held = in_register(type, rng_, true);
  loose_bits_ = true;
  std::vector<std::string> elements = vec == 1 ? std::vector<std::string>{source(held)} : peers(held, vec);
  loose_bits_ = false;
  if (elements.empty() || elements[0].empty()) return;
  std::string list;
  for (unsigned k = 0; k < vec; ++k) {
    if (bytes < 4 && elements[k][0] == '%') elements[k] = stored_whole(type, elements[k]);
    if (elements[k].empty()) return;
    list += (k > 0 ? ", " : "") + elements[k];
  }
  const bool braces = vec > 1 || (bytes < 16 && rng_.chance(habit_ == Habit::kTriton ? 90 : 10));
  if (habit_ == Habit::kTriton) list = " " + list + " ";
  if (braces) list = "{" + list + "}";
  if (!forms_.takes(use.opcode + " [" + (region.is_symbol() ? "%pt0" : region.base) + "], " + list +
                    cache_hint(use) + ";"))
    return;
  together([&] {
    const std::string when = guard(habit_ == Habit::kTriton ? 50 : 12);
    const std::string at = address(region, bytes * vec);
    line(when + use.opcode + " " + at + ", " + list + cache_hint(use) + ";");
  });
}

// An array in local memory, written whole; later loads and stores use it by constant and by computed offsets.
void Writer::local_array() {
  if (place_.depth > 0 || regions_.size() > 12) return;
  const std::string name = "loc" + std::to_string(labels_++);
  const uint32_t bytes = rng_.number({16, 32, 64, 128});
  Statement variable;
  variable.text = ".local .align 16 .b8 " + name + "[" + std::to_string(bytes) + "];";
  variable.role = Role::kInitial;
  variable.defines = {name};
  kernel_.variables.push_back(variable);
  const bool words = rng_.chance(60);
  std::string text;
  for (uint32_t at = 0; at < bytes; at += words ? 4 : 8) {
    const std::string from = source(words ? Type::kB32 : Type::kB64);
    text += std::string(at > 0 ? "\n  " : "") + "st.local.b" + (words ? "32 [" : "64 [") + name + "+" +
            std::to_string(at) + "], " + from + ";";
  }
  Statement first;
  first.text = text;
  first.role = Role::kInitial;
  first.defines = {name};
  out_->push_back(first);
  regions_.push_back({name, ".local", bytes, true, false, false});
  if (rng_.chance(50)) return;
  const std::string own = fresh("%pt"), generic = fresh("%pt");
  initial("mov.u64 " + own + ", " + name + ";", {own});
  regions_.push_back({own, ".local", bytes, true, false, false});
  if (rng_.chance(40)) return;
  initial("cvta.local.u64 " + generic + ", " + own + ";", {generic});
  regions_.push_back({generic, "", bytes, true, false, false, true});
}

}  // namespace gpuloom::fuzz
