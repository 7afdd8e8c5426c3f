// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.16.10.9.1 tcgen05.mma
//
//   tcgen05.mma.cta_group.kind{.ashift}{.collector_usage} [d], a,  b-desc, idesc
//       {, disable-output-lane}, enable-input-d{, scale-input-d};
//   tcgen05.mma.cta_group.kind.block_scale{.scale_vectorsize}{.collector_usage} [d], a, b-desc, idesc,
//       [scale-A], [scale-B], enable-input-d;
#include "ptx/isa/tcgen05/tcgen05.h"

namespace gpuloom::ptx {
void register_tcgen05_mma(IsaBuilder& isa) {
  isa.instruction("tcgen05.mma", "9.7.16.10.9.1", "Multiply and add matrices, asynchronously, one thread.");
  // A from shared memory (a descriptor) or from tensor memory.
  for (const char* syntax :
       {"tcgen05.mma.cta_group.kind{.collector_usage} [d], a:b64, b:b64, i:b32{, l+:any}, {!}e:pred{, "
        "#s:u64}",
        "tcgen05.mma.cta_group.kind{.ashift}{.collector_usage} [d], [a], b:b64, i:b32{, l+:any}, {!}e:pred{, "
        "#s:u64}"})
    tcgen05_form(isa, syntax)
        .set(".cta_group", kCtaGroups)
        .set(".kind", kFloatKinds)
        .set(".collector_usage", kCollectorA);
  for (const char* syntax :
       {"tcgen05.mma.cta_group.kind.block_scale{.scale_vectorsize}{.collector_usage} [d], a:b64, b:b64, "
        "i:b32, "
        "[sa], [sb], {!}e:pred",
        "tcgen05.mma.cta_group.kind.block_scale{.scale_vectorsize}{.collector_usage} [d], [a], b:b64, i:b32, "
        "[sa], [sb], {!}e:pred"})
    tcgen05_form(isa, syntax)
        .set(".cta_group", kCtaGroups)
        .set(".kind", kScaledKinds)
        .set(".scale_vectorsize", kScaleSizes)
        .set(".collector_usage", kCollectorA);
  for (const char* syntax :
       {"tcgen05.mma.cta_group.kind::i8{.collector_usage} [d], a:b64, b:b64, i:b32{, l+:any}, {!}e:pred",
        "tcgen05.mma.cta_group.kind::i8{.ashift}{.collector_usage} [d], [a], b:b64, i:b32{, l+:any}, "
        "{!}e:pred"})
    tcgen05_form(isa, syntax)
        .set(".cta_group", kCtaGroups)
        .set(".collector_usage", kCollectorA)
        .needs(kTcgen05IntegerTargets);
}

}  // namespace gpuloom::ptx
