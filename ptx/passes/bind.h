// SPDX-License-Identifier: Apache-2.0
// Binding one instruction's operands to places.
#pragma once
#include <cstdint>
#include <vector>

#include "ptx/isa/table/form.h"
#include "ptx/passes/draft.h"

namespace gpuloom::ptx {

// What decoding one instruction yields: pseudo-instructions that must run before it, itself, and the rows
// that it reads and writes.
struct BoundInstr {
  Instr instr;
  std::vector<OperandRef> refs;
  std::vector<Instr> before;  // local_address, offset_address
  std::vector<std::vector<OperandRef>> before_refs;
};

// Bytes of a register row of this type; a predicate has none: it is a mask.
inline unsigned row_bytes(Type type) { return type == Type::kPred ? 0 : bytes(type); }

// The set `.type`, or the first modifier that names a type.
Type main_type(const FormUse& use);

class Binder {
 public:
  Binder(Draft& draft, FunctionDraft& function) : draft_(draft), function_(function) {}
  BoundInstr bind(const FormUse& use);
  // The place of a register, as an operand of `bytes_out` a lane (0 for a predicate).
  Place register_place(uint32_t id, unsigned component, unsigned& bytes_out);

 private:
  struct Cursor {
    BoundInstr* out = nullptr;
    const FormUse* use = nullptr;
    unsigned place = 0;         // next of Instr::ops
    bool address_seen = false;  // Instr::imm is taken
    bool extra_seen = false;
    uint8_t element = 0xff;  // of the vector operand being bound
  };
  void put(Cursor& c, Place place);
  void bind_slot(Cursor& c, const OperandSlot& slot, const Operand& operand);
  Place scalar(Cursor& c, const Operand& operand, Type type, bool defines);
  Place symbol(Cursor& c, const Operand& operand, Type type);
  Place address(Cursor& c, const Operand& operand);
  Place list(Cursor& c, const OperandSlot& slot, const Operand& operand, Type type);
  Place vector(Cursor& c, const Operand& operand, Type type, bool defines);
  Place tensor(Cursor& c, const Operand& operand);
  Place sink(Cursor& c, unsigned bytes, bool defines);
  Place local_base(Cursor& c);
  Place with_offset(Cursor& c, Place base, unsigned bytes, int64_t offset);
  int64_t symbol_address(Cursor& c, const Operand& operand, bool& in_frame);
  void ref(Cursor& c, Place place, unsigned bytes, bool defines, bool is_address = false);
  Type slot_type(const FormUse& use, const OperandSlot& slot) const;
  const Operand* children(const Operand& operand) const;

  Draft& draft_;
  FunctionDraft& function_;
};

}  // namespace gpuloom::ptx
