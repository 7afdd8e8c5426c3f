// SPDX-License-Identifier: Apache-2.0
// Grids whose blocks wait for each other: cooperative_groups' grid barrier, and barriers, locks and queues
// written by hand. Every result is the same for any order of the blocks. Compiled to grids.ptx: see
// README.md.
#include <cooperative_groups.h>

#include <cstdint>

namespace cg = cooperative_groups;
using u64 = unsigned long long;

struct alignas(64) Map {
  char bytes[128];
};
constexpr unsigned kInMask = 65535;
constexpr size_t kScratch = 1 << 17;  // words of `out` from here on are zero at first and not compared

#define KERNEL(name)                                                                  \
  extern "C" __global__ void name(const __grid_constant__ Map, u64* __restrict__ out, \
                                  const u64* __restrict__ in)

__device__ unsigned thread() { return blockIdx.x * blockDim.x + threadIdx.x; }
__device__ u64 value(const u64* in, unsigned t, unsigned k) { return in[(t * 16 + k) & kInMask]; }

// A block's thread reads what its neighbours in the grid wrote in the phase before.
template <class Sync>
__device__ void phases(u64* out, const u64* in, unsigned count, Sync sync) {
  u64* board = out + kScratch;
  const unsigned t = thread(), all = gridDim.x * blockDim.x;
  u64 acc = value(in, t, 0);
  for (unsigned p = 0; p < count; ++p) {
    u64* side = board + (p & 1) * all;
    side[t] = acc;
    sync();
    acc = acc * 31 + side[(t + blockDim.x) % all] + side[(t + all - 1) % all] * 7;
  }
  out[t] = acc;
}

KERNEL(sync_phases) {
  const cg::grid_group grid = cg::this_grid();
  phases(out, in, 6, [&] { grid.sync(); });
}

KERNEL(sync_arrive_wait) {
  const cg::grid_group grid = cg::this_grid();
  phases(out, in, 6, [&] {
    auto token = grid.barrier_arrive();
    for (int i = 0; i < static_cast<int>(threadIdx.x & 7); ++i) __nanosleep(20);
    grid.barrier_wait(static_cast<decltype(token)&&>(token));
  });
}

KERNEL(sync_twice_a_phase) {
  const cg::grid_group grid = cg::this_grid();
  phases(out, in, 5, [&] {
    grid.sync();
    __syncthreads();
    grid.sync();
  });
}

KERNEL(sync_reduce) {
  const cg::grid_group grid = cg::this_grid();
  u64* cells = out + kScratch;
  const unsigned t = thread();
  u64 acc = value(in, t, 1);
  for (unsigned p = 0; p < 4; ++p) {
    atomicAdd(&cells[p], acc);
    atomicMax(&cells[8 + p], acc);
    grid.sync();
    acc = acc * 3 + cells[p] + (cells[8 + p] >> 1);
  }
  out[t] = acc + grid.size() + grid.thread_rank() * 5 + grid.num_blocks() + grid.block_rank();
}

KERNEL(sync_divergent) {
  const cg::grid_group grid = cg::this_grid();
  const unsigned t = thread();
  phases(out, in, 4, [&] {
    if (threadIdx.x & 1) {
      for (unsigned i = 0; i < (t & 31); ++i) __nanosleep(10);
    }
    grid.sync();
  });
}

// A counter that only grows: fences and relaxed atomics.
KERNEL(counter_barrier) {
  unsigned* counter = reinterpret_cast<unsigned*>(out + kScratch + (1 << 16));
  unsigned target = 0;
  phases(out, in, 6, [&] {
    __syncthreads();
    target += gridDim.x;
    if (threadIdx.x == 0) {
      __threadfence();
      atomicAdd(counter, 1);
      while (*reinterpret_cast<volatile unsigned*>(counter) < target) {
      }
      __threadfence();
    }
    __syncthreads();
  });
}

// The last to come turns the sense: acquire and release operations.
KERNEL(sense_barrier) {
  unsigned* words = reinterpret_cast<unsigned*>(out + kScratch + (1 << 16));
  unsigned sense = 0;
  phases(out, in, 6, [&] {
    __syncthreads();
    sense ^= 1;
    if (threadIdx.x == 0) {
      unsigned old;
      asm volatile("atom.acq_rel.gpu.global.inc.u32 %0, [%1], %2;"
                   : "=r"(old)
                   : "l"(words), "r"(gridDim.x - 1)
                   : "memory");
      if (old == gridDim.x - 1) {
        asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(words + 64), "r"(sense) : "memory");
      } else {
        unsigned now;
        do asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(words + 64) : "memory");
        while (now != sense);
      }
    }
    __syncthreads();
  });
}

