// SPDX-License-Identifier: Apache-2.0
// What `ideal` takes away from operations before any of them runs.
#pragma once
#include "arch/sm/kernel_context.h"

namespace gpuloom::arch {

// Whether a switch reads what ptx/machine/spared_work.h finds.
bool reads_spared_work(const IdealConfig& ideal);
// Its time in the pipe, the fixed wait of what comes behind it, or all of it.
void idealize(const SmConfig& config, OpInfo& info);
// ideal.shared_loads: the first load of a run brings all of it, the others cost nothing.
void add_joined_loads(KernelContext& kernel);

}  // namespace gpuloom::arch
