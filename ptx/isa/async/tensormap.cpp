// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.9.28 tensormap.replace, 9.7.13.17 tensormap.cp_fenceproxy
//
//   tensormap.replace.mode.field1{.ss}.b1024.type  [addr], new_val;
//   tensormap.replace.mode.field2{.ss}.b1024.type  [addr], ord, new_val;
//   tensormap.replace.mode.field3{.ss}.b1024.type  [addr], new_val;
//   tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.scope.sync.aligned  [dst], [src],
//   size;
//
// The fields are those of our own layout (exec/tensor_map.h). Instr::extra of a replacement: the field, from
// bit 8 on its ordinal, from bit 16 on a constant value; aux bit 0: the value's row is 64 bits wide.
#include <cstring>
#include <string>

#include "ptx/exec/async_copy.h"
#include "ptx/exec/fault.h"
#include "ptx/exec/memory_flags.h"
#include "ptx/exec/tensor_copy.h"
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {
namespace {

enum Field : uint8_t {
  kAddress,
  kRank,
  kBoxDim,
  kGlobalDim,
  kGlobalStride,
  kElementStride,
  kElement,
  kInterleave,
  kSwizzle,
  kFill
};
constexpr std::string_view kFields[] = {
    ".global_address", ".rank",     ".box_dim",           ".global_dim",   ".global_stride",
    ".element_stride", ".elemtype", ".interleave_layout", ".swizzle_mode", ".fill_mode"};

// The values of .elemtype (PTX ISA 9.7.9.28, table of new_val) are in another order than CUtensorMapDataType.
constexpr TensorElement kElements[] = {TensorElement::kU8,     TensorElement::kU16,  TensorElement::kU32,
                                       TensorElement::kS32,    TensorElement::kU64,  TensorElement::kS64,
                                       TensorElement::kF16,    TensorElement::kF32,  TensorElement::kF32Ftz,
                                       TensorElement::kF64,    TensorElement::kBf16, TensorElement::kTf32,
                                       TensorElement::kTf32Ftz};

void put(TensorMap& map, unsigned field, unsigned ord, uint64_t value) {
  switch (field) {
    case kAddress:
      map.address = value;
      return;
    case kRank:
      map.rank = static_cast<uint8_t>(value + 1);  // "one less than the desired tensor rank"
      return;
    case kBoxDim:
      map.box[ord] = static_cast<uint16_t>(value);
      return;
    case kGlobalDim:
      map.last[ord] = static_cast<uint32_t>(value - 1);
      return;
    case kGlobalStride:
      map.stride[ord] = value;
      return;
    case kElementStride:
      map.element_stride[ord] = static_cast<uint8_t>(value);
      return;
    case kElement:
      map.element = kElements[value];
      return;
    case kInterleave:
      map.interleave = static_cast<TensorInterleave>(value);
      return;
    case kSwizzle:
      map.swizzle = static_cast<TensorSwizzle>(value);
      return;
    default:
      map.fill = static_cast<TensorFill>(value);
  }
}

void replace_field(Warp& w, const Instr& in, uint32_t lanes) {
  lane_addresses(w, in, in.ops[0], lanes, 16);
  const unsigned field = in.extra & 0xff, ord = in.extra >> 8 & 0xff;
  const Place new_value = in.ops[field >= kBoxDim && field <= kElementStride ? 2 : 1];
  for_lanes(lanes, [&](unsigned l) {
    uint8_t* bytes = tensor_map_bytes(w, in, l, in.space, w.access.address[l]);
    TensorMap map;
    std::memcpy(&map, bytes, sizeof map);
    const uint64_t value =
        field >= kElement ? in.extra >> 16 : row_address(w, new_value, in.aux & 1 ? 64 : 32, l);
    put(map, field, ord, value);
    std::memcpy(bytes, &map, sizeof map);
  });
}

void encode(const FormUse& use, Instr& in) {
  in.target = memory_flags(use, 0).pack();
  in.aux = use.type() == Type::kB64 ? 1 : 0;
  for (uint32_t f = 0; f <= kFill; ++f) {
    if (!use.has(kFields[f])) continue;
    in.extra = f;
    if (f >= kBoxDim && f <= kElementStride) in.extra |= static_cast<uint32_t>(use.operand(1).value) << 8;
    if (f >= kElement) in.extra |= static_cast<uint32_t>(use.operand(1).value) << 16;
  }
}

std::string check_ordinal(const FormUse& use) {
  const int64_t limit = use.has(".global_stride") ? 4 : 5;
  const int64_t ord = use.operand(1).value;
  return ord >= 0 && ord < limit ? std::string()
                                 : "the ordinal is a dimension, 0 to " + std::to_string(limit - 1);
}
std::string check_value(const FormUse& use) {
  const int64_t value = use.operand(1).value;
  const int64_t limit = use.has(".elemtype")            ? 13
                        : use.has(".interleave_layout") ? 3
                        : use.has(".fill_mode")         ? 2
                                                        : 4;
  if (value >= 0 && value < limit) return {};
  return "values of " + std::string(use.mod(".field3")) + " from 0 to " + std::to_string(limit - 1) +
         " are modelled";
}

// The warp executes it together; one lane carries it out. Proxies see the same bytes here, so the copy is
// all.
void copy_map(Warp& w, const Instr& in, uint32_t lanes) {
  lane_addresses(w, in, in.ops[0], lanes, 16);
  const auto l = static_cast<unsigned>(std::countr_zero(lanes));
  const uint64_t from = row_address(w, in.ops[1], in.aux & 1 ? 32 : 64, l);
  const uint8_t* source_bytes = host_of(w, in, l, Space::kShared, from, sizeof(TensorMap), AccessOp::kLoad);
  std::memcpy(host_of(w, in, l, Space::kGlobal, w.access.address[l], sizeof(TensorMap), AccessOp::kStore),
              source_bytes, sizeof(TensorMap));
}
void encode_copy(const FormUse& use, Instr& in) {
  in.target = memory_flags(use, 0).pack();
  in.aux = address_bits(use, 1) == 32 ? 1 : 0;
}
std::string check_size(const FormUse& use) {
  return use.operand(2).value == 128 ? std::string() : "the size of a tensor map is 128";
}

FormBuilder common(FormBuilder form) { return form.since("8.3").needs("sm_90a sm_100f").op(OpClass::utma); }
FormBuilder replace(FormBuilder form) {
  return common(form).set(".ss", ".global .shared::cta").set(".type", ".b32 .b64");
}

}  // namespace

void register_async_tensormap(IsaBuilder& isa) {
  isa.instruction("tensormap.replace", "9.7.9.28", "Modify a field of a tensor map.");
  replace(isa.form("tensormap.replace.tile.field1{.ss}.b1024.type [a], b"))
      .set(".field1", ".global_address .rank")
      .encode(encode)
      .meaning(replace_field);
  replace(isa.form("tensormap.replace.tile.field2{.ss}.b1024.type [a], #ord, b"))
      .set(".field2", ".box_dim .global_dim .global_stride .element_stride")
      .check(check_ordinal)
      .encode(encode)
      .meaning(replace_field);
  replace(isa.form("tensormap.replace.tile.field3{.ss}.b1024.type [a], #b"))
      .set(".field3", ".elemtype .interleave_layout .swizzle_mode .fill_mode")
      .check(check_value)
      .encode(encode)
      .meaning(replace_field);
  replace(isa.form("tensormap.replace.tile.swizzle_atomicity{.ss}.b1024.type [a], #b"))
      .since("8.6")
      .not_modelled("the atomicity of a swizzle is not modelled yet");
  isa.instruction("tensormap.cp_fenceproxy", "9.7.13.17", "Copy a tensor map and fence its proxy.");
  common(isa.form("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.scope.sync.aligned "
                  "[dst], [src], #size"))
      .set(".scope", ".cta .cluster .gpu .sys")
      .needs("sm_90")
      .check(check_size)
      .encode(encode_copy)
      .meaning(copy_map);
}

}  // namespace gpuloom::ptx
