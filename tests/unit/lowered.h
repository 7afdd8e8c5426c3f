// SPDX-License-Identifier: Apache-2.0
// PTX text to machine code, for tests.
#pragma once
#include <algorithm>

#include "tests/unit/module_of_text.h"
#include "tests/unit/plain_model.h"

namespace gpuloom::ptx {

struct Lowered {
  TestProgram source;
  MachineProgram machine;
  unsigned count(OpClass op) const {
    return static_cast<unsigned>(std::count_if(machine.ops.begin(), machine.ops.end(),
                                               [&](const MachineOp& o) { return o.op == op; }));
  }
  // Of the first operation of a class.
  size_t place(OpClass op) const {
    const auto at =
        std::find_if(machine.ops.begin(), machine.ops.end(), [&](const MachineOp& o) { return o.op == op; });
    return static_cast<size_t>(at - machine.ops.begin());
  }
};

// "%f7": a register, or a label.
inline std::string numbered(const char* prefix, unsigned k) { return prefix + std::to_string(k); }

enum class Loops : uint8_t { kAsWritten, kUnrolled };

// `text` is a module without its head, with one kernel.
inline Lowered lowered_text(const std::string& text, Loops loops, const MachineModel& model = plain_model(),
                            const LoweringOptions& how = {}) {
  PassOptions options;
  options.reuse_rows = false;
  options.set("unroll", loops == Loops::kUnrolled);
  Lowered l{test_program(text, options), {}};
  l.machine = lower(*l.source.program, model, how);
  return l;
}

}  // namespace gpuloom::ptx
