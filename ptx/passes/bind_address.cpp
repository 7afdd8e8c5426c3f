// SPDX-License-Identifier: Apache-2.0
// Binding addresses: symbols, bases with offsets, tensor coordinates.
#include <string>

#include "ptx/exec/memory_view.h"
#include "ptx/passes/bind.h"
#include "ptx/passes/pseudo.h"

namespace gpuloom::ptx {
namespace {

Instr pseudo(LaneFn fn, Place out, Place in, int64_t imm, unsigned width) {
  Instr result;
  result.fn = fn;
  result.ops[0] = out;
  result.ops[1] = in;
  result.imm = imm;
  result.type = width == 4 ? Type::kU32 : Type::kU64;
  result.op_class = static_cast<uint16_t>(OpClass::none);
  return result;
}

}  // namespace

Place Binder::local_base(Cursor& c) {
  if (function_.local_base_row == kNoRow) function_.local_base_row = function_.take_row(8);
  function_.uses_local_base = true;
  const Place place = Place::reg(function_.local_base_row);
  ref(c, place, 8, false, true);
  return place;
}

// Gives base + offset a row of its own.
Place Binder::with_offset(Cursor& c, Place base, unsigned bytes, int64_t offset) {
  const Place out = Place::reg(function_.take_row(bytes));
  c.out->before.push_back(pseudo(offset_address, out, base, offset, bytes));
  const OperandRef def{out, static_cast<uint8_t>(bytes), true, false, 0, 0xff};
  const OperandRef use{base, static_cast<uint8_t>(bytes), false, true, 1, 0xff};
  c.out->before_refs.push_back({use, def});
  return out;
}

// Address of a symbol plus the operand's offset; `in_frame` says that Warp::local_frame must be added.
int64_t Binder::symbol_address(Cursor& c, const Operand& operand, bool& in_frame) {
  in_frame = false;
  if (operand.symbol_kind == SymbolKind::kFunction) {
    return static_cast<int64_t>(kFunctionBase + 16 * uint64_t{operand.id}) + operand.value;
  }
  const Variable* v = operand.variable;
  if (v == nullptr) {
    draft_.problems.unsupported(operand.position, "this symbol has no address that gpuloom models");
    return 0;
  }
  if (const auto it = function_.local_offset.find(v); it != function_.local_offset.end()) {
    in_frame = true;
    return it->second + operand.value;
  }
  if (const auto it = draft_.shared_offset.find(v); it != draft_.shared_offset.end()) {
    return it->second + operand.value;
  }
  if (v->space == Space::kParam || v->space == Space::kParamFunction) {
    for (size_t k = 0; k < draft_.entry.params.size(); ++k) {
      if (&draft_.entry.params[k] == v) return draft_.program.params[k].offset + operand.value;
    }
  }
  // In its state space (PTX ISA, mov): constants begin at 0.
  if (v->space == Space::kConst)
    return static_cast<int64_t>(draft_.resolver.address_of(*v) - kConstWindowBase) + operand.value;
  // The address of a texture, sampler or surface reference is its handle (exec/texture/state.h).
  if (v->space == Space::kGlobal || v->space == Space::kTex) {
    return static_cast<int64_t>(draft_.resolver.address_of(*v)) + operand.value;
  }
  draft_.problems.unsupported(operand.position, "the address of '" + v->name + "' cannot be taken here",
                              std::string("state space ") + std::string(name(v->space)));
  static_cast<void>(c);
  return 0;
}

Place Binder::symbol(Cursor& c, const Operand& operand, Type type) {
  bool in_frame = false;
  const int64_t at = symbol_address(c, operand, in_frame);
  unsigned width = type == Type::kNone ? 8 : row_bytes(type);
  if (!in_frame || function_.function->is_entry) {
    const Place place = draft_.constants.row(width, static_cast<uint64_t>(at));
    ref(c, place, width, false);
    return place;
  }
  if (width != 4) width = 8;
  const Place out = Place::reg(function_.take_row(width));
  c.out->before.push_back(pseudo(local_address, out, {}, at, width));
  c.out->before_refs.push_back({OperandRef{out, static_cast<uint8_t>(width), true, false, 0, 0xff}});
  ref(c, out, width, false);
  return out;
}

Place Binder::address(Cursor& c, const Operand& operand) {
  const bool first = !c.address_seen;
  c.address_seen = true;
  Instr& in = c.out->instr;
  if (operand.kind == OperandKind::kRegister || (operand.has_base && !operand.base_is_symbol)) {
    unsigned width = 8;
    const Place base = register_place(operand.id, operand.component, width);
    if (operand.value != 0 && !first) {
      const Place sum = with_offset(c, base, width, operand.value);
      ref(c, sum, width, false, true);
      return sum;
    }
    if (first) in.imm = operand.kind == OperandKind::kAddress ? operand.value : 0;
    ref(c, base, width, false, true);
    return base;
  }
  bool in_frame = false;
  const bool is_symbol = operand.base_is_symbol || operand.kind == OperandKind::kSymbol;
  int64_t at = is_symbol ? symbol_address(c, operand, in_frame) : operand.value;
  Place base = draft_.constants.row(8, 0);
  // The local frame of the entry begins at 0; kParamFunction addresses are relative to the frame by
  // themselves.
  if (in_frame && !function_.function->is_entry && in.space != Space::kParamFunction) base = local_base(c);
  if (first) {
    in.imm = at;
    if (base.constant()) ref(c, base, 8, false, true);
    return base;
  }
  if (!base.constant()) {
    const Place sum = with_offset(c, base, 8, at);
    ref(c, sum, 8, false, true);
    return sum;
  }
  base = draft_.constants.row(8, static_cast<uint64_t>(at));
  ref(c, base, 8, false, true);
  return base;
}

// [address, {coordinates} ...]: a row for the address, then everything else in order.
Place Binder::tensor(Cursor& c, const Operand& operand) {
  std::vector<Place> places;
  const bool had_address = c.address_seen;
  c.element = 0;
  c.address_seen = true;  // offsets go into the row: Instr::imm belongs to plain addresses
  places.push_back(address(c, children(operand)[0]));
  c.address_seen = had_address;
  for (uint32_t k = 1; k < operand.child_count; ++k) {
    const Operand& child = children(operand)[k];
    c.element = static_cast<uint8_t>(places.size());
    if (child.kind == OperandKind::kVector || child.kind == OperandKind::kList) {
      for (uint32_t j = 0; j < child.child_count; ++j) {
        c.element = static_cast<uint8_t>(places.size());
        places.push_back(scalar(c, children(child)[j], Type::kB32, false));
      }
    } else if (child.kind == OperandKind::kRegister && child.component == 0xff &&
               function_.function->registers[child.id].vector > 1) {
      for (unsigned j = 0; j < function_.function->registers[child.id].vector; ++j) {
        unsigned width = 0;
        c.element = static_cast<uint8_t>(places.size());
        places.push_back(register_place(child.id, j, width));
        ref(c, places.back(), width, false);
      }
    } else {
      // A symbol is the handle of a sampler.
      const bool handle = child.kind == OperandKind::kSymbol || child.kind == OperandKind::kAddress;
      places.push_back(scalar(c, child, handle ? Type::kB64 : Type::kB32, false));
    }
  }
  c.element = 0xff;
  std::vector<Place>& extra = draft_.program.extra;
  const auto at = static_cast<uint32_t>(extra.size());
  extra.insert(extra.end(), places.begin(), places.end());
  if (!c.extra_seen) {
    c.extra_seen = true;
    c.out->instr.extra = at;
    c.out->instr.vec = static_cast<uint8_t>(places.size() - 1);
  }
  return {static_cast<int32_t>(at)};
}

}  // namespace gpuloom::ptx
