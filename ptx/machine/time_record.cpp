// SPDX-License-Identifier: Apache-2.0
#include "ptx/machine/time_record.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string_view>

#include "ptx/exec/memory_view.h"
#include "ptx/isa/table/form.h"
#include "ptx/machine/machine_program.h"
#include "ptx/machine/row_facts.h"
#include "ptx/passes/instr_questions.h"

namespace gpuloom::ptx {
namespace {

// The written instruction behind an operation; nothing where it has none.
struct Written {
  const Function* function = nullptr;
  const Instruction* instruction = nullptr;
  Written(const Program& program, uint32_t source) {
    const InstrSource& from = program.sources[program.code[source].source];
    function = from.function;
    if (function != nullptr) instruction = &function->instructions[from.instruction];
  }
  explicit operator bool() const { return instruction != nullptr; }
  FormUse use() const { return {*instruction->form, *instruction, function}; }
  std::string_view mnemonic() const { return instruction->form->instruction->mnemonic; }
  const Operand& operand(uint32_t k) const { return function->operand_pool[instruction->first_operand + k]; }
};

// Reads a special register that differs from lane to lane: thread indices, %laneid, lane masks.
bool reads_lane_register(const Program& program, uint32_t source) {
  if (program.code[source].kind == InstrKind::kAtomic) return true;  // %laneid, to elect one
  const Written written(program, source);
  if (!written) return false;
  const auto first = written.function->operand_pool.begin() + written.instruction->first_operand;
  return std::any_of(first, first + written.instruction->operand_count, [](const Operand& o) {
    return o.kind == OperandKind::kSpecialRegister &&
           info(static_cast<SpecialRegister>(o.id)).kind == SpecialKind::kLane;
  });
}

bool through_register(const Program& program, const MachineOp& op) {
  if (op.op == OpClass::brx || op.op == OpClass::ret) return true;
  const Instr& in = program.code[op.source];
  return op.op == OpClass::call && in.kind == InstrKind::kCall && in.extra < program.calls.size() &&
         program.calls[in.extra].function == UINT32_MAX;
}

// Adding one to a word is an operation of its own (ATOMS.POPC.INC), in which lanes of one word go together.
SharedAtomic shared_atomic_of(const Program& program, const MachineOp& op) {
  if (updates_global(op.op)) return SharedAtomic::kWindow;
  if (op.op != OpClass::atoms) return SharedAtomic::kNone;
  const Written written(program, op.source);
  if (!written) return SharedAtomic::kPlain;
  const FormUse use = written.use();
  if (use.mod(".op") == ".cas") return SharedAtomic::kCompareSwap;
  const Operand& last = written.operand(written.instruction->operand_count - 1u);
  const bool one = last.kind == OperandKind::kImmediate && last.value == 1;
  return use.mod(".op") == ".add" && one ? SharedAtomic::kIncrement : SharedAtomic::kPlain;
}

uint8_t combines(const Program& program, const MachineOp& op) {
  if (!updates_global(op.op)) return 0;
  const Written written(program, op.source);
  if (!written) return 0;
  constexpr std::string_view kCombined[] = {".add", ".min", ".max", ".and", ".or", ".xor"};
  const auto* const at = std::find(std::begin(kCombined), std::end(kCombined), written.use().mod(".op"));
  return at == std::end(kCombined) ? uint8_t{0} : static_cast<uint8_t>(at - std::begin(kCombined) + 1);
}

// n of ".m64n128k16".
uint16_t columns(std::string_view shape) {
  uint16_t n = 0;
  const size_t at = shape.find('n');
  if (at != std::string_view::npos) std::from_chars(shape.data() + at + 1, shape.data() + shape.size(), n);
  return n;
}

void add_matrix(const Written& written, TimeRecord& record) {
  const FormUse use = written.use();
  record.matrix.columns = columns(use.mod(".shape"));
  record.matrix.sparse = written.mnemonic() == "wgmma.mma_async.sp";
  record.matrix.both_shared = use.form().operands[1].shape != OperandShape::kList;
}

void add_matrix_order(const Written& written, TimeRecord& record) {
  if (written.mnemonic() == "wgmma.commit_group") record.matrix_order = MatrixOrder::kCommit;
  if (written.mnemonic() != "wgmma.wait_group") return;
  record.matrix_order = MatrixOrder::kWait;
  record.matrix_groups =
      static_cast<uint8_t>(std::min<uint64_t>(255, static_cast<uint64_t>(written.operand(0).value)));
}

// Instr::aux of a fence is its scope. In front of a release it has the access's; one in front of a cluster
// barrier's arrival has the whole GPU's (SASS: MEMBAR.ALL.GPU), as one in front of a proxy fence that does
// not name shared::cta.
Scope fence_scope_of(const Program& program, uint32_t source) {
  const Instr& in = program.code[source];
  const Written written(program, source);
  const bool proxies = class_of(in) == OpClass::fence_async && written;
  if (in.kind == InstrKind::kFence && !proxies) return static_cast<Scope>(in.aux);
  if (in.kind == InstrKind::kClusterBarrier || !written) return Scope::kGpu;
  const FormUse use = written.use();
  if (proxies) return use.has(".shared::cta") ? Scope::kCta : Scope::kGpu;
  if (use.has(".sys")) return Scope::kSys;
  return use.has(".cta") ? Scope::kCta : Scope::kGpu;
}

bool acquires_map(const Program& program, uint32_t source) {
  const Written written(program, source);
  return written && written.use().form().syntax.starts_with("fence.proxy.tensormap::generic.acquire");
}

// The member mask is the last operand of all that have one.
void add_masks(const Instr& in, TimeRecord& record) {
  for (const Place place : in.ops)
    if (place.present()) record.mask = place;
  record.splits = in.kind == InstrKind::kBranch;
}

// Of a load from the constant bank. Parameters lie in a bank of their own.
void add_constant(const Instr& in, TimeRecord& record) {
  record.constant_base = in.ops[1];
  record.wide = (in.target & 3) != 1;  // else the address stands in a register of 32 bits
  record.constant_displace =
      static_cast<uint64_t>(in.imm) + (in.space == Space::kConst ? kConstWindowBase : 0);
}

// Instr::imm holds the number of groups, Instr::aux how to wait: ptx/isa/async/cp_async.cpp and
// cp_async_bulk.cpp.
CopyWait copy_wait(const Instr& in) {
  CopyWait wait;
  wait.waits = in.kind == InstrKind::kAsyncWait;
  wait.bulk = (in.aux & 4) != 0;
  wait.groups = !wait.bulk && (in.aux & 2) != 0 ? UINT32_MAX : static_cast<uint32_t>(in.imm);
  wait.read = wait.bulk && (in.aux & 1) != 0;
  return wait;
}

TimeRecord record_of(const Program& program, const MachineOp& op) {
  const Instr& in = program.code[op.source];
  TimeRecord record;
  record.guard = in.guard;
  record.guard_negated = in.guard_negated;
  record.names_no_space = in.space == Space::kGeneric;
  record.through_register = through_register(program, op);
  record.shared_atomic = shared_atomic_of(program, op);
  record.combines = combines(program, op);
  const Written written(program, op.source);
  switch (op.op) {
    case OpClass::s2r:
      record.reads_lane = reads_lane_register(program, op.source);
      break;
    case OpClass::warpsync:
      add_masks(in, record);
      break;
    case OpClass::acqbulk:  // griddepcontrol: Instr::aux is 1 for a wait
      record.waits_for_grids = in.aux != 0;
      break;
    case OpClass::fence_async:
      record.acquires_map = acquires_map(program, op.source);
      break;
    case OpClass::membar:
      record.fence_scope = fence_scope_of(program, op.source);
      break;
    case OpClass::match:
      if (!in.ops[3].present()) record.same = in.ops[0];
      record.wide = bytes(in.type) == 8;
      break;
    case OpClass::ldc:
      if (op.uniform != 0 && op.memory != 0) add_constant(in, record);
      break;
    case OpClass::depbar:
    case OpClass::utmacmdflush:
      record.copies = copy_wait(in);
      break;
    case OpClass::wgmma:
      if (written) add_matrix(written, record);
      break;
    case OpClass::warpgroup:
      if (written) add_matrix_order(written, record);
      break;
    default:
      break;
  }
  return record;
}

InstructionRecord record_of(const Instr& in) {
  // ptx/passes/groups makes branches of that class.
  return {is_memory(in) && !takes_no_work(in),
          in.kind == InstrKind::kBranch && class_of(in) == OpClass::warpsync};
}

}  // namespace

void make_time_records(const Program& program, MachineProgram& machine) {
  machine.records.clear();
  machine.records.reserve(machine.ops.size());
  for (const MachineOp& op : machine.ops) machine.records.push_back(record_of(program, op));
  machine.instructions.clear();
  machine.instructions.reserve(program.code.size());
  for (const Instr& in : program.code) machine.instructions.push_back(record_of(in));
}

}  // namespace gpuloom::ptx
