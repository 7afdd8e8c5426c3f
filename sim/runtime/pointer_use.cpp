// SPDX-License-Identifier: Apache-2.0
#include "sim/runtime/pointer_use.h"

#include <algorithm>

#include "ptx/isa/table/form.h"

namespace gpuloom::sim {
namespace {

using ptx::Form;
using ptx::Function;
using ptx::InstrKind;
using ptx::Instruction;
using ptx::Operand;
using ptx::OperandKind;

using Parameters = uint64_t;  // a bit each; kernels with more are not looked at
constexpr size_t kMost = 64;

// Which parameters each register may come from, whatever path led there: arithmetic passes them on, a load
// from memory does not.
class Origins {
 public:
  explicit Origins(const Function& f, Parameters pointers)
      : f_(f), pointers_(pointers), of_(f.registers.size()) {
    while (pass()) {
    }
  }

  Parameters of(const Operand& o) const {
    Parameters found = 0;
    if (o.kind == OperandKind::kRegister ||
        (o.kind == OperandKind::kAddress && o.has_base && !o.base_is_symbol))
      found = of_[o.id];
    for (uint32_t c = 0; c < o.child_count; ++c) found |= of(f_.operand_pool[o.first_child + c]);
    return found;
  }
  Parameters read_by(const Instruction& in) const {
    Parameters found = 0;
    for (unsigned k = 0; k < in.operand_count; ++k)
      if (!writes(in, k)) found |= of(operand(in, k));
    return found;
  }
  const Operand& operand(const Instruction& in, unsigned k) const {
    return f_.operand_pool[in.first_operand + k];
  }
  static bool writes(const Instruction& in, unsigned k) {
    const auto& slots = in.form->operands;
    return k < slots.size() && slots[k].destination && slots[k].shape != ptx::OperandShape::kAddress;
  }

 private:
  bool give(const Operand& o, Parameters from) {
    bool changed = false;
    if (o.kind == OperandKind::kRegister) {
      changed = (from & ~of_[o.id]) != 0;
      of_[o.id] |= from;
    }
    for (uint32_t c = 0; c < o.child_count; ++c)
      changed = give(f_.operand_pool[o.first_child + c], from) || changed;
    return changed;
  }

  // What the instruction's destinations hold then.
  Parameters result(const Instruction& in) const {
    if (in.form->kind != InstrKind::kLoad) return read_by(in);
    for (unsigned k = 0; k < in.operand_count; ++k) {
      const Operand& o = operand(in, k);
      if (o.kind != OperandKind::kAddress || !o.base_is_symbol || o.variable == nullptr) continue;
      for (size_t p = 0; p < f_.params.size(); ++p)
        if (o.variable == &f_.params[p]) return pointers_ & Parameters{1} << p;
    }
    return 0;
  }

  bool pass() {
    bool changed = false;
    for (const Instruction& in : f_.instructions) {
      const Parameters from = result(in);
      if (from == 0) continue;
      for (unsigned k = 0; k < in.operand_count; ++k)
        if (writes(in, k)) changed = give(operand(in, k), from) || changed;
    }
    return changed;
  }

  const Function& f_;
  Parameters pointers_;
  std::vector<Parameters> of_;
};

bool reaches_memory(InstrKind kind) {
  return kind == InstrKind::kLoad || kind == InstrKind::kStore || kind == InstrKind::kAtomic;
}

// Of an address: the operand in brackets.
const Operand* address_operand(const Origins& origins, const Instruction& in) {
  for (unsigned k = 0; k < in.operand_count; ++k)
    if (origins.operand(in, k).kind == OperandKind::kAddress) return &origins.operand(in, k);
  return nullptr;
}

class Uses {
 public:
  Uses(const Function& f, Parameters pointers) : f_(f), origins_(f, pointers), uses_(f.params.size()) {}

  std::vector<PointerUse> collect() {
    for (const Instruction& in : f_.instructions) look_at(in);
    return std::move(uses_);
  }

 private:
  void lost(Parameters which) {
    for (size_t p = 0; p < uses_.size(); ++p)
      if ((which >> p & 1) != 0) uses_[p].complete = false;
  }

  void look_at(const Instruction& in) {
    const InstrKind kind = in.form->kind;
    if (!reaches_memory(kind)) {
      const bool passes_on =
          kind == InstrKind::kPlain || kind == InstrKind::kWarpSync || kind == InstrKind::kReadClock;
      if (!passes_on) lost(origins_.read_by(in));
      return;
    }
    const Operand* address = address_operand(origins_, in);
    const Parameters at = address == nullptr ? 0 : origins_.of(*address);
    for (unsigned k = 0; k < in.operand_count; ++k)  // a pointer that is stored
      if (!Origins::writes(in, k) && &origins_.operand(in, k) != address)
        lost(origins_.of(origins_.operand(in, k)));
    if (at == 0) return;
    const ptx::FormUse use(*in.form, in, &f_);
    const ptx::Type type = use.type();
    if ((at & (at - 1)) != 0 || type == ptx::Type::kNone) return lost(at);
    for (size_t p = 0; p < uses_.size(); ++p)
      if ((at >> p & 1) != 0) add(uses_[p], {type, static_cast<uint8_t>(use.vec())});
  }

  static void add(PointerUse& use, PointerAccess access) {
    const auto same = [&](const PointerAccess& a) {
      return a.type == access.type && a.vector == access.vector;
    };
    if (std::none_of(use.accesses.begin(), use.accesses.end(), same)) use.accesses.push_back(access);
  }

  const Function& f_;
  Origins origins_;
  std::vector<PointerUse> uses_;
};

}  // namespace

std::vector<PointerUse> pointer_uses(const Function& entry, const std::vector<bool>& pointers) {
  Parameters which = 0;
  for (size_t p = 0; p < pointers.size() && p < kMost; ++p)
    if (pointers[p]) which |= Parameters{1} << p;
  if (entry.params.size() > kMost) {
    std::vector<PointerUse> unknown(entry.params.size());
    for (PointerUse& use : unknown) use.complete = false;
    return unknown;
  }
  return Uses(entry, which).collect();
}

}  // namespace gpuloom::sim
