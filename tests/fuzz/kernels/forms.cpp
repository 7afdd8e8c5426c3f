// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/kernels/forms.h"

#include <algorithm>
#include <map>
#include <set>

#include "ptx/parse/parser.h"
#include "ptx/target.h"
#include "tests/fuzz/kernels/kernel.h"

namespace gpuloom::fuzz {
namespace {

constexpr std::string_view kTarget = "sm_90a";

// What write_*.cpp writes itself: carries, divisions by what may be zero, and what depends on other lanes.
const std::set<std::string>& written_elsewhere() {
  static const std::set<std::string> names = {"add.cc", "addc", "sub.cc", "subc", "mad.cc", "madc"};
  return names;
}

// The instructions of which programs consist; the rest of the table comes up less often.
const std::set<std::string>& frequent() {
  static const std::set<std::string> names = {"add", "sub", "mul",  "mad",  "fma",  "shl", "shr", "and",
                                              "or",  "xor", "not",  "setp", "selp", "cvt", "min", "max",
                                              "neg", "abs", "lop3", "shf",  "prmt", "mov"};
  return names;
}

bool divides(const ptx::Form& form) {
  return form.instruction->family == "integer" &&
         (form.instruction->mnemonic == "div" || form.instruction->mnemonic == "rem");
}

bool plain_operands(const ptx::Form& form) {
  return std::all_of(form.operands.begin(), form.operands.end(), [](const ptx::OperandSlot& slot) {
    return (slot.shape == ptx::OperandShape::kPlain || slot.shape == ptx::OperandShape::kImmediate ||
            slot.shape == ptx::OperandShape::kPair);
  });
}

bool here(const std::vector<std::string>& needs) { return ptx::covers_any(kTarget, needs); }

// What a line is to the parser: registers by class, immediates by look.
std::string key_of(const std::string& line) {
  std::string key;
  for (size_t at = 0; at < line.size(); ++at) {
    key += line[at];
    if (line[at] != '%') continue;
    while (at + 1 < line.size() && std::isalpha(static_cast<unsigned char>(line[at + 1])) != 0)
      key += line[++at];
    while (at + 1 < line.size() && std::isdigit(static_cast<unsigned char>(line[at + 1])) != 0) ++at;
  }
  return key;
}

}  // namespace

bool Use::has(std::string_view word) const {
  return std::find(words.begin(), words.end(), word) != words.end();
}

ptx::Type Use::type_of(const ptx::OperandSlot& slot) const {
  if (slot.type != ptx::Type::kNone || slot.type_slot < 0) return slot.type;
  const std::string& word = words[static_cast<size_t>(slot.type_slot)];
  return word.empty() ? ptx::Type::kNone : ptx::type_named(word.substr(1));
}

Forms::Forms() {
  const std::map<std::string, unsigned> weights = {{"integer", 22}, {"logic", 14}, {"compare", 14},
                                                   {"convert", 14}, {"mov", 6},    {"floating", 18},
                                                   {"half", 8},     {"video", 4}};
  for (const auto& [name, weight] : weights) families_.push_back({name, {weight, {}}});
  for (const ptx::Form& form : ptx::isa_table().forms()) add(form);
}

void Forms::add(const ptx::Form& form) {
  const auto family = std::find_if(families_.begin(), families_.end(),
                                   [&](const auto& f) { return f.first == form.instruction->family; });
  if (family == families_.end() || !form.not_modelled.empty() || !here(form.needs) || !plain_operands(form))
    return;
  const std::string& mnemonic = form.instruction->mnemonic;
  if (divides(form) || written_elsewhere().count(mnemonic) != 0) return;
  const auto into = [&](std::vector<std::vector<const ptx::Form*>>& list) {
    for (auto& forms : list)
      if (forms[0]->instruction->mnemonic == mnemonic &&
          forms[0]->instruction->family == form.instruction->family)
        return forms.push_back(&form);
    list.push_back({&form});
  };
  into(family->second.instructions);
  if (frequent().count(mnemonic) != 0) into(common_);
}

namespace {

// cvt.sat from an integer type that fits: our table says no, as ptxas does, but for a few.
bool saturates_in_vain(const Use& use) {
  if (use.form->instruction->mnemonic != "cvt" || !use.has(".sat")) return false;
  ptx::Type types[2] = {};
  unsigned count = 0;
  for (const std::string& word : use.words)
    if (const ptx::Type t = word.empty() ? ptx::Type::kNone : ptx::type_named(word.substr(1));
        t != ptx::Type::kNone && count < 2)
      types[count++] = t;
  if (count < 2 || ptx::is_float(types[0]) || ptx::is_float(types[1])) return false;
  const bool to = ptx::is_signed(types[0]), from = ptx::is_signed(types[1]);
  return to == from ? ptx::bits(types[0]) >= ptx::bits(types[1])
                    : to && ptx::bits(types[0]) > ptx::bits(types[1]);
}

// .ftz belongs to f32; ptxas minds it in conversions between others.
bool flushes_in_vain(const Use& use) {
  return use.form->instruction->mnemonic == "cvt" && use.has(".ftz") && !use.has(".f32");
}

}  // namespace

Use Forms::pick(Random& rng) const {
  for (;;) {
    Use use = any(rng);
    if (!saturates_in_vain(use) && !flushes_in_vain(use)) return use;
  }
}

Use Forms::any(Random& rng) const {
  if (rng.chance(55)) return use_of(*rng.pick(rng.pick(common_)), rng);
  unsigned total = 0;
  for (const auto& f : families_) total += f.second.weight;
  uint32_t at = rng.below(total);
  for (const auto& [name, family] : families_) {
    if (at < family.weight) return use_of(*rng.pick(rng.pick(family.instructions)), rng);
    at -= family.weight;
  }
  return {};
}

Use Forms::use_of(const ptx::Form& form, Random& rng) const {
  Use use;
  use.form = &form;
  use.opcode = form.instruction->mnemonic;
  for (const ptx::ModifierSlot& slot : form.mods) {
    std::string word;
    // mad.f32 needs its rounding since sm_20 (PTX ISA 9.7.3.7).
    const bool wanted =
        form.instruction->mnemonic == "mad" && form.instruction->family == "floating" && slot.set == ".rnd";
    if (!slot.optional || wanted || rng.chance(30)) {
      std::vector<const ptx::ModifierValue*> values;
      for (const ptx::ModifierValue& v : slot.values)
        if (here(v.needs)) values.push_back(&v);
      if (!values.empty()) word = rng.pick(values)->text;
    }
    use.opcode += word;
    use.words.push_back(std::move(word));
  }
  return use;
}

bool Forms::takes(const std::string& line) {
  const auto [known, unknown] = known_.try_emplace(key_of(line), false);
  if (!unknown) return known->second;
  RandomKernel probe;
  probe.name = "probe";
  Statement s;
  s.text = line;
  probe.body.push_back(s);
  return known->second = ptx::parse_module(render_module(probe), "probe.ptx", ptx::isa_table()).ok();
}

}  // namespace gpuloom::fuzz
