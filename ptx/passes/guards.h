// SPDX-License-Identifier: Apache-2.0
// Where an instruction's guard comes from.
#pragma once
#include "ptx/ir/program.h"

namespace gpuloom::ptx {

// Whether PTX has it already. Others are branches that have become guards (if_convert).
inline bool is_guarded_in_ptx(const Program& p, const Instr& in) {
  const InstrSource& source = p.sources[in.source];
  return source.function->instructions[source.instruction].guard.register_id >= 0;
}

}  // namespace gpuloom::ptx