// A tree of four-way counters, released from the root.
KERNEL(tree_barrier) {
  unsigned* words = reinterpret_cast<unsigned*>(out + kScratch + (1 << 16));
  unsigned phase = 0;
  phases(out, in, 5, [&] {
    __syncthreads();
    ++phase;
    if (threadIdx.x == 0) {
      unsigned node = blockIdx.x, count = gridDim.x, base = 64;
      bool last = true;
      while (count > 1 && last) {
        const unsigned group = node / 4, groups = (count + 3) / 4, here = min(4u, count - group * 4);
        unsigned old;
        asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], 1;"
                     : "=r"(old)
                     : "l"(words + base + group)
                     : "memory");
        last = old + 1 == here * phase;
        base += groups;
        node = group, count = groups;
      }
      if (last) asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(words) : "memory");
      unsigned now;
      do asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(words) : "memory");
      while (now < phase);
    }
    __syncthreads();
  });
}

// Every block has a flag; block 0 gathers and answers.
KERNEL(flag_barrier) {
  volatile unsigned* flags = reinterpret_cast<unsigned*>(out + kScratch + (1 << 16));
  unsigned phase = 0;
  phases(out, in, 5, [&] {
    ++phase;
    __threadfence();
    __syncthreads();
    if (blockIdx.x == 0) {
      for (unsigned b = threadIdx.x; b < gridDim.x; b += blockDim.x)
        while (b != 0 && flags[b * 8] != phase) {
        }
      __syncthreads();
      for (unsigned b = threadIdx.x; b < gridDim.x; b += blockDim.x) flags[b * 8 + 4] = phase;
    } else if (threadIdx.x == 0) {
      flags[blockIdx.x * 8] = phase;
      while (flags[blockIdx.x * 8 + 4] != phase) {
      }
    }
    __threadfence();
    __syncthreads();
  });
}

// The block that comes last sums what all have left behind.
KERNEL(last_block) {
  __shared__ u64 parts[64];
  __shared__ bool last;
  u64* sums = out + kScratch;
  unsigned* counter = reinterpret_cast<unsigned*>(out + kScratch + (1 << 16));
  const unsigned t = thread();
  parts[threadIdx.x] = value(in, t, 2);
  out[t] = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    u64 sum = 0;
    for (unsigned i = 0; i < blockDim.x; ++i) sum = sum * 5 + parts[i];
    sums[blockIdx.x] = sum;
    __threadfence();
    last = atomicInc(counter, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last) {
    u64 sum = 0;
    for (unsigned b = threadIdx.x; b < gridDim.x; b += blockDim.x) sum += __ldcg(&sums[b]) * (b + 1);
    __threadfence();
    out[threadIdx.x] = sum;
  }
}

// A scan in one pass: a block waits for those before it only. More blocks than fit at once.
KERNEL(look_back) {
  __shared__ u64 parts[64];
  __shared__ u64 before;
  u64* aggregate = out + kScratch;
  u64* prefix = aggregate + 4096;
  unsigned* flag = reinterpret_cast<unsigned*>(out + kScratch + (1 << 16));
  const unsigned t = thread();
  parts[threadIdx.x] = value(in, t, 3) & 0xffffff;
  __syncthreads();
  if (threadIdx.x == 0) {
    u64 sum = 0;
    for (unsigned i = 0; i < blockDim.x; ++i) parts[i] = sum += parts[i];
    const unsigned b = blockIdx.x;
    if (b == 0) {
      prefix[0] = sum;
      __threadfence();
      atomicExch(&flag[0], 2);
      before = 0;
    } else {
      aggregate[b] = sum;
      __threadfence();
      atomicExch(&flag[b], 1);
      u64 run = 0;
      for (unsigned at = b - 1;; --at) {
        unsigned state;
        do asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(state) : "l"(flag + at) : "memory");
        while (state == 0);
        if (state == 2) {
          run += *reinterpret_cast<volatile u64*>(&prefix[at]);
          break;
        }
        run += *reinterpret_cast<volatile u64*>(&aggregate[at]);
      }
      prefix[b] = run + sum;
      asm volatile("st.release.gpu.global.u32 [%0], 2;" ::"l"(flag + b) : "memory");
      before = run;
    }
  }
  __syncthreads();
  out[t] = before + parts[threadIdx.x];
}

