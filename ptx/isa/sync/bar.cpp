// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.13.1 bar, barrier
//
//   barrier{.cta}.sync{.aligned}      a{, b};
//   barrier{.cta}.arrive{.aligned}    a, b;
//   barrier{.cta}.red.popc{.aligned}.u32  d, a{, b}, {!}c;
//   barrier{.cta}.red.op{.aligned}.pred   p, a{, b}, {!}c;      .op = { .and, .or }
//   bar{.cta}.sync, bar{.cta}.arrive, bar{.cta}.red: the same with .aligned
#include "ptx/isa/sync/barrier_forms.h"

namespace gpuloom::ptx {

void register_sync_bar(IsaBuilder& isa) {
  isa.instruction("bar", "9.7.13.1", "Barrier synchronization of a block, aligned.");
  declare_barriers(isa, "bar{.cta}", "");
}

}  // namespace gpuloom::ptx
