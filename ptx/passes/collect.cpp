// SPDX-License-Identifier: Apache-2.0
// What an entry can run: the functions it calls or whose address it takes, and whether gpuloom models each of
// their instructions.
#include <algorithm>
#include <string>

#include "ptx/exec/syscalls.h"
#include "ptx/isa/table/form.h"
#include "ptx/passes/draft.h"

namespace gpuloom::ptx {

namespace {

class Collector {
 public:
  explicit Collector(Draft& draft) : draft_(draft) {}

  void run() {
    reach(&draft_.entry);
    size_t scanned = 0;
    const auto scan_new = [&] {
      for (; scanned < draft_.functions.size(); ++scanned) scan(*draft_.functions[scanned].function);
    };
    scan_new();
    if (calls_by_address_) {
      reach_addresses();
      scan_new();
    }
    draft_.program.function_of.assign(draft_.module.functions.size(), UINT32_MAX);
    for (size_t i = 0; i < draft_.module.functions.size(); ++i) {
      const auto it = draft_.function_index.find(definition(draft_.module.functions[i]));
      if (it != draft_.function_index.end()) draft_.program.function_of[i] = it->second;
    }
  }

 private:
  // Declared first and defined later: two records of one name. The one with the body counts. An alias (PTX
  // ISA 11.6.6) stands for its target.
  const Function* definition(const Function& f) const {
    if (f.has_body) return &f;
    std::string_view name = f.name;
    for (const Alias& alias : draft_.module.aliases) {
      if (alias.name == name) name = alias.target;
    }
    for (const Function& other : draft_.module.functions) {
      if (other.has_body && other.name == name) return &other;
    }
    return &f;
  }

  void reach(const Function* f) {
    if (draft_.function_index.count(f) != 0) return;
    draft_.function_index.emplace(f, static_cast<uint32_t>(draft_.functions.size()));
    draft_.functions.emplace_back();
    draft_.functions.back().function = f;
  }

  void reach_named(const Function& declared, Position at) {
    const Function* f = definition(declared);
    if (f->is_entry) return;  // for the device runtime to launch
    if (f->has_body) {
      reach(f);
      if (f != &declared) draft_.function_index[&declared] = draft_.function_index[f];
      return;
    }
    if (is_external_function(f->name)) return;
    const std::string_view name = f->name;
    const bool device_runtime = name.rfind("__cudaCDP", 0) == 0 || name.rfind("cuda", 0) == 0;
    if (device_runtime) {
      draft_.problems.unsupported(
          at, "call of '" + f->name + "': this function of the device runtime is not modelled yet",
          "call it from the host, or leave it out");
    } else {
      draft_.problems.unsupported(at,
                                  "call of '" + f->name + "', which this module declares but does not define",
                                  "name the file that defines it too: gpuloom run a.ptx b.ptx, or the "
                                  "program that nvcc -rdc=true links");
    }
  }

  // Other kernels of the module may have left the address in memory: an object's virtual functions, say.
  void reach_addresses() {
    for (const Variable& v : draft_.module.variables) reach_initialiser(v);
    for (const Function& f : draft_.module.functions)
      for (const Instruction& in : f.instructions) {
        if (in.form->kind == InstrKind::kCall) continue;
        for (unsigned k = 0; k < in.operand_count; ++k) {
          const Operand& op = f.operand_pool[in.first_operand + k];
          if (op.symbol_kind == SymbolKind::kFunction && op.id < draft_.module.functions.size())
            reach_named(draft_.module.functions[op.id], op.position);
        }
      }
  }

  void reach_initialiser(const Variable& v) {
    if (std::find(seen_.begin(), seen_.end(), &v) != seen_.end()) return;
    seen_.push_back(&v);
    for (const Relocation& r : v.relocations) {
      if (const Function* f = draft_.module.find_function(r.symbol)) reach_named(*f, v.position);
      if (const Variable* other = draft_.module.find_variable(r.symbol)) reach_initialiser(*other);
    }
  }

  void scan(const Function& f) {
    for (const Instruction& in : f.instructions) {
      const Form& form = *in.form;
      if (!form.not_modelled.empty()) {
        draft_.problems.unsupported(in.position, "'" + form.instruction->mnemonic + "': " + form.not_modelled,
                                    "form: " + form.syntax);
      }
      calls_by_address_ = calls_by_address_ || (form.kind == InstrKind::kCall && by_address(f, in));
    }
    for (const LabelList& list : f.call_targets) {
      for (const std::string& name : list.targets) {
        if (const Function* g = draft_.module.find_function(name)) reach_named(*g, list.position);
      }
    }
    for (const Operand& op : f.operand_pool) {
      if (op.symbol_kind == SymbolKind::kFunction && op.id < draft_.module.functions.size()) {
        reach_named(draft_.module.functions[op.id], op.position);
      }
      if (op.variable != nullptr && !op.variable->relocations.empty()) reach_initialiser(*op.variable);
    }
  }

  static bool by_address(const Function& f, const Instruction& in) {
    for (unsigned k = 0; k < in.operand_count && k < in.form->operands.size(); ++k)
      if (in.form->operands[k].shape == OperandShape::kFunction)
        return f.operand_pool[in.first_operand + k].kind == OperandKind::kRegister;
    return false;
  }

  Draft& draft_;
  std::vector<const Variable*> seen_;
  bool calls_by_address_ = false;
};

}  // namespace

void collect_functions(Draft& draft) { Collector(draft).run(); }

}  // namespace gpuloom::ptx
