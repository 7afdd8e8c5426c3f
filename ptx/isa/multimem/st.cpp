// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.9.14 multimem.st
//
//   multimem.st{.stsem}{.scope}{.ss}{.vec}.type [a], b;
//   multimem.st.weak{.ss}{.vec}.type [a], b;
#include "ptx/isa/multimem/multimem.h"

namespace gpuloom::ptx {
void register_multimem_st(IsaBuilder& isa) {
  isa.instruction("multimem.st", "9.7.9.14", "Store to several memories.");
  multimem_form(isa, "multimem.st{.sem}{.scope}{.global}.type [a], b")
      .set(".sem", ".weak .relaxed .release")
      .set(".scope", kMultimemScopes)
      .set(".type", kMultimemIntegers);
  multimem_form(isa, "multimem.st{.sem}{.scope}{.global}{.vec}.type [a], b*:any")
      .set(".sem", ".weak .relaxed .release")
      .set(".scope", kMultimemScopes)
      .set(".vec", ".v2 .v4 .v8")
      .set(".type", kMultimemFloats);
  multimem_form(isa, "multimem.st{.sem}{.scope}{.global}{.vec}.type [a], b*:any")
      .set(".sem", ".weak .relaxed .release")
      .set(".scope", kMultimemScopes)
      .set(".vec", ".v2 .v4 .v8")
      .set(".type", kMultimemNarrow)
      .since("8.6")
      .needs(kMultimemNarrowTargets);
}

}  // namespace gpuloom::ptx
