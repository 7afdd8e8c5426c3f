// SPDX-License-Identifier: Apache-2.0
#include "ptx/exec/check/init_check.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "ptx/exec/check/shadow.h"
#include "ptx/exec/fault.h"
#include "ptx/exec/memory_path.h"

namespace gpuloom::ptx {
namespace {

bool is_local(Space space) { return space == Space::kLocal || space == Space::kParamFunction; }

std::vector<uint8_t>& local_map(Warp& w, uint64_t end) {
  std::vector<uint8_t>& map = shadow_of(w).blocks[w.cta->cluster_rank].local[w.index_in_cta];
  if (map.size() < end * 32) map.resize(end * 32, 0);
  return map;
}

}  // namespace

void InitCheck::block_started(Cta& cta) {
  ClusterShadow::Block& block = cta.cluster->shadow->blocks[cta.cluster_rank];
  block.shared.assign(cta.shared.size(), 0);
  block.local.resize(cta.warps.size());
}

void InitCheck::written(Warp& w, unsigned lane, Space space, uint64_t address, uint64_t bytes) {
  if (space == Space::kGlobal) return global_.set(address, bytes);
  if (is_shared(space)) {
    std::vector<uint8_t>& map = shadow_of(w).blocks[rank_of(w, address)].shared;
    const uint64_t offset = address & kOffsetInShared;
    if (offset < map.size()) std::memset(&map[offset], 1, std::min<uint64_t>(bytes, map.size() - offset));
    return;
  }
  if (!is_local(space)) return;
  std::vector<uint8_t>& map = local_map(w, address + bytes);
  for (uint64_t b = 0; b < bytes; ++b) map[(address + b) * 32 + lane] = 1;
}

void InitCheck::read(Warp& w, const Instr& in, unsigned lane, Space space, uint64_t address, uint64_t bytes) {
  uint64_t bad = 0;
  if (space == Space::kGlobal) {
    bad = global_.first_unset(address, bytes) - address;
  } else if (is_shared(space)) {
    const std::vector<uint8_t>& map = shadow_of(w).blocks[rank_of(w, address)].shared;
    const uint64_t offset = address & kOffsetInShared;
    while (bad < bytes && offset + bad < map.size() && map[offset + bad] != 0) ++bad;
  } else if (is_local(space)) {
    const std::vector<uint8_t>& map = local_map(w, address + bytes);
    while (bad < bytes && map[(address + bad) * 32 + lane] != 0) ++bad;
  } else {
    return;
  }
  if (bad == bytes) return;
  const uint32_t pc = index_of(w, in);
  if (!findings_.count(FindingKind::kUninitialised, *w.program, pc, Findings::kNoOther)) return;
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address));
  std::string near;
  if (space == Space::kGlobal && w.launch->memory != nullptr)
    near = w.launch->memory->describe(address, bytes);
  if (is_shared(space)) near = shared_name(*w.program, address & kOffsetInShared);
  findings_.message(w, pc,
                    thread_name(w, lane) + " reads " + std::to_string(bytes) +
                        (bytes == 1 ? " byte" : " bytes") + " at " + std::string(ptx::name(space)) +
                        " address " + text + (near.empty() ? "" : ", " + near) + ", of which byte " +
                        std::to_string(bad) + " has never been written");
}

void InitCheck::local_entered(Warp& w, uint32_t lanes, uint32_t begin, uint32_t bytes) {
  std::vector<uint8_t>& map = local_map(w, uint64_t{begin} + bytes);
  for (uint64_t at = begin; at < uint64_t{begin} + bytes; ++at)
    for_lanes(lanes, [&](unsigned l) { map[at * 32 + l] = 0; });
}

}  // namespace gpuloom::ptx
