// SPDX-License-Identifier: Apache-2.0
// Where things are: parameter buffer, shared memory, local frames, rows of registers.
#include <algorithm>
#include <set>
#include <string>
#include <tuple>

#include "ptx/isa/table/form.h"
#include "ptx/passes/draft.h"

namespace gpuloom::ptx {

namespace {

uint64_t aligned(uint64_t value, uint64_t to) { return to <= 1 ? value : (value + to - 1) / to * to; }

uint32_t size_of(const Variable& v) { return static_cast<uint32_t>(v.size_bytes); }

// PTX ISA 5.1.6.2: parameters in order, each at its own alignment.
void layout_parameters(Draft& d) {
  uint64_t at = 0;
  for (const Variable& v : d.entry.params) {
    at = aligned(at, v.align_bytes);
    d.program.params.push_back(
        {v.name, v.type, static_cast<uint32_t>(at), size_of(v), v.align_bytes, v.is_array});
    at += v.size_bytes;
  }
  d.program.param_bytes = static_cast<uint32_t>(at);
}

bool is_dynamic(const Variable& v) { return v.unsized; }

struct SharedLayout {
  Draft& d;
  uint64_t at = 0;
  void place(const Variable& v) {
    if (d.shared_offset.count(&v) != 0) return;
    at = aligned(at, v.align_bytes);
    d.shared_offset[&v] = static_cast<uint32_t>(at);
    at += v.size_bytes;
  }
};

// As ptxas lays it out (measured with ptxas 13.0, sm_90): the variables that functions declare and use, in
// order; then used ones of the module, in order of declaration; then what functions declare but do not use.
// Each dynamic array begins at its own alignment behind them, and the static size is rounded up to the
// largest of those alignments.
void layout_shared(Draft& d) {
  std::set<const Variable*> used;
  for (const FunctionDraft& f : d.functions) {
    for (const Operand& op : f.function->operand_pool) {
      if (op.variable != nullptr && op.variable->space == Space::kShared) used.insert(op.variable);
    }
  }
  SharedLayout layout{d};
  for (const bool want_used : {true, false}) {
    for (const FunctionDraft& f : d.functions) {
      for (const Variable& v : f.function->variables) {
        if (v.space == Space::kShared && !is_dynamic(v) && (used.count(&v) != 0) == want_used)
          layout.place(v);
      }
    }
    if (!want_used) break;
    for (const Variable& v : d.module.variables) {
      if (v.space == Space::kShared && !is_dynamic(v) && used.count(&v) != 0) layout.place(v);
    }
  }
  uint64_t end = layout.at;
  uint32_t align = 16;
  for (const Variable* v : used) {
    if (!is_dynamic(*v)) continue;
    d.shared_offset[v] = static_cast<uint32_t>(aligned(layout.at, v->align_bytes));
    end = std::max(end, aligned(layout.at, v->align_bytes));
    align = std::max(align, v->align_bytes);
  }
  for (const Variable& v :
       d.module.variables) {  // declared, used or not: ptxas rounds the static size all the same
    if (v.space == Space::kShared && is_dynamic(v)) end = std::max(end, aligned(layout.at, v.align_bytes));
  }
  d.program.shared_static_bytes = static_cast<uint32_t>(end);
  for (const auto& [variable, offset] : d.shared_offset)
    d.program.shared_variables.push_back({variable->name, offset, size_of(*variable)});
  std::sort(d.program.shared_variables.begin(), d.program.shared_variables.end(),
            [](const SharedVariable& a, const SharedVariable& b) {
              return std::tie(a.offset, a.name) < std::tie(b.offset, b.name);
            });
  d.program.dynamic_shared_align = align;
}

void layout_local(Draft& d, FunctionDraft& f) {
  uint64_t at = 0;
  const auto place = [&](const Variable& v) {
    at = aligned(at, v.align_bytes);
    f.local_offset[&v] = static_cast<uint32_t>(at);
    at += v.size_bytes;
  };
  if (!f.function->is_entry) {
    for (const Variable& v : f.function->params) {
      if (v.space != Space::kReg) place(v);
    }
    for (const Variable& v : f.function->returns) {
      if (v.space != Space::kReg) place(v);
    }
  }
  for (const Variable& v : f.function->variables) {
    if (v.space == Space::kLocal || v.space == Space::kParam || v.space == Space::kParamFunction) place(v);
  }
  for (const Variable& v : d.module.variables) {  // .local at module scope: old PTX only (PTX ISA 5.1.5)
    if (v.space == Space::kLocal && f.function->is_entry) place(v);
  }
  // A call saves at least its return address, so endless recursion ends at the stack limit whatever it keeps.
  constexpr uint64_t kUnit = 16;
  f.local_bytes = static_cast<uint32_t>(aligned(std::max(at, f.function->is_entry ? 0 : kUnit), kUnit));
}

// Rows of one function's registers: predicates (4-byte masks) first and packed, then each register at 64
// bytes.
void layout_rows(FunctionDraft& f) {
  const Function& fn = *f.function;
  std::vector<bool> used(fn.registers.size(), false);
  for (const Operand& op : fn.operand_pool) {
    const bool names_register = op.kind == OperandKind::kRegister ||
                                (op.kind == OperandKind::kAddress && op.has_base && !op.base_is_symbol);
    if (names_register && op.id < used.size()) used[op.id] = true;
  }
  for (const Instruction& in : fn.instructions) {
    if (in.guard.register_id >= 0) used[static_cast<size_t>(in.guard.register_id)] = true;
  }
  f.register_row.assign(fn.registers.size(), kNoRow);
  for (size_t i = 0; i < fn.registers.size(); ++i) {
    if (!used[i] || fn.registers[i].type != Type::kPred) continue;
    f.register_row[i] = f.frame_bytes;
    f.frame_bytes += 4;
  }
  for (size_t i = 0; i < fn.registers.size(); ++i) {
    if (!used[i] || fn.registers[i].type == Type::kPred) continue;
    f.register_row[i] = f.take_row(bytes(fn.registers[i].type), fn.registers[i].vector);
  }
}

}  // namespace

void layout_memory(Draft& d) {
  layout_parameters(d);
  layout_shared(d);
  for (FunctionDraft& f : d.functions) layout_local(d, f);
  d.program.local_bytes = d.functions[0].local_bytes;
}

void layout_registers(Draft& d) {
  for (FunctionDraft& f : d.functions) layout_rows(f);
}

}  // namespace gpuloom::ptx
