// SPDX-License-Identifier: Apache-2.0
// Lines of a block's operations that keep few registers, whatever they cost in time. The list scheduler goes
// on along them where nothing else keeps to its limit.
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "ptx/machine/block_edges.h"
#include "ptx/machine/pressure.h"
#include "ptx/machine/ready_queue.h"

namespace gpuloom::ptx {

using Edges = std::vector<std::vector<std::pair<uint32_t, uint32_t>>>;  // by node: another, cycles between

// Source code that does one step for all elements and then the next (Triton's) has all elements alive at a
// time, whatever order keeps to it. The deep line finishes one result after another: each operation stands
// behind what it needs and has not been needed before (post-order, in source order). `before`: what each
// needs. With `size`, the registers of each one's results, what needs most while it is made comes first
// (Sethi and Ullman, JACM 1970). `results`: all of results_of, in the order in which they are to be finished.
std::vector<uint32_t> deep_line(const Edges& before, const std::vector<uint32_t>* size,
                                const std::vector<uint32_t>& results);

// What nothing else in the block needs, in source order.
std::vector<uint32_t> results_of(const std::vector<Node>& nodes, const BlockEdges& edges);

// `results`, those first that use the values they share with others latest: of a filter's sums of rows that
// of the highest row, which has then used all that the next one begins with.
std::vector<uint32_t> latest_users_first(std::vector<uint32_t> results, const BlockEdges& edges,
                                         const Edges& before);

// `line`, but what ends as many lives as it begins comes as soon as it can. A value that several results need
// makes each of them wait in the deep line until it has been used for the last one. Of x * cos - y * sin and
// y * cos + x * sin all first ones come before any second one there; here both are made of the same x and y
// (SASS of rope_halves: 40 registers; along the deep line 56. Goodman and Hsu, ICS 1988, save registers so).
// Leaves `pressure` and `queue` anywhere.
std::vector<uint32_t> thrifty_line(const std::vector<uint32_t>& line, const BlockEdges& edges,
                                   Pressure& pressure, ReadyQueue& queue,
                                   const std::vector<ReadyQueue::Kind>& kinds);

}  // namespace gpuloom::ptx
