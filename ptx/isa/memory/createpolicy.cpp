// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.9.18 createpolicy
//
//   createpolicy.range{.global}.level::primary_priority{.level::secondary_priority}.b64
//       cache-policy, [a], primary-size, total-size;
//   createpolicy.fractional.level::primary_priority{.level::secondary_priority}.b64 cache-policy{, fraction};
//   createpolicy.cvt.L2.b64  cache-policy, access-property;
//
// primary: .L2::evict_last .L2::evict_normal .L2::evict_first .L2::evict_unchanged;
// secondary: .L2::evict_first .L2::evict_unchanged
#include <bit>

#include "ptx/exec/cache_policy.h"
#include "ptx/exec/memory_flags.h"
#include "ptx/exec/memory_path.h"
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {
namespace {

Eviction primary_of(uint8_t aux) { return static_cast<Eviction>(aux & 7); }
Eviction secondary_of(uint8_t aux) { return static_cast<Eviction>(aux >> 3 & 7); }

void fractional(Warp& w, const Instr& in, uint32_t lanes) {
  CachePolicy policy;
  policy.primary = primary_of(in.aux);
  policy.secondary = secondary_of(in.aux);
  uint64_t* d = row<uint64_t>(w, in.ops[0]);
  const uint32_t* share = in.ops[1].present() ? source<uint32_t>(w, in.ops[1]) : nullptr;
  for_lanes(lanes, [&](unsigned l) {
    if (share != nullptr) policy.fraction = std::bit_cast<float>(share[l]);
    d[l] = policy.encode();
  });
}

void range(Warp& w, const Instr& in, uint32_t lanes) {
  lane_addresses(w, in, in.ops[1], lanes, 1);
  CachePolicy policy;
  policy.range = true;
  policy.primary = primary_of(in.aux);
  policy.secondary = secondary_of(in.aux);
  uint64_t* d = row<uint64_t>(w, in.ops[0]);
  const uint32_t* primary = source<uint32_t>(w, in.ops[2]);
  const uint32_t* total = source<uint32_t>(w, in.ops[3]);
  for_lanes(lanes, [&](unsigned l) {
    policy.first = w.access.address[l];
    policy.primary_bytes = primary[l];
    policy.bytes = total[l];
    d[l] = policy.encode();
  });
}

// An access property is the 64-bit descriptor of cuda::access_property, which the host made the same way.
void convert(Warp& w, const Instr& in, uint32_t lanes) {
  uint64_t* d = row<uint64_t>(w, in.ops[0]);
  const uint64_t* a = source<uint64_t>(w, in.ops[1]);
  for_lanes(lanes, [&](unsigned l) { d[l] = a[l]; });
}

Eviction eviction(std::string_view text) {
  if (text == ".L2::evict_last") return Eviction::kLast;
  if (text == ".L2::evict_first") return Eviction::kFirst;
  if (text == ".L2::evict_normal") return Eviction::kNormal;
  return Eviction::kUnchanged;
}

void encode(const FormUse& use, Instr& in) {
  in.aux = static_cast<uint8_t>(static_cast<unsigned>(eviction(use.mod(".level::primary_priority"))) |
                                static_cast<unsigned>(eviction(use.mod(".level::secondary_priority"))) << 3);
  in.target = memory_flags(use, 1).pack();
}

FormBuilder common(FormBuilder form) {
  return form.op(OpClass::mov64).encode(encode).since("7.4").needs("sm_80");
}
FormBuilder with_priorities(FormBuilder form) {
  return common(form)
      .set(".level::primary_priority",
           ".L2::evict_last .L2::evict_normal .L2::evict_first .L2::evict_unchanged")
      .set(".level::secondary_priority", ".L2::evict_first .L2::evict_unchanged");
}

}  // namespace

#define PRIORITIES ".level::primary_priority{.level::secondary_priority}"

void register_memory_createpolicy(IsaBuilder& isa) {
  isa.instruction("createpolicy", "9.7.9.18", "Create a cache eviction policy.");
  with_priorities(isa.form("createpolicy.fractional" PRIORITIES ".b64 d{, fraction:f32}"))
      .meaning(fractional);
  with_priorities(isa.form("createpolicy.range{.global}" PRIORITIES ".b64 d, [a], primary:u32, total:u32"))
      .meaning(range);
  common(isa.form("createpolicy.cvt.L2.b64 d, a")).meaning(convert);
}

}  // namespace gpuloom::ptx
