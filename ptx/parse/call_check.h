// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ptx/parse/context.h"

namespace gpuloom::ptx {

// Reports what a call gives and takes that its function or prototype, where known, does not: numbers, types,
// alignments (PTX ISA 9.7.12.5; the rules are those of ptxas 13.0).
void check_call(ParseContext& context, const Function& caller, const Instruction& in, const Token& token);

}  // namespace gpuloom::ptx
