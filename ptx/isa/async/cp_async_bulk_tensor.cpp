// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.9.27.5 cp.async.bulk.tensor, cp.reduce.async.bulk.tensor, cp.async.bulk.prefetch.tensor
//
//   cp.async.bulk.tensor.dim.shared::{cta, cluster}.global{.load_mode}.mbarrier::complete_tx::bytes
//       {.multicast::cluster}{.cta_group}{.level::cache_hint}
//       [dst], [tensorMap, coords], [mbar]{, im2colInfo}{, ctaMask}{, cache-policy};
//   cp.async.bulk.tensor.dim.global.shared::cta{.load_mode}.bulk_group{.level::cache_hint}
//       [tensorMap, coords], [src]{, cache-policy};
//   cp.reduce.async.bulk.tensor.dim.global.shared::cta.redOp{.load_mode}.bulk_group{.level::cache_hint}
//       [tensorMap, coords], [src]{, cache-policy};
//   cp.async.bulk.prefetch.tensor.dim.L2.global{.load_mode}{.level::cache_hint}
//       [tensorMap, coords]{, im2colInfo}{, cache-policy};
#include "ptx/isa/memory/memory_sets.h"
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {
namespace {

constexpr std::string_view kDims = ".1d .2d .3d .4d .5d";
constexpr std::string_view kLoadModes =
    ".tile .tile::gather4@8.6,sm_100 .im2col .im2col::w@8.6,sm_100 .im2col::w::128@8.6,sm_100";

FormBuilder common(FormBuilder form) {
  return form.set(".dim", kDims)
      .set(".level::cache_hint", kCacheHint)
      .kind(InstrKind::kAsyncCopy)
      .op(OpClass::utma)
      .since("8.0")
      .needs("sm_90")
      .not_modelled("tensor maps are not modelled yet");
}

}  // namespace

#define HINT "{.level::cache_hint}"
#define MBAR ".mbarrier::complete_tx::bytes"

void register_async_cp_async_bulk_tensor(IsaBuilder& isa) {
  isa.instruction("cp.async.bulk.tensor", "9.7.9.27.5.2", "Asynchronous copy of a tensor's box.");
  // The manual puts .cta_group behind the multicast; compilers write it in front, or behind the dimension.
  constexpr std::string_view kGroups = ".cta_group::1@8.6,sm_100 .cta_group::2@8.6,sm_100";
  for (const char* tail : {"", "{, i+:any}"}) {
    const std::string loads = std::string(" [dst], [map, {c}], [mbar]") + tail;
    for (const char* order :
         {"{.group}.dst.global{.load_mode}" MBAR, ".dst.global{.load_mode}" MBAR "{.group}"})
      common(isa.form(std::string("cp.async.bulk.tensor.dim") + order + HINT + loads + "{, policy:b64}"))
          .set(".dst", ".shared::cta@8.6 .shared::cluster")
          .set(".group", kGroups)
          .set(".load_mode", kLoadModes);
    for (const char* order : {"{.group}.shared::cluster.global{.load_mode}" MBAR ".multicast::cluster",
                              ".shared::cluster.global{.load_mode}" MBAR ".multicast::cluster{.group}",
                              ".shared::cluster.global{.load_mode}" MBAR "{.group}.multicast::cluster"})
      common(isa.form(std::string("cp.async.bulk.tensor.dim") + order + HINT + loads +
                      ", mask:b16{, policy:b64}"))
          .set(".group", kGroups)
          .set(".load_mode", kLoadModes);
  }
  common(isa.form("cp.async.bulk.tensor.dim.global.shared::cta{.load_mode}.bulk_group" HINT
                  " [map, {c}], [src]{, policy:b64}"))
      .set(".load_mode", ".tile .tile::scatter4@8.6,sm_100 .im2col_no_offs");
  isa.instruction("cp.reduce.async.bulk.tensor", "9.7.9.27.5.3", "Asynchronous reduction into a tensor.");
  common(isa.form("cp.reduce.async.bulk.tensor.dim.global.shared::cta.redOp{.load_mode}.bulk_group" HINT
                  " [map, {c}], [src]{, policy:b64}"))
      .set(".redOp", ".add .min .max .inc .dec .and .or .xor")
      .set(".load_mode", ".tile .im2col_no_offs");
  isa.instruction("cp.async.bulk.prefetch.tensor", "9.7.9.27.5.4", "Prefetch a tensor's box into L2.");
  for (const char* tail : {"", "{, i+:any}"})
    common(
        isa.form(std::string("cp.async.bulk.prefetch.tensor.dim.L2.global{.load_mode}" HINT " [map, {c}]") +
                 tail + "{, policy:b64}"))
        .set(".load_mode", kLoadModes);
}

}  // namespace gpuloom::ptx
