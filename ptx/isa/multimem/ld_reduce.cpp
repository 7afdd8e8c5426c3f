// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.9.14 multimem.ld_reduce
//
//   multimem.ld_reduce{.ldsem}{.scope}{.ss}.op{.acc_prec}{.vec}.type d, [a];
//   multimem.ld_reduce.weak{.ss}.op{.acc_prec}{.vec}.type d, [a];
#include "ptx/isa/multimem/multimem.h"

namespace gpuloom::ptx {
void register_multimem_ld_reduce(IsaBuilder& isa) {
  isa.instruction("multimem.ld_reduce", "9.7.9.14", "Load from several memories and reduce.");
  for (const char* syntax :
       {"multimem.ld_reduce{.sem}{.scope}{.global}.op.type d, [a]",
        "multimem.ld_reduce{.sem}{.scope}{.global}.op{.acc_prec}{.vec}.type d*:any, [a]"}) {
    const bool floats = std::string_view(syntax).find("vec") != std::string_view::npos;
    FormBuilder form = multimem_form(isa, syntax);
    form.set(".sem", ".weak .relaxed .acquire")
        .set(".scope", kMultimemScopes)
        .set(".op", floats ? ".min .max .add" : ".min .max .add .and .or .xor")
        .set(".type", floats ? kMultimemFloats : kMultimemIntegers);
    if (floats) form.set(".acc_prec", ".acc::f32@8.2").set(".vec", ".v2 .v4 .v8");
  }
  multimem_form(isa, "multimem.ld_reduce{.sem}{.scope}{.global}.op{.acc_prec}{.vec}.type d*:any, [a]")
      .set(".sem", ".weak .relaxed .acquire")
      .set(".scope", kMultimemScopes)
      .set(".op", ".min .max .add")
      .set(".acc_prec", ".acc::f16")
      .set(".vec", ".v2 .v4 .v8")
      .set(".type", kMultimemNarrow)
      .since("8.6")
      .needs(kMultimemNarrowTargets);
}

}  // namespace gpuloom::ptx
