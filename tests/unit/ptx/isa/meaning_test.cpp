// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "ptx/isa/table/form.h"
#include "tests/catch2.h"

using namespace gpuloom::ptx;

namespace {

// Calls visit for every choice of modifiers of a form.
template <class Visit>
void for_each_use(const Form& form, Instruction& in, size_t slot, const Visit& visit) {
  if (slot == form.mods.size()) return visit(in);
  if (form.mods[slot].optional) in.mods[slot] = 0, for_each_use(form, in, slot + 1, visit);
  for (size_t v = 0; v < form.mods[slot].values.size(); ++v) {
    in.mods[slot] = static_cast<uint8_t>(v + 1);
    for_each_use(form, in, slot + 1, visit);
  }
}

}  // namespace

TEST_CASE("Arithmetic forms have a meaning and an operation class for every choice of modifiers") {
  const std::set<std::string> families = {"integer",  "logic", "compare", "convert",
                                          "floating", "half",  "video"};
  size_t uses = 0;
  for (const Form& form : isa_table().forms()) {
    if (families.count(form.instruction->family) == 0 || !form.not_modelled.empty()) continue;
    INFO(form.syntax);
    Instruction in;
    in.form = &form;
    size_t without = 0;
    for_each_use(form, in, 0, [&](const Instruction& chosen) {
      const FormUse use(form, chosen, nullptr);
      if (form.check != nullptr && !form.check(use).empty()) return;
      const LaneFn fn = form.fixed_meaning != nullptr ? form.fixed_meaning : form.meaning(use);
      const OpClass op = form.op_of != nullptr ? form.op_of(use) : form.op;
      without += fn == nullptr || op == OpClass::none || op >= OpClass::count;
      ++uses;
    });
    CHECK(without == 0);
  }
  CHECK(uses > 5000);
}
