// SPDX-License-Identifier: Apache-2.0
// Instructions of the module become records of the program, entry first.
#include <algorithm>
#include <string>

#include "ptx/exec/syscalls.h"
#include "ptx/passes/bind.h"
#include "ptx/passes/draft.h"
#include "ptx/passes/pseudo.h"
#include "ptx/passes/synthesize.h"

namespace gpuloom::ptx {

namespace {

class FunctionDecoder {
 public:
  FunctionDecoder(Draft& draft, uint32_t index)
      : draft_(draft),
        program_(draft.program),
        f_(draft.functions[index]),
        binder_(draft, f_),
        index_(index) {}

  void run() {
    const Function& fn = *f_.function;
    FunctionCode& code = program_.functions[index_];
    code.function = &fn;
    code.entry = static_cast<uint32_t>(program_.code.size());
    for (uint32_t i = 0; i < fn.instructions.size(); ++i) {
      first_of_.push_back(static_cast<uint32_t>(program_.code.size()));
      decode(i);
    }
    first_of_.push_back(static_cast<uint32_t>(program_.code.size()));
    // Control that runs off the end returns (PTX ISA 9.7.12.6 asks for a ret; ptxas adds one).
    if (fn.instructions.empty() || !leaves(fn)) {
      const uint32_t last = fn.instructions.empty() ? 0 : static_cast<uint32_t>(fn.instructions.size() - 1);
      append(synthesize("ret", {}, {}), {}, last);
    }
    if (f_.uses_local_base) insert_local_base();
    code.end = static_cast<uint32_t>(program_.code.size());
    resolve_targets();
    code.frame_bytes = (f_.frame_bytes + 63) / 64 * 64;
    code.local_bytes = f_.local_bytes;
    for (const auto& [reg, row] : f_.special_row) code.specials.push_back({reg, Place::reg(row)});
    formals(fn.params, code.params);
    formals(fn.returns, code.returns);
  }

 private:
  bool leaves(const Function& fn) const {
    for (const Label& label : fn.labels) {
      if (label.instruction == fn.instructions.size()) return false;
    }
    const Instr& last = program_.code.back();
    const bool ends = last.kind == InstrKind::kReturn || last.kind == InstrKind::kExit ||
                      last.kind == InstrKind::kTrap || last.kind == InstrKind::kBranch;
    return ends && !last.guard.present();
  }

  void append(const Instr& in, const std::vector<OperandRef>& refs, uint32_t source_instruction) {
    const Function& fn = *f_.function;
    InstrSource source;
    source.function = &fn;
    source.instruction = source_instruction;
    if (source_instruction < fn.instructions.size()) {
      source.position = fn.instructions[source_instruction].position;
      source.source_line = fn.instructions[source_instruction].source_line;
    }
    program_.code.push_back(in);
    program_.code.back().source = static_cast<uint32_t>(program_.sources.size());
    program_.sources.push_back(source);
    program_.ref_begin.push_back(static_cast<uint32_t>(program_.refs.size()));
    program_.refs.insert(program_.refs.end(), refs.begin(), refs.end());
  }

  void decode(uint32_t i) {
    const Function& fn = *f_.function;
    const Instruction& instruction = fn.instructions[i];
    const Form& form = *instruction.form;
    const FormUse use(form, instruction, &fn);
    BoundInstr bound = binder_.bind(use);
    for (size_t k = 0; k < bound.before.size(); ++k) append(bound.before[k], bound.before_refs[k], i);
    Instr& in = bound.instr;
    in.fn = form.meaning != nullptr ? form.meaning(use) : form.fixed_meaning;
    in.op_class = static_cast<uint16_t>(form.op_of != nullptr ? form.op_of(use) : form.op);
    in.uniform = use.has(".uni") ? 1 : 0;
    if (in.kind == InstrKind::kCall) bind_call(use, bound);
    if (in.kind == InstrKind::kBranch) bind_branch(use, in);
    if (form.encode != nullptr) form.encode(use, in);
    note_barrier(in);
    if (in.fn == nullptr) {
      draft_.problems.unsupported(instruction.position,
                                  "'" + form.instruction->mnemonic + "' has no meaning in this form",
                                  "form: " + form.syntax);
    }
    append(in, bound.refs, i);
  }

