// SPDX-License-Identifier: Apache-2.0
#include "ptx/passes/pipeline.h"

#include "base/error.h"
#include "ptx/exec/memory_view.h"
#include "ptx/passes/draft.h"
#include "ptx/passes/program_result.h"

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

namespace {

bool for_lowering(const Draft& d) { return !d.options.reuse_rows; }

// The order of the passes. Each file says what it needs and leaves behind. Timing tells values apart by their
// rows: what is for lowering leaves them apart, and rows are reused after it.
constexpr auto kRequired = PassKind::kRequired;
constexpr auto kOptional = PassKind::kOptional;
constexpr auto kChangesBits = PassKind::kChangesBits;
constexpr Pass<Draft> kPasses[] = {
    {{"collect", "what can run, and whether gpuloom models all of it", kRequired},
     [](Draft& d) {
       collect_functions(d);
       d.problems.throw_if_any();
     }},
    {{"layout", "parameters, shared and local memory, rows of registers", kRequired},
     [](Draft& d) {
       layout_memory(d);
       layout_registers(d);
     }},
    {{"decode", "instructions, operands, calls", kRequired},
     [](Draft& d) {
       decode_functions(d);
       d.problems.throw_if_any();
     }},
    {{"promote", "words of local memory at constant offsets become registers", kOptional},
     promote_local_memory,
     [](const Draft& d) { return d.options.runs("dead_code"); }},
    // A dead use of a product does not keep it.
    {{"dead_code", "what nobody reads goes", kChangesBits}, remove_dead_code},
    {{"divide", "approximate division by a constant is a product", kChangesBits}, fold_constant_divisors},
    // A product is a value, whatever else its register holds.
    {{"split_webs", "one register, one value", kChangesBits},
     split_webs,
     [](const Draft& d) { return d.options.runs("contract"); }},
    {{"contract", "mul + add is fma where no modifier forbids it", kChangesBits}, contract_multiply_add},
    {{"dead_code", "what nobody reads goes", kChangesBits},
     remove_dead_code,
     [](const Draft& d) { return d.options.runs("contract"); }},
    {{"returns", "jumps to a bare return are returns", kOptional},
     [](Draft& d) { return_in_place(d.program); }},
    {{"jumps", "a condition and its opposite are one jump", kOptional},
     [](Draft& d) { simplify_jumps(d.program); },
     [](const Draft& d) { return d.options.runs("if_convert"); }},
    {{"if_convert", "short skipped blocks become guarded instructions", kOptional},
     [](Draft& d) { convert_short_branches(d.program, d.options.habits.predicate); }},
    {{"unroll", "small counted loops run four iterations at a time", kOptional}, unroll_loops},
    {{"split_webs", "one register, one value", kChangesBits}, split_webs, for_lowering},
    {{"constant_copies", "moves from registers that hold one constant move it", kOptional},
     move_constants_themselves,
     for_lowering},
    {{"predicate_copies", "a condition that goes through an integer is itself", kOptional},
     share_copied_predicates,
     for_lowering},
    {{"reassociate_addresses", "sums that differ by constants are one, with offsets", kOptional},
     reassociate_addresses,
     for_lowering},
    {{"copy_distances", "far addresses of copies to shared memory are near each other", kOptional},
     share_distances_of_copies,
     for_lowering},
    {{"share_loads", "a load of an address whose value is known is not made again", kOptional},
     [](Draft& d) { share_loads(d.program); },
     for_lowering},
    {{"share_special_registers", "what is made of special registers is made once a block", kOptional},
     [](Draft& d) { share_special_values(d.program); },
     [](const Draft& d) { return for_lowering(d) && d.options.runs("dead_code"); }},
    {{"lift_over_skipped", "what follows a skipped block moves in front of its branch", kOptional},
     [](Draft& d) { lift_over_skipped_blocks(d.program); },
     for_lowering},
    {{"sink_loads", "a load that one side of a branch needs moves there", kOptional},
     [](Draft& d) { sink_loads_behind_branches(d.program); },
     for_lowering},
    {{"groups", "lanes of one mask go apart for what they do together", kOptional},
     split_groups,
     for_lowering},
    {{"control_flow", "blocks, post-dominators, places where lanes meet", kRequired},
     [](Draft& d) { build_control_flow(d.program); }},
    {{"parameters", "parameters are loaded behind the clock read in front of their user", kOptional},
     [](Draft& d) { load_parameters_behind_clocks(d.program); },
     for_lowering},
    {{"reuse_rows", "registers that never live together share a row", kRequired},
     [](Draft& d) { reuse_rows(d.program); },
     [](const Draft& d) { return d.options.reuse_rows; }},
};

}  // namespace

std::vector<PassInfo> program_passes() {
  std::vector<PassInfo> out;
  for (const Pass<Draft>& pass : kPasses) out.push_back(pass.info);
  return out;
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
  run_passes<Draft>(kPasses, draft, options.control, [](const Draft& d) { return ProgramResult(d.program); });
  return program;
}

}  // namespace gpuloom::ptx
