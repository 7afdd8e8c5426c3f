// SPDX-License-Identifier: Apache-2.0
// From a decoded instruction back to what was written.
#pragma once
#include "ptx/isa/table/form.h"

namespace gpuloom::ptx {

// The form that `in`, an instruction of the program, was written in. Not for what passes made up.
inline FormUse use_of(const Program& program, const Instr& in) {
  const InstrSource& source = program.sources[in.source];
  const Instruction& written = source.function->instructions[source.instruction];
  return {*written.form, written, source.function};
}

// Whether it reads or writes the carry flag, a bit that is not a row (PTX ISA 9.7.2): add.cc, addc,
// mad.lo.cc.
inline bool uses_carry(const FormUse& use) {
  const std::string_view name = use.form().instruction->mnemonic;
  return name.ends_with(".cc") || name == "addc" || name == "subc" || name == "madc" || use.has(".cc");
}

}  // namespace gpuloom::ptx
