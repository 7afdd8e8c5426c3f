// SPDX-License-Identifier: Apache-2.0
// Special registers (PTX ISA 10).
#pragma once
#include <cstdint>
#include <string_view>

#include "ptx/ir/types.h"

namespace gpuloom::ptx {

// clang-format off
// name, type, how it gets its value: kLane: a row computed when the warp starts; kWarp: one value fixed when the warp starts; kDynamic: read at issue.
#define GPULOOM_SPECIAL_REGISTERS(X)                                                                          \
  X(tid_x, "%tid.x", kU32, kLane) X(tid_y, "%tid.y", kU32, kLane) X(tid_z, "%tid.z", kU32, kLane)             \
  X(tid_w, "%tid.w", kU32, kWarp) X(ntid_w, "%ntid.w", kU32, kWarp)                                           \
  X(ntid_x, "%ntid.x", kU32, kWarp) X(ntid_y, "%ntid.y", kU32, kWarp) X(ntid_z, "%ntid.z", kU32, kWarp)       \
  X(laneid, "%laneid", kU32, kLane) X(warpid, "%warpid", kU32, kWarp) X(nwarpid, "%nwarpid", kU32, kWarp)     \
  X(ctaid_x, "%ctaid.x", kU32, kWarp) X(ctaid_y, "%ctaid.y", kU32, kWarp) X(ctaid_z, "%ctaid.z", kU32, kWarp) \
  X(ctaid_w, "%ctaid.w", kU32, kWarp) X(nctaid_w, "%nctaid.w", kU32, kWarp)                                   \
  X(nctaid_x, "%nctaid.x", kU32, kWarp) X(nctaid_y, "%nctaid.y", kU32, kWarp)                                 \
  X(nctaid_z, "%nctaid.z", kU32, kWarp) X(smid, "%smid", kU32, kWarp) X(nsmid, "%nsmid", kU32, kWarp)         \
  X(gridid, "%gridid", kU64, kWarp) X(is_explicit_cluster, "%is_explicit_cluster", kPred, kWarp)              \
  X(clusterid_x, "%clusterid.x", kU32, kWarp) X(clusterid_y, "%clusterid.y", kU32, kWarp)                     \
  X(clusterid_z, "%clusterid.z", kU32, kWarp) X(nclusterid_x, "%nclusterid.x", kU32, kWarp)                   \
  X(nclusterid_y, "%nclusterid.y", kU32, kWarp) X(nclusterid_z, "%nclusterid.z", kU32, kWarp)                 \
  X(clusterid_w, "%clusterid.w", kU32, kWarp) X(nclusterid_w, "%nclusterid.w", kU32, kWarp)                   \
  X(cluster_ctaid_x, "%cluster_ctaid.x", kU32, kWarp) X(cluster_ctaid_y, "%cluster_ctaid.y", kU32, kWarp)     \
  X(cluster_ctaid_z, "%cluster_ctaid.z", kU32, kWarp) X(cluster_nctaid_x, "%cluster_nctaid.x", kU32, kWarp)   \
  X(cluster_nctaid_y, "%cluster_nctaid.y", kU32, kWarp) X(cluster_nctaid_z, "%cluster_nctaid.z", kU32, kWarp) \
  X(cluster_ctaid_w, "%cluster_ctaid.w", kU32, kWarp) X(cluster_nctaid_w, "%cluster_nctaid.w", kU32, kWarp)   \
  X(cluster_ctarank, "%cluster_ctarank", kU32, kWarp) X(cluster_nctarank, "%cluster_nctarank", kU32, kWarp)   \
  X(lanemask_eq, "%lanemask_eq", kU32, kLane) X(lanemask_le, "%lanemask_le", kU32, kLane)                     \
  X(lanemask_lt, "%lanemask_lt", kU32, kLane) X(lanemask_ge, "%lanemask_ge", kU32, kLane)                     \
  X(lanemask_gt, "%lanemask_gt", kU32, kLane) X(clock, "%clock", kU32, kDynamic)                              \
  X(clock_hi, "%clock_hi", kU32, kDynamic) X(clock64, "%clock64", kU64, kDynamic)                             \
  X(globaltimer, "%globaltimer", kU64, kDynamic) X(globaltimer_lo, "%globaltimer_lo", kU32, kDynamic)         \
  X(globaltimer_hi, "%globaltimer_hi", kU32, kDynamic)                                                        \
  X(total_smem_size, "%total_smem_size", kU32, kWarp) X(aggr_smem_size, "%aggr_smem_size", kU32, kWarp)       \
  X(dynamic_smem_size, "%dynamic_smem_size", kU32, kWarp)                                                     \
  X(current_graph_exec, "%current_graph_exec", kU64, kWarp)                                                   \
  X(reserved_smem_offset_begin, "%reserved_smem_offset_begin", kB32, kWarp)                                   \
  X(reserved_smem_offset_end, "%reserved_smem_offset_end", kB32, kWarp)                                       \
  X(reserved_smem_offset_cap, "%reserved_smem_offset_cap", kB32, kWarp)                                       \
  X(reserved_smem_offset_0, "%reserved_smem_offset_0", kB32, kWarp)                                           \
  X(reserved_smem_offset_1, "%reserved_smem_offset_1", kB32, kWarp)
// clang-format on

enum class SpecialRegister : uint8_t {
#define X(id, text, type, how) id,
  GPULOOM_SPECIAL_REGISTERS(X)
#undef X
      envreg0,         // %envreg0 .. %envreg31 follow one another
  pm0 = envreg0 + 32,  // %pm0 .. %pm7
  pm0_64 = pm0 + 8,    // %pm0_64 .. %pm7_64
  count = pm0_64 + 8,
};

enum class SpecialKind : uint8_t { kLane, kWarp, kDynamic };
struct SpecialInfo {
  std::string_view name;
  Type type;
  SpecialKind kind;
};
const SpecialInfo& info(SpecialRegister reg);
// True and sets `reg` where `name` (with %) is a special register. A bare vector name ("%tid") gives its .x
// with `vector` true.
bool special_register_named(std::string_view name, SpecialRegister& reg, bool& vector);

}  // namespace gpuloom::ptx
