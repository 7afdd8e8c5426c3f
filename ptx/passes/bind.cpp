// SPDX-License-Identifier: Apache-2.0
#include "ptx/passes/bind.h"

#include <algorithm>
#include <string>

#include "ptx/passes/immediate.h"

namespace gpuloom::ptx {

const Operand* Binder::children(const Operand& operand) const {
  return function_.function->operand_pool.data() + operand.first_child;
}

Type Binder::slot_type(const FormUse& use, const OperandSlot& slot) const {
  if (slot.type != Type::kNone || slot.type_slot < 0) return slot.type;
  const auto k = static_cast<size_t>(static_cast<uint8_t>(slot.type_slot));
  const unsigned chosen = use.instruction().mods[k];
  return chosen == 0 ? Type::kNone : use.form().mods[k].values[chosen - 1].type;
}

namespace {

// Whether the accumulators of a wgmma are not read: its scale-d is a constant that says so (PTX ISA 9.7.15.5:
// D = A * B).
bool is_replaced(const FormUse& use) {
  for (size_t k = 0; k < use.form().operands.size(); ++k) {
    const Operand& scale = use.operand(static_cast<unsigned>(k));
    if (use.form().operands[k].name == "s" && scale.kind == OperandKind::kImmediate)
      return (scale.value != 0) == scale.negated;
  }
  return false;
}

// Places in the grid were of 16 bits before PTX 2.0. mov and cvt of 16 bits still read their lower halves
// (PTX ISA 10.1, 10.2, 10.6, 10.7): they take them out of a wider register as of any other.
bool reads_half_of_place(const FormUse& use, SpecialRegister reg, Type type) {
  constexpr std::string_view kPlaces[] = {"%tid.", "%ntid.", "%ctaid.", "%nctaid."};
  const std::string_view mnemonic = use.form().instruction->mnemonic;
  if (row_bytes(type) != 2 || (mnemonic != "mov" && mnemonic != "cvt")) return false;
  return std::any_of(std::begin(kPlaces), std::end(kPlaces),
                     [&](std::string_view place) { return info(reg).name.starts_with(place); });
}

}  // namespace

void Binder::ref(Cursor& c, Place place, unsigned bytes, bool defines, bool is_address) {
  OperandRef r;
  r.place = place;
  r.bytes = static_cast<uint8_t>(bytes);
  r.defines = defines;
  r.address = is_address;
  r.operand = static_cast<uint8_t>(c.place);
  r.element = c.element;
  c.out->refs.push_back(r);
}

void Binder::put(Cursor& c, Place place) {
  if (c.place < kInstrPlaces) c.out->instr.ops[c.place] = place;
  ++c.place;
}

Place Binder::register_place(uint32_t id, unsigned component, unsigned& bytes_out) {
  const Register& r = function_.function->registers[id];
  bytes_out = row_bytes(r.type);
  uint32_t at = function_.register_row[id];
  if (component != 0xff) at += component * ((bytes_out * 32 + 63) / 64 * 64);
  return Place::reg(at);
}

Place Binder::sink(Cursor& c, unsigned bytes, bool defines) {
  if (function_.sink_row == kNoRow) function_.sink_row = function_.take_row(16);
  const Place place = Place::reg(function_.sink_row);
  ref(c, place, bytes, defines);
  return place;
}

Place Binder::scalar(Cursor& c, const Operand& operand, Type type, bool defines) {
  switch (operand.kind) {
    case OperandKind::kRegister: {
      unsigned width = 0;
      const Place place = register_place(operand.id, operand.component, width);
      ref(c, place, width, defines);
      return place;
    }
    case OperandKind::kImmediate: {
      uint64_t value = 0;
      const std::string wrong = immediate_bits(operand, type, value);
      if (!wrong.empty()) draft_.problems.bad_input(operand.position, wrong);
      const Place place = draft_.constants.row(type == Type::kNone ? 4 : row_bytes(type), value);
      ref(c, place, type == Type::kNone ? 4 : row_bytes(type), defines);
      return place;
    }
    case OperandKind::kSpecialRegister: {
      const auto reg = static_cast<SpecialRegister>(operand.id);
      if (info(reg).kind == SpecialKind::kDynamic) {
        c.out->instr.kind = InstrKind::kReadClock;
        return {};
      }
      const unsigned width = row_bytes(info(reg).type);
      if (!reads_half_of_place(*c.use, reg, type) && type != Type::kNone && row_bytes(type) != width) {
        draft_.problems.unsupported(
            operand.position,
            "reading " + std::string(info(reg).name) + " as a ." + std::string(info(type).name),
            "it is a ." + std::string(info(info(reg).type).name) +
                ": places in the grid alone are read as .u16 too, by mov and cvt");
      }
      const auto [it, is_new] = function_.special_row.try_emplace(reg, 0);
      if (is_new) it->second = function_.take_row(width == 0 ? 4 : width);
      const Place place = Place::reg(it->second);
      ref(c, place, width, false);
      return place;
    }
    case OperandKind::kSymbol:
      return symbol(c, operand, type);
    case OperandKind::kAddress:
      return address(c, operand);
    case OperandKind::kSink:
      return sink(c, type == Type::kNone ? 16 : row_bytes(type), defines);
    default:
      return {};
  }
}

Place Binder::vector(Cursor& c, const Operand& operand, Type type, bool defines) {
  std::vector<Place> places;
  if (operand.kind == OperandKind::kVector || operand.kind == OperandKind::kList) {
    Type element = type;
    for (uint32_t k = 0; k < operand.child_count; ++k) {
      const Operand& child = children(operand)[k];
      if (child.kind == OperandKind::kRegister) element = function_.function->registers[child.id].type;
    }
    // Constants alone, mov.b32 %r, {2, 13}: they share the whole.
    if (element == Type::kNone && operand.child_count != 0) {
      const unsigned part = bits(c.use->type()) / operand.child_count;
      element = part == 8 ? Type::kB8 : part == 16 ? Type::kB16 : part == 64 ? Type::kB64 : Type::kB32;
    }
    for (uint32_t k = 0; k < operand.child_count; ++k) {
      const Operand& child = children(operand)[k];
      Type wanted = element;
      // A constant among registers has their width; its kind must not be checked against an untyped register.
      if (child.kind == OperandKind::kImmediate && child.immediate_type != Type::kF32 &&
          child.immediate_type != Type::kF64) {
        wanted = bits(element) == 16   ? Type::kB16
                 : bits(element) == 32 ? Type::kB32
                 : bits(element) == 64 ? Type::kB64
                                       : element;
      }
      c.element = static_cast<uint8_t>(k);
      places.push_back(scalar(c, child, wanted, defines));
    }
  } else if (operand.kind == OperandKind::kRegister && operand.component == 0xff &&
             function_.function->registers[operand.id].vector > 1) {
    for (unsigned k = 0; k < function_.function->registers[operand.id].vector; ++k) {
      unsigned width = 0;
      c.element = static_cast<uint8_t>(k);
      places.push_back(register_place(operand.id, k, width));
      ref(c, places.back(), width, defines);
    }
  } else {
    c.element = 0;
    places.push_back(scalar(c, operand, type, defines));
  }
  c.element = 0xff;
  std::vector<Place>& extra = draft_.program.extra;
  const auto at = static_cast<uint32_t>(extra.size());
  extra.insert(extra.end(), places.begin(), places.end());
  if (!c.extra_seen) {
    c.extra_seen = true;
    c.out->instr.extra = at;
    if (c.out->instr.vec <= 1) c.out->instr.vec = static_cast<uint8_t>(places.size());
  }
  return {static_cast<int32_t>(at)};
}

// An updated list is read as well as written.
Place Binder::list(Cursor& c, const OperandSlot& slot, const Operand& operand, Type type) {
  const size_t first = c.out->refs.size();
  const Place place = vector(c, operand, type, slot.destination);
  const size_t end = slot.updated && !is_replaced(*c.use) ? c.out->refs.size() : first;
  for (size_t i = first; i < end; ++i) {
    OperandRef read = c.out->refs[i];
    read.defines = false;
    c.out->refs.push_back(read);
  }
  return place;
}

void Binder::bind_slot(Cursor& c, const OperandSlot& slot, const Operand& operand) {
  const Type type = slot_type(*c.use, slot);
  if (operand.kind == OperandKind::kNone) return put(c, {});
  if (operand.kind == OperandKind::kSink && slot.optional) return put(c, {});
  switch (slot.shape) {
    case OperandShape::kLabel:
      return put(c, {});  // Instr::target
    case OperandShape::kCallList:
      return put(c, {});  // Program::calls
    case OperandShape::kFunction:
      return put(c, operand.kind == OperandKind::kRegister ? scalar(c, operand, Type::kB64, false) : Place{});
    case OperandShape::kTensor:
      return put(c, operand.kind == OperandKind::kTensor ? tensor(c, operand) : address(c, operand));
    case OperandShape::kAddress:
      return put(c, address(c, operand));
    case OperandShape::kList:
      return put(c, list(c, slot, operand, type));
    case OperandShape::kSymbol:
      if (operand.kind == OperandKind::kSymbol && operand.variable == nullptr) return put(c, {});
      break;
    default:
      break;
  }
  const bool whole_vector = operand.kind == OperandKind::kRegister && operand.component == 0xff &&
                            function_.function->registers[operand.id].vector > 1;
  if (operand.kind == OperandKind::kVector || operand.kind == OperandKind::kList || whole_vector) {
    return put(c, vector(c, operand, type, slot.destination));
  }
  put(c, scalar(c, operand, type, slot.destination));
}

Type main_type(const FormUse& use) {
  Type type = use.type();
  for (const ModifierSlot& slot : use.form().mods) {
    if (type == Type::kNone) type = use.type(slot.set);
  }
  return type;
}

BoundInstr Binder::bind(const FormUse& use) {
  BoundInstr out;
  Cursor c;
  c.out = &out;
  c.use = &use;
  const Form& form = use.form();
  Instr& in = out.instr;
  in.kind = form.kind;
  in.space = use.space();
  in.type = main_type(use);
  in.vec = static_cast<uint8_t>(use.vec());
  const bool skip_immediates = form.operands.size() > kInstrPlaces;
  unsigned k = 0;
  for (size_t s = 0; s < form.operands.size(); ++s, ++k) {
    const OperandSlot& slot = form.operands[s];
    const Operand& operand = use.operand(k);
    if (skip_immediates && slot.shape == OperandShape::kImmediate) continue;
    if (slot.shape == OperandShape::kPair && s + 1 < form.operands.size()) {
      const bool is_pair = operand.kind == OperandKind::kPair;
      bind_slot(c, slot, is_pair ? children(operand)[0] : operand);
      ++s;
      bind_slot(c, form.operands[s], is_pair ? children(operand)[1] : Operand{});
      continue;
    }
    bind_slot(c, slot, operand);
  }
  for (unsigned p = kInstrPlaces; p < c.place; ++p) {
    const bool absent = use.operand(p).kind == OperandKind::kNone;
    if (!absent) {
      draft_.problems.unsupported(use.instruction().position,
                                  "'" + form.instruction->mnemonic + "' with more than six operands",
                                  "form: " + form.syntax);
      break;
    }
  }
  const Guard& guard = use.instruction().guard;
  if (guard.register_id >= 0) {
    unsigned width = 0;
    in.guard = register_place(static_cast<uint32_t>(guard.register_id), 0xff, width);
    in.guard_negated = guard.negated;
    c.place = kInstrPlaces;
    ref(c, in.guard, 0, false);
  }
  return out;
}

}  // namespace gpuloom::ptx