  void note_barrier(const Instr& in) {
    if (in.kind != InstrKind::kBarrier) return;
    program_.uses_barriers = true;
    uint64_t id = 0;
    uint32_t count = 1;
    if (in.ops[0].present()) {
      // The barrier is the first operand of bar.sync and its kin, the second of bar.red (after the result).
      const Place which = in.ops[0].constant() ? in.ops[0] : in.ops[1];
      count =
          draft_.constants.value_of(which, id) && in.ops[0].constant() ? static_cast<uint32_t>(id) + 1 : 16;
    }
    program_.barrier_count = std::max(program_.barrier_count, count);
  }

  void bind_branch(const FormUse& use, Instr& in) {
    const Function& fn = *f_.function;
    for (unsigned k = 0; k < use.operand_count(); ++k) {
      const Operand& op = use.operand(k);
      if (op.kind == OperandKind::kLabel) in.target = op.id;  // resolved when all is decoded
      if (op.kind == OperandKind::kSymbol && op.symbol_kind == SymbolKind::kBranchTargets) {
        in.extra = static_cast<uint32_t>(program_.branch_tables.size());
        std::vector<uint32_t> table;
        for (const std::string& name : fn.branch_targets[op.id].targets) table.push_back(label_named(name));
        program_.branch_tables.push_back(std::move(table));
        tables_.push_back(in.extra);
      }
    }
  }

  uint32_t label_named(const std::string& name) const {
    const std::vector<Label>& labels = f_.function->labels;
    for (uint32_t k = 0; k < labels.size(); ++k) {
      if (labels[k].name == name) return k;
    }
    return 0;  // the parser has refused it
  }

  CallValue actual(const Operand& op, bool defines, BoundInstr& bound) {
    CallValue value;
    if (op.variable != nullptr) {
      const auto it = f_.local_offset.find(op.variable);
      if (it != f_.local_offset.end()) value.local = it->second;
      value.bytes = static_cast<uint32_t>(op.variable->size_bytes);
      return value;
    }
    if (op.kind == OperandKind::kRegister) {
      unsigned width = 0;
      value.row = binder_.register_place(op.id, op.component, width);
      value.bytes = width;
      bound.refs.push_back({value.row, static_cast<uint8_t>(width), defines, false, kInstrPlaces + 1, 0xff});
    } else if (op.kind == OperandKind::kImmediate) {
      const unsigned width = bytes(op.immediate_type) == 4 ? 4 : 8;
      value.row = draft_.constants.row(width, static_cast<uint64_t>(op.value));
      value.bytes = width;
    }
    return value;
  }

  void bind_call(const FormUse& use, BoundInstr& bound) {
    const Function& fn = *f_.function;
    CallSite site;
    program_.uses_calls = true;
    bool callee_seen = false;
    const Form& form = use.form();
    for (unsigned k = 0; k < form.operands.size() && k < use.operand_count(); ++k) {
      const Operand& op = use.operand(k);
      if (form.operands[k].shape == OperandShape::kFunction) {
        callee_seen = true;
        if (op.kind == OperandKind::kRegister) site.address = bound.instr.ops[k];
        if (op.symbol_kind == SymbolKind::kFunction) bind_callee(op, site);
      } else if (form.operands[k].shape == OperandShape::kCallList) {
        for (uint32_t j = 0; j < op.child_count; ++j) {
          const Operand& child = fn.operand_pool[op.first_child + j];
          (callee_seen ? site.arguments : site.results).push_back(actual(child, !callee_seen, bound));
        }
      }
    }
    bound.instr.extra = static_cast<uint32_t>(program_.calls.size());
    bound.instr.target = UINT32_MAX;
    program_.calls.push_back(std::move(site));
  }

