// SPDX-License-Identifier: Apache-2.0
// Issuing asynchronous operations: captured in Warp::async for an engine that models their time, or complete
// at once.
#pragma once
#include "ptx/exec/warp.h"
#include "ptx/isa/table/form.h"

namespace gpuloom::ptx {

// An address operand other than the one whose offset is in Instr::imm: its row, `bits` wide.
uint64_t row_address(const Warp& w, Place place, unsigned bits, unsigned lane);
// A shared address (which may carry a rank) from an operand in .shared or a generic one. Throws Fault.
uint64_t shared_address(Warp& w, const Instr& in, unsigned lane, bool generic, uint64_t address);

// Takes the operation of one lane.
void issue_async(Warp& w, const Instr& in, const AsyncOperation& operation);

// st.async and red.async are illegal in a launch without clusters (H200). Throws Fault.
void need_cluster(Warp& w, const Instr& in, uint32_t lanes);

// Checks of bulk copies (PTX ISA 9.7.9.25.4): 16-byte alignment, size a multiple of 16. Throws Fault.
void check_bulk(Warp& w, const Instr& in, const AsyncOperation& operation);

}  // namespace gpuloom::ptx
