// SPDX-License-Identifier: Apache-2.0
// An H200's own function: partition, slice and set by the exclusive or of address bits, and where a side's
// slices stand. The numbers below are this GPU's, as a polynomial is ipoly's. On others it is an estimate,
// which their configuration says beside `hash: h200`.
//
// Source: probes/memory, slices. It says which of 4,096 KiB in a row wait for each other's atomics, and this
// gives all of them their slice (bench/silicon/probes/memory/hash.py). What it is:
// - A partition has each 4 KiB of two, by the parity of every other bit of the address.
// - A KiB of a partition has two slices that are neighbours on a ring, and alternate by 256 bytes.
// - Five sums of bits say where its pair lies in a turn. A turn deals 32 KiB to 24 pairs, so that each third
//   pair gets two. It is 48 slices long on a ring of 47, and begins eight slices later for each 64 KiB.
// So of 8 KiB in a row no two share a pair, of 16 one or two do, and slices are used evenly from 2 MiB on.
// Pages of 2 MiB lie anywhere in memory: their numbers are mixed instead of known.
#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <vector>

#include "arch/policy/interface.h"
#include "arch/policy/mix_address.h"
#include "base/divisor.h"

namespace {

using namespace gpuloom::policy;
using gpuloom::Divisor;

constexpr uint64_t kLine = 128;
constexpr unsigned kTurnBits = 5, kTurn = 1u << kTurnBits;  // KiB that are dealt to all pairs
constexpr unsigned kPageBits = 10;                          // of a KiB's number in its page, of one partition
// Which bits of that number each bit of the place in the turn sums, from the lowest.
constexpr std::array<uint32_t, kTurnBits> kSums = {0b0111100101, 0b0011001010, 0b1100100110, 0b0111101000,
                                                   0b1110110101};
constexpr uint32_t kSecond = 0b1111110100;  // the same of the half of the pair that comes first
constexpr uint64_t kPartition = 0x5555'5555'5555'5555ull;  // of the number of a piece of both partitions
constexpr unsigned kOrders = 64, kOrderShift = 58;         // of sets, told apart by the six upper bits
constexpr unsigned kBehind = 8;                            // slices that the turns move on by, each two
// Distances of slices repeat along the ring after six, as if they belonged to six units in turn, which stand
// in this order along a line. probes/memory, slices near: 343, 348, 362, 363, 375 and 385 cycles to slices of
// the near side, eight times. So the two slices of a KiB are not equally far, and a copy of 2 KiB waits for a
// far one (lat_bulk_2048).
constexpr std::array<unsigned, 6> kUnits = {1, 0, 2, 5, 3, 4};

bool odd(uint64_t bits) { return std::popcount(bits) & 1; }

class H200 final : public AddressHash {
 public:
  H200(Parameters&, const L2Host& host)
      : host_(host),
        each_(host.slices / host.partitions),
        pairs_((each_ + 1) / 2),
        partitions_(host.partitions),
        of_both_(uint64_t{host.partition_bytes} * host.partitions),
        of_partition_(host.partition_bytes),
        of_slice_(host.slice_bytes),
        lines_(std::max<uint64_t>(1, host.slice_bytes / kLine)),
        sets_(host.sets),
        in_partition_(each_),
        turns_(2 * each_ / std::gcd(each_, kBehind)) {
    while (pairs_ > kTurn << finer_) ++finer_;
    for (uint32_t step = 1; steps_.size() < kOrders; ++step)
      if (std::gcd(step, host.sets) == 1) steps_.push_back(step);
    for (uint32_t block = 0; block < 1u << kPageBits; ++block) {
      Part& part = parts_[block];
      for (unsigned bit = 0; bit < kTurnBits; ++bit) part.place |= odd(block & kSums[bit]) << bit;
      part.second = odd(block & kSecond);
    }
    count_blocks();
  }
  L2Place place(uint64_t line) const override {
    const Block b = block_of(line);
    const uint32_t partition = partition_of(b);
    return {partition, slice_of(in_turn(b), second_of(b, line, partition), behind(b.number))};
  }
  double along(uint32_t index) const override {
    constexpr unsigned kInTurn = kUnits.size();
    const double in_unit = middle_of_place(index / kInTurn, (each_ + kInTurn - 1) / kInTurn);
    return (kUnits[index % kInTurn] + in_unit) / kInTurn;
  }
  // A slice's lines in a row get all sets before one gets a second line, in another order each time (H200:
  // probes/timeline, capacity: up to 40 MiB that are read again and again stay in L2, and 18 MiB that are
  // copied). So it counts the blocks that the slice has got in the turns before and in this one.
  uint32_t set(uint64_t line) const override {
    const Block b = block_of(line);
    const uint64_t place = in_turn(b), second = second_of(b, line, partition_of(b));
    const uint64_t turn = b.number >> (kTurnBits + finer_), period = turn / turns_;
    const size_t at = turn % turns_ * each_ + slice_of(place, second, behind(b.number));
    const uint64_t blocks =
        period * of_period_[at % in_partition_] + before_turn_[at] + before_in_turn_[2 * place + second];
    const uint64_t in_block = line / kLine % lines_;
    const uint64_t of_slice =
        in_block >> 2 << 1 | (in_block & 1);  // the two of a pair alternate by two lines
    const uint64_t number = blocks * std::max<uint64_t>(1, lines_.value() / 2) + of_slice;
    const uint64_t order = mix_address(number / sets_ + 0x51ed27);
    const uint64_t step = steps_[order >> kOrderShift];
    return static_cast<uint32_t>((number % sets_ * step + (order & 0xffff)) % sets_);
  }

