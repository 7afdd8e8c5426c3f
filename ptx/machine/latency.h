// SPDX-License-Identifier: Apache-2.0
// When a result can be used.
#pragma once
#include <cstdint>

#include "ptx/isa/table/op_traits.h"
#include "ptx/machine/graph.h"

namespace gpuloom::ptx {

// Whether the result is guarded by a scoreboard. A constant loaded to a uniform register is not (SASS: ULDC
// carries a stall count, 4 up to an ISETP).
bool has_variable_latency(const MachineModel& model, const Node& node);

// Cycles from the issue of a fixed-latency operation to that of one that uses its result.
uint32_t fixed_latency(const MachineModel& model, const Node& node);

// Cycles beyond that for `consumer` (MachineModel::dependence); `producer` and `uniform` (it ran on the
// uniform datapath) say what made the value.
uint32_t extra_latency(const Graph& graph, OpClass producer, uint32_t value, const Node& consumer);

// Whether a guarded `node` of fixed latency takes `value` for its own old result alone, which it does not
// read: the lanes that it holds off keep it. One behind the other then is enough (ptxas, of guarded moves,
// sums, products and logic in any order: stall 1).
bool only_keeps(const MachineModel& model, const Node& node, uint32_t value);

// Whether what waits in `path` has read its registers before a later `writer` writes, with no scoreboard.
bool reads_before(ReadPath path, OpClass writer);

}  // namespace gpuloom::ptx
