// SPDX-License-Identifier: Apache-2.0
// Partition, slice and set by the exclusive or of address bits, so that blocks that follow each other meet in
// no slice twice before they have been nearly everywhere.
//
// H200 (probes/memory, slices: which addresses wait for each other's atomics): of every 8 KiB one half
// belongs to each partition, in an order that changes. A KiB belongs to two slices, which alternate by 256
// bytes. Of 8 KiB in a row of one partition no two share a slice, of 16 and 32, aligned, no three do, and of
// 64 no five, where a partition has 47 slices. Had addresses chosen slices at random, 64 KiB would give one
// slice 8.
#include <bit>
#include <vector>

#include "arch/policy/interface.h"
#include "arch/policy/mix_address.h"

namespace {

using namespace gpuloom::policy;

constexpr uint64_t kLine = 128;
constexpr unsigned kFraction = 16;  // bits of a place between two slices

class Mixed final : public AddressHash {
 public:
  Mixed(Parameters&, const L2Host& host)
      : host_(host),
        each_(host.slices / host.partitions),
        round_bits_(static_cast<unsigned>(std::countr_zero(std::bit_ceil(each_)))) {
    for (uint32_t block = 0; block < 1u << round_bits_; ++block) spread_.push_back(reversed(block));
  }
  L2Place place(uint64_t line) const override {
    const uint64_t turn = line / host_.partition_bytes / host_.partitions;
    const uint64_t in_turn = line / host_.partition_bytes % host_.partitions;
    const auto partition = static_cast<uint32_t>(
        (in_turn + 1 + mix_address(turn)) % host_.partitions);  // which is called 0 is as good as the other
    // Blocks of this partition, one after another. A round of them begins at each slice once or twice.
    const uint64_t block = (turn * host_.partition_bytes + line % host_.partition_bytes) / host_.slice_bytes;
    const uint64_t round = block >> round_bits_;
    const uint64_t mixed = mix_address(round + 0x2545f4);
    const uint64_t in_round = spread_[block & mask()] ^ (mixed >> kFraction & mask());
    const uint64_t place = in_round << kFraction | (mixed & ((1u << kFraction) - 1));
    const uint64_t first = place * each_ >> (round_bits_ + kFraction);
    const uint64_t second = (line / (2 * kLine) ^ block >> 3 ^ mixed >> 40) & 1;
    return {partition, static_cast<uint32_t>((first + second) % each_)};
  }
  // The set is chosen apart from the slice: both come from one address.
  uint32_t set(uint64_t line) const override {
    return static_cast<uint32_t>(mix_address(line / kLine + 0x51ed27) % host_.sets);
  }

 private:
  uint64_t mask() const { return (uint64_t{1} << round_bits_) - 1; }
  // The low bits, which change first, become the high ones: neighbours lie far apart.
  uint32_t reversed(uint32_t block) const {
    uint32_t out = 0;
    for (unsigned bit = 0; bit < round_bits_; ++bit) out |= (block >> bit & 1) << (round_bits_ - 1 - bit);
    return out;
  }

  const L2Host host_;
  const uint32_t each_;           // slices of a partition
  const unsigned round_bits_;     // of the number of a block in its round
  std::vector<uint32_t> spread_;  // by that number
};

}  // namespace

GPULOOM_POLICY(l2_hash, xor, Mixed)