// Threads of divergent warps take one lock.
KERNEL(spin_lock) {
  unsigned* lock = reinterpret_cast<unsigned*>(out + kScratch + (1 << 16));
  volatile u64* sum = out + kScratch;
  const unsigned t = thread();
  const u64 mine = value(in, t, 4);
  bool done = false;
  while (!done) {
    if (atomicCAS(lock, 0, 1) == 0) {
      __threadfence();
      sum[0] = sum[0] + mine;
      sum[1] = sum[1] ^ mine;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
  // the last thread of all leaves the result
  __threadfence();
  if (atomicAdd(lock + 32, 1) == gridDim.x * blockDim.x - 1) {
    __threadfence();
    const u64 a = sum[0], b = sum[1];
    out[0] = a + b;
  }
}

KERNEL(ticket_lock) {
  unsigned* ticket = reinterpret_cast<unsigned*>(out + kScratch + (1 << 16));
  unsigned* serving = ticket + 64;
  u64* list = out + kScratch;
  const unsigned t = thread();
  if (threadIdx.x == 0) {
    unsigned mine, now;
    asm volatile("atom.relaxed.gpu.global.add.u32 %0, [%1], 1;" : "=r"(mine) : "l"(ticket) : "memory");
    do asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(serving) : "memory");
    while (now != mine);
    list[0] += value(in, t, 5);
    list[1] = list[1] * 1 + value(in, t, 6);
    if (mine == gridDim.x - 1) out[0] = list[0] + 3 * list[1];
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(serving), "r"(now + 1) : "memory");
  }
  if (t != 0) out[t] = t;
}

// Blocks take items from a queue; an item waits for two that were taken before it.
KERNEL(work_queue) {
  unsigned* head = reinterpret_cast<unsigned*>(out + kScratch + (1 << 16));
  unsigned* ready = head + 64;
  u64* result = out + kScratch;
  __shared__ unsigned item;
  const unsigned items = gridDim.x * 2;
  for (;;) {
    __syncthreads();
    if (threadIdx.x == 0) item = atomicAdd(head, 1);
    __syncthreads();
    const unsigned i = item;
    if (i >= items) break;
    if (threadIdx.x == 0) {
      u64 acc = in[i & kInMask];
      const unsigned parents[2] = {i - 1, i / 2};
      for (unsigned k = 0; k < 2 && i > 0; ++k) {
        unsigned state;
        do
          asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
                       : "=r"(state)
                       : "l"(ready + parents[k])
                       : "memory");
        while (state == 0);
        acc = acc * 13 + __ldcg(&result[parents[k]]);
      }
      result[i] = acc;
      asm volatile("fence.acq_rel.gpu;" ::: "memory");
      asm volatile("st.relaxed.gpu.global.u32 [%0], 1;" ::"l"(ready + i) : "memory");
      if (i == items - 1) atomicExch(&out[0], acc);
    }
  }
}

// A token goes from block to block, many times around.
KERNEL(ring) {
  unsigned* tokens = reinterpret_cast<unsigned*>(out + kScratch + (1 << 16));
  u64* data = out + kScratch;
  const unsigned b = blockIdx.x, next = (b + 1) % gridDim.x;
  if (threadIdx.x == 0) {
    for (unsigned lap = 1; lap <= 4; ++lap) {
      u64 carried = lap;
      if (b != 0 || lap > 1) {
        const unsigned want = b == 0 ? lap - 1 : lap;
        while (atomicAdd(&tokens[b * 8], 0) != want) {
        }
        __threadfence();
        carried = __ldcg(&data[b]);
      }
      __stcg(&data[next], carried * 17 + value(in, b, lap));
      __threadfence();
      atomicExch(&tokens[next * 8], lap);
    }
  }
  __syncthreads();
  // the last lap ends at block 0
  if (threadIdx.x == 0 && b == 0) {
    while (atomicAdd(&tokens[0], 0) != 4) {
    }
    __threadfence();
  }
  __syncthreads();
  out[thread()] = b == 0 ? __ldcg(&data[0]) : b;
}