 private:
  struct Part {
    uint8_t place = 0, second = 0;
  };
  // A block of a partition, its page, and where the piece of both partitions lies that it belongs to.
  struct Block {
    uint64_t number, page, both, in_both;
  };
  Block block_of(uint64_t line) const {
    const uint64_t both = line / of_both_, rest = line - both * of_both_.value();
    const uint64_t in_both = rest / of_partition_, in_piece = rest - in_both * of_partition_.value();
    // Blocks of this partition, one after another.
    const uint64_t block = (both * of_partition_.value() + in_piece) / of_slice_;
    return {block, mix_address((block >> kPageBits) + 0x2545f4), both, in_both};
  }
  const Part& part_of(const Block& b) const { return parts_[b.number & ((1u << kPageBits) - 1)]; }
  uint32_t partition_of(const Block& b) const {
    return static_cast<uint32_t>((b.in_both + odd(b.both & kPartition) + (b.page >> 40)) % partitions_);
  }
  // Which of its pair's slices has the line.
  uint64_t second_of(const Block& b, uint64_t line, uint32_t partition) const {
    return part_of(b).second ^ (line / (2 * kLine) & 1) ^ (partition & 1) ^ (b.page >> 41 & 1);
  }
  uint64_t behind(uint64_t block) const { return (block >> (kTurnBits + 1)) * kBehind % in_partition_; }
  uint32_t slice_of(uint64_t place, uint64_t second, uint64_t behind) const {
    return static_cast<uint32_t>((2 * pair_at(place) + second + each_ - behind) % in_partition_);
  }
  // How many blocks each slice gets, turn by turn, until the turns begin where the first did.
  void count_blocks() {
    const uint64_t places = uint64_t{kTurn} << finer_;
    before_turn_.resize(turns_.value() * each_);
    before_in_turn_.resize(2 * places);
    of_period_.resize(each_);
    for (uint64_t turn = 0; turn < turns_.value(); ++turn) {
      std::copy(of_period_.begin(), of_period_.end(), &before_turn_[turn * each_]);
      std::vector<uint32_t> of_turn(each_);
      for (uint64_t at = 0; at < 2 * places; ++at) {
        const uint32_t slice = slice_of(at / 2, at % 2, behind(turn * places));
        before_in_turn_[at] = of_turn[slice]++;
        ++of_period_[slice];
      }
    }
  }
  uint64_t in_turn(const Block& b) const {
    // More pairs than a turn has places are told apart by what comes next in the address.
    const uint64_t finer = (b.number >> kTurnBits ^ b.page >> 16) & ((1u << finer_) - 1);
    return (part_of(b).place ^ (b.page & (kTurn - 1))) << finer_ | finer;
  }
  uint64_t pair_at(uint64_t in_turn) const {
    return (in_turn * pairs_ + (kTurn << finer_) - 1) >> (kTurnBits + finer_);
  }
  const L2Host host_;
  const uint32_t each_;   // slices of a partition
  const uint32_t pairs_;  // of neighbours
  // Bytes of a piece of both partitions, of one, and of a slice's block; the lines of that; sets of a slice;
  // slices of a partition; turns of a period.
  const Divisor partitions_, of_both_, of_partition_, of_slice_, lines_, sets_, in_partition_, turns_;
  std::vector<uint64_t> steps_;                // that go through all sets
  unsigned finer_ = 0;                         // bits by which a turn is finer than 32
  std::vector<uint32_t> of_period_;            // blocks of a slice in a period
  std::vector<uint32_t> before_turn_;          // in turns before, by turn and slice
  std::vector<uint32_t> before_in_turn_;       // in this turn, by place and half of the pair
  std::array<Part, 1u << kPageBits> parts_{};  // by the number of a block in its page
};

}  // namespace

GPULOOM_POLICY(l2_hash, h200, H200)