  void bind_callee(const Operand& op, CallSite& site) {
    const Function& callee = draft_.module.functions[op.id];
    const auto it = draft_.function_index.find(&callee);
    if (it != draft_.function_index.end()) {
      site.function = it->second;
    } else {
      site.external = callee.name;  // collect refused what is not known
    }
  }

  void formals(const std::vector<Variable>& variables, std::vector<CallValue>& out) {
    if (f_.function->is_entry) return;
    for (const Variable& v : variables) {
      CallValue value;
      value.bytes = static_cast<uint32_t>(v.size_bytes);
      if (v.space == Space::kReg) {
        for (uint32_t id = 0; id < f_.function->registers.size(); ++id) {
          if (f_.function->registers[id].name != v.name || f_.register_row[id] == kNoRow) continue;
          unsigned width = 0;
          value.row = binder_.register_place(id, 0xff, width);
          value.bytes = width;
          break;
        }
      } else {
        value.local = f_.local_offset.at(&v);
      }
      out.push_back(value);
    }
  }

  // The function's first instruction fills the row that local symbols are relative to.
  void insert_local_base() {
    FunctionCode& code = program_.functions[index_];
    Instr in;
    in.fn = local_address;
    in.ops[0] = Place::reg(f_.local_base_row);
    in.type = Type::kU64;
    append(in, {OperandRef{in.ops[0], 8, true, false, 0, 0xff}}, 0);
    // Appended last: rotate to the front. Targets are still labels, so nothing else moves.
    const auto at = static_cast<ptrdiff_t>(code.entry);
    std::rotate(program_.code.begin() + at, program_.code.end() - 1, program_.code.end());
    std::rotate(program_.sources.begin() + at, program_.sources.end() - 1, program_.sources.end());
    for (size_t k = code.entry; k < program_.code.size(); ++k)
      program_.code[k].source = static_cast<uint32_t>(k);
    rotate_refs(code.entry);
    for (uint32_t& first : first_of_) ++first;
    first_of_[0] = code.entry;
  }

  void rotate_refs(uint32_t entry) {
    const uint32_t begin = program_.ref_begin[entry];
    std::vector<uint32_t>& starts = program_.ref_begin;
    const OperandRef moved = program_.refs.back();
    program_.refs.pop_back();
    program_.refs.insert(program_.refs.begin() + begin, moved);
    starts.pop_back();
    for (size_t k = entry; k < starts.size(); ++k) ++starts[k];
    starts.insert(starts.begin() + entry, begin);
  }

  void resolve_targets() {
    const FunctionCode& code = program_.functions[index_];
    const std::vector<Label>& labels = f_.function->labels;
    const auto position = [&](uint32_t label) {
      return label < labels.size() ? first_of_[labels[label].instruction] : code.entry;
    };
    for (uint32_t k = code.entry; k < code.end; ++k) {
      Instr& in = program_.code[k];
      if (in.kind == InstrKind::kBranch) in.target = position(in.target);
    }
    for (const uint32_t table : tables_) {
      for (uint32_t& target : program_.branch_tables[table]) target = position(target);
    }
  }

  Draft& draft_;
  Program& program_;
  FunctionDraft& f_;
  Binder binder_;
  uint32_t index_;
  std::vector<uint32_t> first_of_;  // program index of each instruction's first record; one more at the end
  std::vector<uint32_t> tables_;    // of this function
};

}  // namespace

void decode_functions(Draft& d) {
  d.program.functions.resize(d.functions.size());
  for (uint32_t k = 0; k < d.functions.size(); ++k) FunctionDecoder(d, k).run();
  d.program.ref_begin.push_back(static_cast<uint32_t>(d.program.refs.size()));
  for (Instr& in : d.program.code) {
    if (in.kind != InstrKind::kCall || in.target != UINT32_MAX) continue;
    const CallSite& site = d.program.calls[in.extra];
    in.target = site.function != UINT32_MAX ? d.program.functions[site.function].entry : 0;
  }
}

}  // namespace gpuloom::ptx
