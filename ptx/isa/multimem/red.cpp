// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.9.14 multimem.red
//
//   multimem.red{.redsem}{.scope}{.ss}.op{.vec}.type [a], b;
#include "ptx/isa/multimem/multimem.h"

namespace gpuloom::ptx {
void register_multimem_red(IsaBuilder& isa) {
  isa.instruction("multimem.red", "9.7.9.14", "Reduce on several memories.");
  multimem_form(isa, "multimem.red{.sem}{.scope}{.global}.op.type [a], b")
      .set(".sem", ".relaxed .release")
      .set(".scope", kMultimemScopes)
      .set(".op", ".min .max .add .and .or .xor")
      .set(".type", kMultimemIntegers);
  multimem_form(isa, "multimem.red{.sem}{.scope}{.global}.add{.vec}.type [a], b*:any")
      .set(".sem", ".relaxed .release")
      .set(".scope", kMultimemScopes)
      .set(".vec", ".v2 .v4 .v8")
      .set(".type", kMultimemFloats);
}

}  // namespace gpuloom::ptx
