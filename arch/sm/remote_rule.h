// SPDX-License-Identifier: Apache-2.0
// What an access to the shared memory of other blocks of the cluster sends over the network between SMs. The
// rule reproduces the rates of an H200 on 13 patterns of targets and words (bench/silicon/probes/clusters):
// - lanes of one target and one line of 128 bytes go together; a packet is counted in flits of a sector;
// - a load asks with one flit and is answered with one for each sector;
// - a store sends a flit for each sector that it covers whole, and else one for each 16 bytes that it
// touches;
// - an atomic of one word takes one flit; of more words, a header and the line's sectors up to the last one
//   touched. Lanes of the same word go in packets of their own. The answer is as long as the request.
#pragma once
#include <cstdint>

#include "arch/types.h"

namespace gpuloom::arch {

enum class RemoteKind : uint8_t { kLoad, kStore, kAtomic };

struct RemotePacket {
  uint16_t rank = 0;  // of the target in the cluster
  uint8_t flits = 0, answer_flits = 0;
};

struct RemotePackets {
  unsigned count = 0;
  RemotePacket packet[kWarpSize];
};

// `lanes` access `address[lane]`, addresses of the cluster's shared window that name their block.
void remote_packets(RemoteKind kind, const uint64_t* address, uint32_t lanes, unsigned lane_bytes,
                    RemotePackets& out);

}  // namespace gpuloom::arch
