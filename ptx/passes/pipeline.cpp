// SPDX-License-Identifier: Apache-2.0
#include "ptx/passes/pipeline.h"

#include "base/error.h"
#include "ptx/exec/memory_view.h"
#include "ptx/passes/draft.h"

namespace gpuloom::ptx {

uint64_t OffsetResolver::address_of(const Variable& variable) const {
  uint64_t global = kGlobalBase, constant = kConstWindowBase;
  for (const Variable& v : module_->variables) {
    uint64_t& at = v.space == Space::kConst ? constant : global;
    if (v.space != Space::kConst && v.space != Space::kGlobal) continue;
    const uint64_t align = v.align_bytes == 0 ? 1 : v.align_bytes;
    at = (at + align - 1) / align * align;
    if (&v == &variable) return at;
    at += v.size_bytes;
  }
  return global;
}

std::unique_ptr<Program> build_program(const Module& module, const Function& entry,
                                       const SymbolResolver& resolver, const PassOptions& options) {
  if (!entry.is_entry || !entry.has_body) {
    throw Error(ErrorKind::kInput, "'" + entry.name + "' is not a kernel with a body",
                {module.file_name, entry.position.line, entry.position.column});
  }
  auto program = std::make_unique<Program>();
  program->name = entry.name;
  program->module = &module;
  Draft draft(module, entry, resolver, options, *program);
  // The order of the passes. Each file says what it needs and leaves behind.
  collect_functions(draft);
  draft.problems.throw_if_any();
  layout_memory(draft);
  layout_registers(draft);
  decode_functions(draft);
  draft.problems.throw_if_any();
  if (options.dead_code && options.promote) promote_local_memory(draft);
  if (options.dead_code) remove_dead_code(draft);  // a dead use of a product does not keep it
  if (options.fold_divisors) fold_constant_divisors(draft);
  if (options.contract) {
    split_webs(draft);  // a product is a value, whatever else its register holds
    contract_multiply_add(draft);
    if (options.dead_code) remove_dead_code(draft);
  }
  return_in_place(*program);
  if (options.if_convert) {
    simplify_jumps(*program);
    convert_short_branches(*program, options.habits.predicate);
  }
  if (options.unroll) unroll_loops(draft);
  // Timing tells values apart by their rows; rows are reused after lowering.
  if (!options.reuse_rows) {
    split_webs(draft);
    move_constants_themselves(draft);
    share_copied_predicates(draft);
    reassociate_addresses(draft);
    if (options.dead_code && options.share) share_special_values(*program);
    if (options.groups) split_groups(draft);
  }
  build_control_flow(*program);
  if (!options.reuse_rows && options.parameters) load_parameters_behind_clocks(*program);
  if (options.reuse_rows) reuse_rows(*program);
  return program;
}

}  // namespace gpuloom::ptx
