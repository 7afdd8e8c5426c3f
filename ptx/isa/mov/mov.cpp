// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.9.3 and 9.7.9.4 mov
//
//   mov.type   d, a;              .type = { .pred, .b16, .b32, .b64, .u16, .u32, .u64, .s16, .s32, .s64,
//   .f32, .f64 }
//                                 a: register, immediate, special register, address of a variable or
//                                 function; d and a may stand in braces, as ptxas takes them
//   mov.btype  d, {a, b, ...};    pack    .btype = { .b16, .b32, .b64, .b128 }
//   mov.btype  {d, e, ...}, a;    unpack  `_` drops an element
//   mov.vec.type d, a;            whole vector registers; nvcc and clang write it, the manual does not list
//   it
//
// The first element of a brace list is the least significant one.
#include "ptx/exec/cta.h"
#include "ptx/exec/lane_loop.h"
#include "ptx/isa/pick.h"
#include "ptx/isa/table/isa_builder.h"
#include "ptx/numeric/integer.h"

namespace gpuloom::ptx {
namespace {

using numeric::uint128;

template <class T>
void read_dynamic(Warp& w, const Instr& in, uint32_t lanes) {
  const T value = static_cast<T>(ptx::read_dynamic(w, static_cast<SpecialRegister>(in.aux)));
  T copies[kLanes];
  for (T& c : copies) c = value;
  lane::store(row<T>(w, in.ops[0]), copies, lanes);
}

bool reads_dynamic(const FormUse& use) {
  const Operand& a = use.operand(1);
  return a.kind == OperandKind::kSpecialRegister &&
         info(static_cast<SpecialRegister>(a.id)).kind == SpecialKind::kDynamic;
}

LaneFn copy(const FormUse& use) {
  if (reads_dynamic(use))
    return by_width<uint16_t, uint32_t, uint64_t>(use.type(),
                                                  []<class T>(T) -> LaneFn { return read_dynamic<T>; });
  const unsigned source_bits = use.register_bits(1) != 0 ? use.register_bits(1) : bits(use.type());
  return by_width<uint16_t, uint32_t, uint64_t, uint128>(use.type(), [&]<class D>(D) {
    return by_width<uint16_t, uint32_t, uint64_t, uint128>(
        source_bits, []<class S>(S) { return per_lane([](S a) -> D { return static_cast<D>(a); }); });
  });
}

constexpr LaneFn kCopyPredicate = on_masks([](uint32_t a) { return a; });

OpClass copy_class(const FormUse& use) {
  if (reads_dynamic(use)) return OpClass::cs2r;
  if (use.operand(1).kind == OperandKind::kSpecialRegister) return OpClass::s2r;
  return bits(use.type()) > 32 ? OpClass::mov64 : OpClass::mov;
}

void encode_copy(const FormUse& use, Instr& in) {
  if (!reads_dynamic(use)) return;
  in.kind = InstrKind::kReadClock;
  in.aux = static_cast<uint8_t>(use.operand(1).id);
}

OpClass move_class(const FormUse& use) { return bits(use.type()) > 32 ? OpClass::mov64 : OpClass::mov; }

// The elements of a brace list must fill the scalar: 2 or 4 of a half or a quarter of its width.
std::string check_parts(const FormUse& use, unsigned list, unsigned scalar) {
  const unsigned whole = bits(use.type());
  const unsigned count = use.element_count(list);
  if (count != 2 && count != 4) return "a brace list of mov has 2 or 4 elements";
  const unsigned part = use.register_bits(list);
  if (part != 0 && part * count != whole)
    return "the elements of the brace list are " + std::to_string(part) + " bits wide; " +
           std::to_string(count) + " of them do not make " + std::to_string(whole);
  const unsigned given = use.register_bits(scalar);
  if (given != 0 && given != whole)
    return "the scalar operand must be " + std::to_string(whole) + " bits wide";
  return "";
}
std::string check_pack(const FormUse& use) { return check_parts(use, 1, 0); }
std::string check_unpack(const FormUse& use) { return check_parts(use, 0, 1); }

// Packing and unpacking for an element type P and N elements in a scalar S. Results go through a buffer,
// because the rows may be those of sources.
template <class P, class S, unsigned N>
void pack(Warp& w, const Instr& in, uint32_t lanes) {
  S whole[kLanes] = {};
  for (unsigned k = 0; k < N; ++k) {
    const P* part = source<P>(w, w.program->extra[static_cast<uint32_t>(in.ops[1].at) + k]);
    for (unsigned l = 0; l < kLanes; ++l)
      whole[l] = static_cast<S>(whole[l] | (static_cast<S>(part[l]) << (k * sizeof(P) * 8)));
  }
  lane::store(row<S>(w, in.ops[0]), whole, lanes);
}
template <class P, class S, unsigned N>
void unpack(Warp& w, const Instr& in, uint32_t lanes) {
  S whole[kLanes];
  std::memcpy(whole, source<S>(w, in.ops[1]), sizeof whole);
  for (unsigned k = 0; k < N; ++k) {
    const Place place = w.program->extra[static_cast<uint32_t>(in.ops[0].at) + k];
    if (!place.present()) continue;
    P part[kLanes];
    for (unsigned l = 0; l < kLanes; ++l) part[l] = static_cast<P>(whole[l] >> (k * sizeof(P) * 8));
    lane::store(row<P>(w, place), part, lanes);
  }
}

template <class P, class S>
LaneFn pick_pack(bool packs) {
  constexpr unsigned kCount = sizeof(S) / sizeof(P);
  if constexpr (kCount == 2 || kCount == 4)
    return packs ? pack<P, S, kCount> : unpack<P, S, kCount>;
  else
    return nullptr;
}
LaneFn move_parts(const FormUse& use, unsigned count, bool packs) {
  return by_width<uint16_t, uint32_t, uint64_t, uint128>(use.type(), [&]<class S>(S) {
    return by_width<uint8_t, uint16_t, uint32_t, uint64_t>(
        bits(use.type()) / count, [&]<class P>(P) { return pick_pack<P, S>(packs); });
  });
}
LaneFn packing(const FormUse& use) { return move_parts(use, use.element_count(1), true); }
LaneFn unpacking(const FormUse& use) { return move_parts(use, use.element_count(0), false); }

// Element by element; a permutation of one vector's own elements is possible, so all are read before one is
// written.
template <class T>
void copy_vector(Warp& w, const Instr& in, uint32_t lanes) {
  T values[8][kLanes];
  for (unsigned k = 0; k < in.vec; ++k)
    std::memcpy(values[k], source<T>(w, w.program->extra[static_cast<uint32_t>(in.ops[1].at) + k]),
                sizeof values[k]);
  for (unsigned k = 0; k < in.vec; ++k) {
    const Place place = w.program->extra[static_cast<uint32_t>(in.ops[0].at) + k];
    if (place.present()) lane::store(row<T>(w, place), values[k], lanes);
  }
}
LaneFn vector_copy(const FormUse& use) {
  return by_width<uint8_t, uint16_t, uint32_t, uint64_t>(use.type(),
                                                         []<class T>(T) -> LaneFn { return copy_vector<T>; });
}
void encode_vector(const FormUse& use, Instr& in) { in.vec = static_cast<uint8_t>(use.vec()); }

}  // namespace

void register_mov_mov(IsaBuilder& isa) {
  isa.instruction("mov", "9.7.9.3", "Move a value, or pack and unpack a register.");
  isa.form("mov.type d*, a*")
      .set(".type", ".b16 .b32 .b64 .u16 .u32 .u64 .s16 .s32 .s64 .f32 .f64 .b128@8.3,sm_70")
      .op(copy_class)
      .encode(encode_copy)
      .meaning(copy);
  isa.form("mov.type d, a").set(".type", ".pred").op(OpClass::plop3).meaning(kCopyPredicate);
  isa.form("mov.type d, a+:any")
      .set(".type", ".b16 .b32 .b64 .b128@8.3,sm_70")
      .op(move_class)
      .check(check_pack)
      .meaning(packing);
  isa.form("mov.type d+:any, a")
      .set(".type", ".b16 .b32 .b64 .b128@8.3,sm_70")
      .op(move_class)
      .check(check_unpack)
      .meaning(unpacking);
  isa.form("mov.vec.type d*, a*")
      .set(".vec", ".v2 .v4 .v8")
      .set(".type", ".b8 .u8 .s8 .b16 .b32 .b64 .u16 .u32 .u64 .s16 .s32 .s64 .f32 .f64")
      .op(move_class)
      .encode(encode_vector)
      .meaning(vector_copy);
}

}  // namespace gpuloom::ptx
