// SPDX-License-Identifier: Apache-2.0
// How many passes an access to shared memory takes. The rule reproduces the counter
// l1tex__data_bank_conflicts_pipe_lsu_mem_shared of an H200 on every stride, store, transpose and ldmatrix
// case that we measured:
// - accesses of up to 4 bytes a lane are one phase of 32 lanes, wider ones two half-warps; ldmatrix and
//   stmatrix take one phase for each 8-row matrix;
// - a phase takes as many passes as the most distinct words any bank must give (lanes that ask for the same
//   word share it): 16 bytes a lane take 4 passes where all lanes differ, and 2 where each half-warp asks for
//   one address (nbody, matmul and sgemm on the H200: l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld);
// - stores of 16 bytes a lane go by quarter-warps: 8 passes each where 8 lanes are 128 bytes apart, 2 where
//   rows of 64 bytes are 80 apart (gemm_wgmma_rs, gemm_s8_mma in bench/silicon/libraries and benchmarks);
// - conflicts are passes beyond those that the same words would need if they were spread over all banks;
// - atomics that add one follow the same rule: a histogram over 256 random bins gives 2.15 conflicts an
//   instruction on an H200, 2.16 by this rule, and 2.54 if lanes that hit one word had a pass each.
#pragma once
#include <cstdint>

#include "ptx/exec/access.h"
#include "ptx/machine/time_record.h"

namespace gpuloom::arch {

struct BankPasses {
  uint16_t phases = 0;  // passes that the access needs without conflicts
  uint16_t passes = 0;  // wavefronts
  uint16_t most = 0;    // passes of the busiest bank in one phase
  uint16_t conflicts() const { return static_cast<uint16_t>(passes - phases); }
};

struct BankGeometry {
  uint32_t banks = 32, bank_bytes = 4;  // powers of two
};

// Loads and atomics, then stores: lanes at `address[lane]` (offsets in shared memory), `lane_bytes` each.
BankPasses bank_passes(const BankGeometry& geometry, const uint64_t* address, uint32_t lanes,
                       unsigned lane_bytes);
BankPasses store_passes(const BankGeometry& geometry, const uint64_t* address, uint32_t lanes,
                        unsigned lane_bytes);
// Atomics other than adding one: lanes that name the same word come one after another too.
BankPasses atomic_passes(const BankGeometry& geometry, const uint64_t* address, uint32_t lanes,
                         unsigned lane_bytes);
// ldmatrix, stmatrix: rows of 16 bytes; `rows` is 8, 16 or 32.
BankPasses matrix_passes(const BankGeometry& geometry, const uint64_t* address, unsigned rows);

using ptx::SharedAtomic;

// Lanes that stay in the shared memory of the block with this rank: the others take no pass here, as the
// H200's counters say.
uint32_t lanes_here(const ptx::MemoryAccess& access, uint32_t own_rank);
// Passes of any access to shared memory, of which `here` are the lanes that stay in the block.
BankPasses shared_passes(const BankGeometry& geometry, const ptx::MemoryAccess& access, uint32_t here,
                         unsigned lane_bytes, SharedAtomic atomic);

}  // namespace gpuloom::arch
