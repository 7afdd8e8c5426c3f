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
//
// Modelled is what sm_90 has: tile and im2col. What a copy moves is planned in exec/tensor_map.h, when the
// instruction is issued; the engine carries it out like any bulk copy.
//
// Instr::vec is the number of coordinates. Instr::aux: bit 0 the row of the map's address is 32 bits wide,
// bit 1 that of the mbarrier's, bit 2 im2col, bits 3-5 the reduction.
#include <array>
#include <string>

#include "ptx/exec/async_copy.h"
#include "ptx/exec/fault.h"
#include "ptx/exec/memory_flags.h"
#include "ptx/exec/tensor_copy.h"
#include "ptx/isa/memory/memory_sets.h"

namespace gpuloom::ptx {
namespace {

constexpr std::string_view kDims = ".1d .2d .3d .4d .5d";
constexpr std::string_view kIm2colDims = ".3d .4d .5d";
constexpr std::array<std::string_view, 8> kReductions = {"add", "min", "max", "inc",
                                                         "dec", "and", "or",  "xor"};
constexpr unsigned kSharedAlignment = 128;  // measured for loads and stores, with and without swizzle

void note_access(Warp& w, uint32_t lanes) {
  w.access.op = AccessOp::kAsyncCopy;
  w.access.lanes = lanes;
  w.access.lane_bytes = 16;
  w.access.mixed_spaces = false;
  w.access.space = Space::kGlobal;
}

// Reads the map of a lane's operand, plans the copy and puts it into `op`. `offsets`: the place of the im2col
// offsets.
TensorMap plan(Warp& w, const Instr& in, unsigned lane, Place tensor, Place offsets, bool writes,
               AsyncOperation& op) {
  const Place* places = &w.program->extra[static_cast<size_t>(tensor.at)];
  const uint64_t address = row_address(w, places[0], in.aux & 1 ? 32 : 64, lane);
  const TensorMap map = read_tensor_map(w, in, lane, address);
  if (map.rank != in.vec)
    fault(w, in, lane, FaultKind::kIllegal,
          "copies with " + std::to_string(in.vec) + " coordinates through a tensor map of " +
              std::to_string(map.rank) + " dimensions");
  const bool im2col = (in.aux & 4) != 0;
  if (im2col != (map.mode == TensorMode::kIm2col))
    fault(w, in, lane, FaultKind::kIllegal,
          im2col ? "copies in im2col mode through a tiled tensor map"
                 : "copies in tile mode through an im2col tensor map");
  int32_t at[5] = {};
  for (unsigned d = 0; d < in.vec; ++d) at[d] = source<int32_t>(w, places[1 + d])[lane];
  uint16_t shift[3] = {};
  for (unsigned d = 0; offsets.present() && d + 2 < in.vec; ++d)
    shift[d] = source<uint16_t>(w, w.program->extra[static_cast<size_t>(offsets.at) + d])[lane];
  auto transfer = std::make_shared<TensorTransfer>();
  const std::string wrong = plan_transfer(map, at, shift, writes, *transfer);
  if (!wrong.empty()) fault(w, in, lane, FaultKind::kIllegal, wrong);
  transfer->map = address;
  op.bytes = op.source_bytes = transfer->bytes;
  op.tensor = std::move(transfer);
  return map;
}

void check_shared(Warp& w, const Instr& in, unsigned lane, uint64_t address) {
  if (address % kSharedAlignment != 0)
    fault_address(w, in, lane, FaultKind::kMisaligned, "copies a tensor's box from or to, in units of",
                  Space::kShared, address, kSharedAlignment);
}

void take_policy(Warp& w, unsigned lane, Place place, AsyncOperation& op) {
  if (!place.present()) return;
  op.has_policy = true;
  op.policy = source<uint64_t>(w, place)[lane];
}

// [dst], [map, coords], [mbar]{, offsets}{, mask}{, policy}
template <bool Offsets, bool Multicast>
void load(Warp& w, const Instr& in, uint32_t lanes) {
  constexpr unsigned kMask = 3 + Offsets, kPolicy = kMask + Multicast;
  lane_addresses(w, in, in.ops[0], lanes, 16);
  note_access(w, lanes);
  for_lanes(lanes, [&](unsigned l) {
    AsyncOperation op;
    op.kind = AsyncKind::kBulkCopy;
    op.lane = static_cast<uint8_t>(l);
    op.target_space = Space::kSharedCluster;
    op.target = w.access.address[l];
    op.source = plan(w, in, l, in.ops[1], Offsets ? in.ops[3] : Place{}, false, op).address;
    op.has_mbarrier = true;
    op.mbarrier = row_address(w, in.ops[2], in.aux & 2 ? 32 : 64, l);
    if (Multicast) op.multicast = source<uint16_t>(w, in.ops[kMask])[l];
    take_policy(w, l, in.ops[kPolicy], op);
    check_shared(w, in, l, op.target);
    issue_async(w, in, op);
  });
}

// [map, coords], [src]{, policy}
template <bool Reduce>
void store(Warp& w, const Instr& in, uint32_t lanes) {
  lane_addresses(w, in, in.ops[1], lanes, 16);
  note_access(w, lanes);
  for_lanes(lanes, [&](unsigned l) {
    AsyncOperation op;
    op.kind = Reduce ? AsyncKind::kBulkReduce : AsyncKind::kBulkCopy;
    op.lane = static_cast<uint8_t>(l);
    op.source_space = Space::kShared;
    op.target_space = Space::kGlobal;
    op.source = w.access.address[l];
    op.bulk_group = true;
    const TensorMap map = plan(w, in, l, in.ops[0], Place{}, true, op);
    op.target = map.address;
    if (Reduce) {
      const std::string_view name = kReductions[in.aux >> 3 & 7];
      const TensorReduction reduction = tensor_reduction(name, map.element);
      if (reduction.fn == nullptr)
        fault(w, in, l, FaultKind::kIllegal,
              "reduces with ." + std::string(name) + ", which the tensor map's element type does not have");
      op.fn = reduction.fn;
      op.element_bytes = reduction.element_bytes;
    }
    take_policy(w, l, in.ops[2], op);
    check_shared(w, in, l, op.source);
    issue_async(w, in, op);
  });
}

// [map, coords]{, offsets}{, policy}
template <bool Offsets>
void prefetch(Warp& w, const Instr& in, uint32_t lanes) {
  note_access(w, lanes);
  for_lanes(lanes, [&](unsigned l) {
    AsyncOperation op;
    op.kind = AsyncKind::kBulkPrefetch;
    op.lane = static_cast<uint8_t>(l);
    op.source = plan(w, in, l, in.ops[0], Offsets ? in.ops[1] : Place{}, false, op).address;
    w.access.address[l] = op.source;
    take_policy(w, l, in.ops[1 + Offsets], op);
    issue_async(w, in, op);
  });
}

bool im2col(const FormUse& use) { return use.has(".im2col") || use.has(".im2col_no_offs"); }

void encode_at(const FormUse& use, Instr& in, unsigned tensor, unsigned address, unsigned mbarrier) {
  in.target = memory_flags(use, address).pack();
  in.aux = static_cast<uint8_t>((address_bits(use, tensor) == 32 ? 1 : 0) |
                                (mbarrier != 0 && address_bits(use, mbarrier) == 32 ? 2 : 0) |
                                (im2col(use) ? 4 : 0));
}
void encode_load(const FormUse& use, Instr& in) { encode_at(use, in, 1, 0, 2); }
void encode_store(const FormUse& use, Instr& in) {
  encode_at(use, in, 0, 1, 0);
  for (unsigned k = 0; k < kReductions.size(); ++k)
    if (use.has("." + std::string(kReductions[k]))) in.aux |= static_cast<uint8_t>(k << 3);
}
void encode_prefetch(const FormUse& use, Instr& in) { encode_at(use, in, 0, 0, 0); }

// As many coordinates as dimensions, two offsets fewer.
std::string check(const FormUse& use) {
  const Function* function = use.function();
  if (function == nullptr) return {};
  const auto dims = static_cast<unsigned>(use.mod(".dim")[1] - '0');
  for (unsigned i = 0; i < 2; ++i) {
    const Operand& at = use.operand(i);
    if (at.kind != OperandKind::kTensor) continue;
    unsigned count = 0;
    for (uint32_t k = 1; k < at.child_count; ++k) {
      const Operand& child = function->operand_pool[at.first_child + k];
      const bool list = child.kind == OperandKind::kVector || child.kind == OperandKind::kList;
      count += list ? child.child_count : 1;
    }
    if (count != dims)
      return "." + std::to_string(dims) + "d wants " + std::to_string(dims) + " coordinates, not " +
             std::to_string(count);
  }
  return {};
}
std::string check_offsets(const FormUse& use) {
  const auto dims = static_cast<unsigned>(use.mod(".dim")[1] - '0');
  const unsigned list = use.form().operands.size() > 2 && use.form().operands[2].name == "mbar" ? 3 : 1;
  if (use.function() != nullptr && use.element_count(list) + 2 != dims)
    return "im2col copies of " + std::to_string(dims) + " dimensions have " + std::to_string(dims - 2) +
           " offsets";
  return check(use);
}

FormBuilder common(FormBuilder form, std::string_view dims) {
  return form.set(".dim", dims)
      .set(".level::cache_hint", kCacheHint)
      .kind(InstrKind::kAsyncCopy)
      .op(OpClass::utma)
      .since("8.0")
      .needs("sm_90");
}

#define HINT "{.level::cache_hint}"
#define MBAR ".mbarrier::complete_tx::bytes"

void register_loads(IsaBuilder& isa) {
  const std::string head = "cp.async.bulk.tensor.dim.dst.global";
  const std::string operands = " [dst], [map, {c}], [mbar]";
  common(isa.form(head + "{.load_mode}" MBAR HINT + operands + "{, policy:b64}"), kDims)
      .set(".dst", ".shared::cta@8.6 .shared::cluster")
      .set(".load_mode", ".tile")
      .check(check)
      .encode(encode_load)
      .meaning(load<false, false>);
  common(
      isa.form(head + "{.load_mode}" MBAR ".multicast::cluster" HINT + operands + ", mask:b16{, policy:b64}"),
      kDims)
      .set(".dst", ".shared::cluster")
      .set(".load_mode", ".tile")
      .check(check)
      .encode(encode_load)
      .meaning(load<false, true>);
  common(isa.form(head + ".im2col" MBAR HINT + operands + ", i+:b16{, policy:b64}"), kIm2colDims)
      .set(".dst", ".shared::cta@8.6 .shared::cluster")
      .check(check_offsets)
      .encode(encode_load)
      .meaning(load<true, false>);
  common(isa.form(head + ".im2col" MBAR ".multicast::cluster" HINT + operands +
                  ", i+:b16, mask:b16{, policy:b64}"),
         kIm2colDims)
      .set(".dst", ".shared::cluster")
      .check(check_offsets)
      .encode(encode_load)
      .meaning(load<true, true>);
}

// sm_100: gathers, im2col::w, pairs of blocks. The manual puts .cta_group behind the multicast; compilers
// write it in front, or behind the dimension.
void register_newer_loads(IsaBuilder& isa) {
  // Where tcgen05 is (ptxas 13.0).
  constexpr std::string_view kGroups =
      ".cta_group::1@8.6,sm_100f|sm_100a|sm_110f|sm_110a .cta_group::2@8.6,sm_100f|sm_100a|sm_110f|sm_110a";
  constexpr std::string_view kNewer =
      ".tile::gather4@8.6,sm_100 .im2col::w@8.6,sm_100 .im2col::w::128@8.6,sm_100";
  constexpr std::string_view kAll =
      ".tile .tile::gather4@8.6,sm_100 .im2col .im2col::w@8.6,sm_100 .im2col::w::128@8.6,sm_100";
  const auto refused = [&](const std::string& order, const std::string& tail, std::string_view modes) {
    FormBuilder form = common(isa.form("cp.async.bulk.tensor.dim" + order +
                                       HINT " [dst], [map, {c}], [mbar]" + tail + "{, policy:b64}"),
                              kDims);
    const bool multicast = order.find("multicast") != std::string::npos;
    form.set(".dst", multicast ? ".shared::cluster" : ".shared::cta@8.6 .shared::cluster")
        .set(".load_mode", modes)
        .not_modelled("gathers, im2col::w and .cta_group of tensor copies are not modelled yet");
    if (order.find(".group") != std::string::npos) form.set(".group", kGroups);
  };
  for (const std::string tail : {"", "{, i+:any}"}) {
    for (const char* order : {".group.dst.global{.load_mode}" MBAR, ".dst.global{.load_mode}" MBAR ".group"})
      refused(order, tail, kAll);
    refused(".dst.global.load_mode" MBAR, tail, kNewer);
    for (const char* order : {".group.dst.global{.load_mode}" MBAR ".multicast::cluster",
                              ".dst.global{.load_mode}" MBAR ".multicast::cluster.group",
                              ".dst.global{.load_mode}" MBAR ".group.multicast::cluster"})
      refused(order, tail + ", mask:b16", kAll);
    refused(".dst.global.load_mode" MBAR ".multicast::cluster", tail + ", mask:b16", kNewer);
  }
}

void register_stores(IsaBuilder& isa) {
  const std::string operands = " [map, {c}], [src]{, policy:b64}";
  common(isa.form("cp.async.bulk.tensor.dim.global.shared::cta{.load_mode}.bulk_group" HINT + operands),
         kDims)
      .set(".load_mode", ".tile .im2col_no_offs")
      .check(check)
      .encode(encode_store)
      .meaning(store<false>);
  common(isa.form("cp.async.bulk.tensor.dim.global.shared::cta.load_mode.bulk_group" HINT + operands), kDims)
      .set(".load_mode", ".tile::scatter4@8.6,sm_100")
      .not_modelled("scatters of tensor copies are not modelled yet");
  isa.instruction("cp.reduce.async.bulk.tensor", "9.7.9.27.5.3", "Asynchronous reduction into a tensor.");
  common(isa.form("cp.reduce.async.bulk.tensor.dim.global.shared::cta.redOp{.load_mode}.bulk_group" HINT +
                  operands),
         kDims)
      .set(".redOp", ".add .min .max .inc .dec .and .or .xor")
      .set(".load_mode", ".tile .im2col_no_offs")
      .check(check)
      .encode(encode_store)
      .meaning(store<true>);
}

void register_prefetches(IsaBuilder& isa) {
  isa.instruction("cp.async.bulk.prefetch.tensor", "9.7.9.27.5.4", "Prefetch a tensor's box into L2.");
  const std::string head = "cp.async.bulk.prefetch.tensor.dim.L2.global";
  common(isa.form(head + "{.load_mode}" HINT " [map, {c}]{, policy:b64}"), kDims)
      .set(".load_mode", ".tile")
      .check(check)
      .encode(encode_prefetch)
      .meaning(prefetch<false>);
  common(isa.form(head + ".im2col" HINT " [map, {c}], i+:b16{, policy:b64}"), kIm2colDims)
      .check(check_offsets)
      .encode(encode_prefetch)
      .meaning(prefetch<true>);
  for (const std::string tail : {"", "{, i+:any}"})
    common(isa.form(head + ".load_mode" HINT " [map, {c}]" + tail + "{, policy:b64}"), kDims)
        .set(".load_mode", ".tile::gather4@8.6,sm_100 .im2col::w@8.6,sm_100 .im2col::w::128@8.6,sm_100")
        .not_modelled("gathers and im2col::w of tensor copies are not modelled yet");
}

}  // namespace

void register_async_cp_async_bulk_tensor(IsaBuilder& isa) {
  isa.instruction("cp.async.bulk.tensor", "9.7.9.27.5.2", "Asynchronous copy of a tensor's box.");
  register_loads(isa);
  register_newer_loads(isa);
  register_stores(isa);
  register_prefetches(isa);
}

}  // namespace gpuloom::ptx
