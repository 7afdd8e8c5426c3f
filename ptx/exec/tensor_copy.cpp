// SPDX-License-Identifier: Apache-2.0
#include "ptx/exec/tensor_copy.h"

#include <algorithm>
#include <cstring>

#include "ptx/exec/access.h"
#include "ptx/exec/cta.h"
#include "ptx/exec/fault.h"
#include "ptx/exec/mbarrier.h"
#include "ptx/exec/memory_path.h"
#include "ptx/exec/tensor_map_layout.h"

namespace gpuloom::ptx {
namespace {

constexpr uint32_t kChunk = 16;  // what a swizzle moves
constexpr uint64_t kOffsetMask = (1u << kSharedRankShift) - 1;

uint64_t with_rank(uint64_t address, unsigned rank) {
  return (address & kOffsetMask) | uint64_t(rank + 1) << kSharedRankShift;
}

// Calls f(place in shared memory, offset in the box) for each 16 bytes of the box.
template <class F>
void for_chunks(const TensorTransfer& t, uint8_t* shared, uint64_t address, F&& f) {
  const uint64_t first = address & kOffsetMask;
  uint32_t row = 0, column = 0;
  for (uint32_t at = 0; at < t.bytes; at += kChunk) {
    f(shared + (swizzled(t.swizzle, first + row + column) - first), at);
    column += kChunk;
    if (column == t.row_bytes) column = 0, row += t.pitch;
  }
}

std::vector<uint8_t> loaded_box(Warp& w, const Instr& in, const AsyncOperation& op) {
  const TensorTransfer& t = *op.tensor;
  std::vector<uint8_t> box(t.bytes, 0);
  if (t.fill == TensorFill::kNan)  // what the H200 writes, whatever the type: halves of 0x7ff7
    for (uint32_t i = 0; i < t.bytes; ++i) box[i] = i % 2 == 0 ? 0xf7 : 0x7f;
  for (const TensorRun& run : t.runs) {
    std::memcpy(&box[run.offset],
                host_of(w, in, op.lane, Space::kGlobal, run.address, run.bytes, AccessOp::kLoad), run.bytes);
    convert_loaded(t.element, &box[run.offset], run.bytes);
  }
  return box;
}

void load(Warp& w, const Instr& in, const AsyncOperation& op) {
  const TensorTransfer& t = *op.tensor;
  const std::vector<uint8_t> box = loaded_box(w, in, op);
  const auto deliver = [&](uint64_t target, uint64_t mbarrier) {
    uint8_t* to = host_of(w, in, op.lane, op.target_space, target, t.shared_bytes(), AccessOp::kStore);
    for_chunks(t, to, target, [&](uint8_t* place, uint32_t at) { std::memcpy(place, &box[at], kChunk); });
    mbarrier_complete_tx(w, in, op.lane, mbarrier_at(w, in, op.lane, mbarrier, true), t.bytes);
  };
  if (op.multicast == 0) return deliver(op.target, op.mbarrier);
  for (unsigned rank = 0; rank < 16; ++rank)
    if (op.multicast >> rank & 1) deliver(with_rank(op.target, rank), with_rank(op.mbarrier, rank));
}

void store(Warp& w, const Instr& in, const AsyncOperation& op) {
  const TensorTransfer& t = *op.tensor;
  std::vector<uint8_t> box(t.bytes);
  uint8_t* from = host_of(w, in, op.lane, Space::kShared, op.source, t.shared_bytes(), AccessOp::kLoad);
  for_chunks(t, from, op.source, [&](uint8_t* place, uint32_t at) { std::memcpy(&box[at], place, kChunk); });
  alignas(16) uint8_t old[16];
  for (const TensorRun& run : t.runs) {
    uint8_t* to = host_of(w, in, op.lane, Space::kGlobal, run.address, run.bytes,
                          op.fn != nullptr ? AccessOp::kReduce : AccessOp::kStore);
    if (op.fn == nullptr) {
      std::memcpy(to, &box[run.offset], run.bytes);
      continue;
    }
    for (uint32_t i = 0; i < run.bytes; i += op.element_bytes)
      op.fn(to + i, &box[run.offset + i], nullptr, old);
  }
}

}  // namespace

uint8_t* tensor_map_bytes(Warp& w, const Instr& in, unsigned lane, Space space, uint64_t address) {
  uint64_t within = address;
  if (space == Space::kGeneric) space = space_of_generic(within);
  if (within % 64 != 0)
    fault_address(w, in, lane, FaultKind::kMisaligned,
                  "uses a tensor map, which has to lie at a multiple of 64,", space, within, kTensorMapBytes);
  return host_of(w, in, lane, space, within, kTensorMapBytes, AccessOp::kLoad);
}

TensorMap read_tensor_map(Warp& w, const Instr& in, unsigned lane, uint64_t address) {
  TensorMapWords words;
  std::memcpy(words.data(), tensor_map_bytes(w, in, lane, Space::kGeneric, address), kTensorMapBytes);
  if (std::all_of(words.begin(), words.end(), [](uint32_t word) { return word == 0; })) {
    uint64_t within = address;
    const Space space = space_of_generic(within);
    fault_address(w, in, lane, FaultKind::kIllegal,
                  "uses a tensor map that is all zero: none was encoded there (`tensor_maps` of a launch "
                  "file, or tensormap.replace of every field),",
                  space, within, kTensorMapBytes);
  }
  return unpack_tensor_map(words);
}

void complete_tensor(Warp& w, const Instr& in, const AsyncOperation& op) {
  if (op.kind == AsyncKind::kBulkPrefetch) return;
  if (op.tensor->shared_to_global) return store(w, in, op);
  load(w, in, op);
}

}  // namespace gpuloom::ptx
