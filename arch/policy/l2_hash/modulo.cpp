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
    return {static_cast<uint32_t>(line / host_.partition_bytes % host_.partitions),
            static_cast<uint32_t>(in_partition(line) / host_.slice_bytes % each())};
  }
  double along(uint32_t index) const override { return middle_of_place(index, each()); }
  // Lines that one slice has, counted one after another: what lies between them belongs to the other slices.
  uint32_t set(uint64_t line) const override {
    const uint64_t block = in_partition(line) / host_.slice_bytes / each(),
                   in_block = in_partition(line) % host_.slice_bytes / kLine;
    return static_cast<uint32_t>((block * (host_.slice_bytes / kLine) + in_block) % host_.sets);
  }

 private:
  uint32_t each() const { return host_.slices / host_.partitions; }
  // The address as if the partition's pieces followed each other.
  uint64_t in_partition(uint64_t line) const {
    return line / host_.partition_bytes / host_.partitions * host_.partition_bytes +
           line % host_.partition_bytes;
  }

  const L2Host host_;
};

}  // namespace

GPULOOM_POLICY(l2_hash, modulo, Modulo)
