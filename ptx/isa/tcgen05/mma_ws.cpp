// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.16.10.9.3 tcgen05.mma.ws
//
//   tcgen05.mma.ws.cta_group::1.kind{.collector_usage} [d], a, b-desc, idesc,
//       enable-input-d{, zero-column-mask-desc};
#include "ptx/isa/tcgen05/tcgen05.h"

namespace gpuloom::ptx {
void register_tcgen05_mma_ws(IsaBuilder& isa) {
  isa.instruction("tcgen05.mma.ws", "9.7.16.10.9.3",
                  "Multiply and add matrices, B stationary, asynchronously.");
  for (const char* syntax :
       {"tcgen05.mma.ws.cta_group::1.kind{.collector_usage} [d], a:b64, b:b64, i:b32, {!}e:pred{, z:b64}",
        "tcgen05.mma.ws.cta_group::1.kind{.collector_usage} [d], [a], b:b64, i:b32, {!}e:pred{, z:b64}"}) {
    tcgen05_form(isa, syntax).set(".kind", kFloatKinds).set(".collector_usage", kCollectorB);
    tcgen05_form(isa, syntax)
        .set(".kind", ".kind::i8")
        .set(".collector_usage", kCollectorB)
        .needs(kTcgen05IntegerTargets);
  }
}

}  // namespace gpuloom::ptx
