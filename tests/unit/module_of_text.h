// SPDX-License-Identifier: Apache-2.0
// PTX text to program, for tests.
#pragma once
#include <memory>
#include <string>

#include "ptx/isa/table/form.h"
#include "ptx/parse/parser.h"
#include "ptx/passes/pipeline.h"
#include "tests/unit/plain_model.h"

namespace gpuloom::ptx {

struct TestProgram {
  std::unique_ptr<Module> module;
  std::unique_ptr<Program> program;
};

inline std::unique_ptr<Module> test_module(const std::string& text) {
  return load_module_text(".version 8.6\n.target sm_90\n.address_size 64\n" + text, "test.ptx", isa_table());
}

inline TestProgram test_program(const std::string& text, PassOptions options = {}) {
  options.habits = model_of_h200().profile.habits;
  TestProgram t;
  t.module = test_module(text);
  const Function* entry = nullptr;
  for (const Function& f : t.module->functions) {
    if (f.is_entry) entry = &f;
  }
  t.program = build_program(*t.module, *entry, OffsetResolver(*t.module), options);
  return t;
}

// A kernel with a parameter `p` (pointer) and `n`, already in %rd1 and %r1, and registers of every sort.
inline std::string test_kernel(const std::string& body) {
  return ".visible .entry k(.param .u64 p, .param .u32 n)\n{\n .reg .b16 %h<9>; .reg .b32 %r<30>; .reg .b64 "
         "%rd<20>;\n"
         " .reg .f32 %f<30>; .reg .f64 %d<9>; .reg .pred %p<9>;\n"
         " ld.param.u64 %rd1, [p];\n ld.param.u32 %r1, [n];\n" +
         body + "\n ret;\n}\n";
}

inline unsigned count_class(const Program& p, OpClass op) {
  unsigned count = 0;
  for (const Instr& in : p.code) count += static_cast<OpClass>(in.op_class) == op ? 1 : 0;
  return count;
}

inline unsigned count_kind(const Program& p, InstrKind kind) {
  unsigned count = 0;
  for (const Instr& in : p.code) count += in.kind == kind ? 1 : 0;
  return count;
}

}  // namespace gpuloom::ptx
