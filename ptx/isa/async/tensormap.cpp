// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.9.28 tensormap.replace, 9.7.13.17 tensormap.cp_fenceproxy
//
//   tensormap.replace.mode.field1{.ss}.b1024.type  [addr], new_val;
//   tensormap.replace.mode.field2{.ss}.b1024.type  [addr], ord, new_val;
//   tensormap.replace.mode.field3{.ss}.b1024.type  [addr], new_val;
//   tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.scope.sync.aligned  [dst], [src],
//   size;
//
// Instr::extra of a replacement: the field, from
// bit 8 on its ordinal, from bit 16 on a constant value; aux bit 0: the value's row is 64 bits wide.
#include <cstring>
#include <iterator>
#include <string>

#include "ptx/exec/async_copy.h"
#include "ptx/exec/fault.h"
#include "ptx/exec/memory_flags.h"
#include "ptx/exec/tensor_copy.h"
#include "ptx/exec/tensor_map_layout.h"
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {
namespace {

// In the order of TensorField.
constexpr std::string_view kFields[] = {
    ".global_address", ".rank",     ".box_dim",           ".global_dim",   ".global_stride",
    ".element_stride", ".elemtype", ".interleave_layout", ".swizzle_mode", ".fill_mode"};

constexpr bool has_ordinal(TensorField f) {
  return f >= TensorField::kBoxDim && f <= TensorField::kElementStride;
}
constexpr bool has_constant(TensorField f) { return f >= TensorField::kElement; }

void replace_lanes(Warp& w, const Instr& in, uint32_t lanes) {
  lane_addresses(w, in, in.ops[0], lanes, 16);
  const auto field = static_cast<TensorField>(in.extra & 0xff);
  const unsigned ord = in.extra >> 8 & 0xff;
  const Place new_value = in.ops[has_ordinal(field) ? 2 : 1];
  for_lanes(lanes, [&](unsigned l) {
    uint8_t* bytes = tensor_map_bytes(w, in, l, in.space, w.access.address[l]);
    TensorMapWords words;
    std::memcpy(words.data(), bytes, kTensorMapBytes);
    const uint64_t value =
        has_constant(field) ? in.extra >> 16 : row_address(w, new_value, in.aux & 1 ? 64 : 32, l);
    replace_field(words, field, ord, value);
    std::memcpy(bytes, words.data(), kTensorMapBytes);
  });
}

void encode(const FormUse& use, Instr& in) {
  in.target = memory_flags(use, 0).pack();
  in.aux = use.type() == Type::kB64 ? 1 : 0;
  for (uint32_t f = 0; f < std::size(kFields); ++f) {
    if (!use.has(kFields[f])) continue;
    in.extra = f;
    const auto field = static_cast<TensorField>(f);
    if (has_ordinal(field)) in.extra |= static_cast<uint32_t>(use.operand(1).value) << 8;
    if (has_constant(field)) in.extra |= static_cast<uint32_t>(use.operand(1).value) << 16;
  }
}

// ptxas 13.0 takes 4 for strides too, of which a map has four: it writes the word behind the last one's,
// which holds the upper bits of all (replace_field does the same).
std::string check_ordinal(const FormUse& use) {
  const int64_t ord = use.operand(1).value;
  return ord >= 0 && ord < 5 ? std::string() : "the ordinal is a dimension, 0 to 4";
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
  const uint8_t* source_bytes = host_of(w, in, l, Space::kShared, from, kTensorMapBytes, AccessOp::kLoad);
  std::memcpy(host_of(w, in, l, Space::kGlobal, w.access.address[l], kTensorMapBytes, AccessOp::kStore),
              source_bytes, kTensorMapBytes);
}
void encode_copy(const FormUse& use, Instr& in) {
  in.target = memory_flags(use, 0).pack();
  in.aux = address_bits(use, 1) == 32 ? 1 : 0;
}
std::string check_size(const FormUse& use) {
  return use.operand(2).value == 128 ? std::string() : "the size of a tensor map is 128";
}

FormBuilder common(FormBuilder form) {
  return form.since("8.3").needs("sm_90a sm_100f sm_110f sm_120f").op(OpClass::utma);
}
FormBuilder replace(FormBuilder form) {
  return common(form).set(".ss", ".global .shared::cta").set(".type", ".b32 .b64");
}

}  // namespace

void register_async_tensormap(IsaBuilder& isa) {
  isa.instruction("tensormap.replace", "9.7.9.28", "Modify a field of a tensor map.");
  replace(isa.form("tensormap.replace.tile.field1{.ss}.b1024.type [a], b"))
      .set(".field1", ".global_address .rank")
      .encode(encode)
      .meaning(replace_lanes);
  replace(isa.form("tensormap.replace.tile.field2{.ss}.b1024.type [a], #ord, b"))
      .set(".field2", ".box_dim .global_dim .global_stride .element_stride")
      .check(check_ordinal)
      .encode(encode)
      .meaning(replace_lanes);
  replace(isa.form("tensormap.replace.tile.field3{.ss}.b1024.type [a], #b"))
      .set(".field3", ".elemtype .interleave_layout .swizzle_mode .fill_mode")
      .check(check_value)
      .encode(encode)
      .meaning(replace_lanes);
  replace(isa.form("tensormap.replace.tile.swizzle_atomicity{.ss}.b1024.type [a], #b"))
      .since("8.6")
      .needs("sm_100f sm_110f sm_120f")
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
