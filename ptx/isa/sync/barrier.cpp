// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.13.1 bar, barrier: see bar.cpp for the syntax.
#include "ptx/isa/sync/barrier_forms.h"

namespace gpuloom::ptx {

void register_sync_barrier(IsaBuilder& isa) {
  isa.instruction("barrier", "9.7.13.1", "Barrier synchronization of a block.");
  declare_barriers(isa, "barrier{.cta}", "{.aligned}");
}

}  // namespace gpuloom::ptx
