// SPDX-License-Identifier: Apache-2.0
// Partition, slice and set by independent mixes of the address.
//
// Pairs of lines of one `l2.slice_interleave` block alternate between two slices. H200 (probes/clusters,
// hot): 128 and 256 B that all SMs read come at the rate of one slice of each side, 512 B and 1 KiB of two, 2
// KiB of four, 4 KiB of eight.
#include "arch/policy/interface.h"
#include "arch/policy/mix_address.h"

namespace {

using namespace gpuloom::policy;

constexpr uint64_t kLine = 128;

class Mixed final : public AddressHash {
 public:
  Mixed(Parameters&, const L2Host& host) : host_(host) {}
  L2Place place(uint64_t line) const override {
    const unsigned partition =
        host_.partitions == 1
            ? 0
            : static_cast<unsigned>(mix_address(line / host_.partition_bytes) % host_.partitions);
    const unsigned each = host_.slices / host_.partitions;
    const uint64_t block = mix_address(line / host_.slice_bytes + 0x2545f4);
    const unsigned first = static_cast<unsigned>(block % each);
    const uint64_t odd = line / (2 * kLine) & 1;
    return {partition, odd ? (first + each / 2) % each : first};
  }
  // The set is chosen apart from the slice: both come from one address.
  uint32_t set(uint64_t line) const override {
    return static_cast<uint32_t>(mix_address(line / kLine + 0x51ed27) % host_.sets);
  }

 private:
  const L2Host host_;
};

}  // namespace

GPULOOM_POLICY(l2_hash, xor, Mixed)
