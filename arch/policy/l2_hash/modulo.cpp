// SPDX-License-Identifier: Apache-2.0
// No hash: partitions, slices and sets follow each other as addresses do. Strides of a power of two then meet
// in few slices and sets, which is what hashes are there to prevent.
#include "arch/policy/interface.h"

namespace {

using namespace gpuloom::policy;

constexpr uint64_t kLine = 128;

class Modulo final : public AddressHash {
 public:
  Modulo(Parameters&, const L2Host& host) : host_(host) {}
  L2Place place(uint64_t line) const override {
    const uint32_t each = host_.slices / host_.partitions;
    return {static_cast<uint32_t>(line / host_.partition_bytes % host_.partitions),
            static_cast<uint32_t>(line / host_.slice_bytes % each)};
  }
  // Lines that one slice has, counted one after another: what lies between them belongs to the other slices.
  uint32_t set(uint64_t line) const override {
    const uint64_t block = line / host_.slice_bytes / host_.slices,
                   in_block = line % host_.slice_bytes / kLine;
    return static_cast<uint32_t>((block * (host_.slice_bytes / kLine) + in_block) % host_.sets);
  }

 private:
  const L2Host host_;
};

}  // namespace

GPULOOM_POLICY(l2_hash, modulo, Modulo)
