// SPDX-License-Identifier: Apache-2.0
// How lanes of one warp wait for each other: a lock that they contend for, a value that one of them writes, and two parts of a warp that loop side by side.
// usage: locks FORM SPACE [count]. It prints nothing more where the warp never gets on; run.sh gives each form ten seconds.
#include <cstring>
#include <string>
#include "../harness.cuh"
constexpr unsigned kTurns = 4, kWarps = 8, kLanes = 32, kMost = kTurns * kWarps * kLanes;
struct Shared { unsigned lock, taken; };
struct Out { unsigned begin[kWarps][kLanes], end[kWarps][kLanes], tries[kWarps][kLanes], who[kMost], when[kMost]; };
// LOOP: the lock in a loop of its own, the work behind it. DONE: the work within the loop, by a flag. FENCED: the same with fences. TESTED: reads before it tries. SLEEPS: sleeps between tries.
// ORDERED: an acquiring exchange and a releasing store.
enum Form { LOOP, DONE, FENCED, TESTED, SLEEPS, ORDERED, kForms };
const char* const kNames[kForms] = {"loop", "done", "fenced", "tested", "sleeps", "ordered"};

__device__ __forceinline__ void inside(volatile Shared* s, Out* out) {
  const unsigned n = s->taken;
  s->taken = n + 1;
  out->who[n] = threadIdx.x;
  out->when[n] = now();
}

template <int FORM, bool COUNT>
__device__ __forceinline__ void turn(Shared* s, Out* out, unsigned& tries) {
  if (FORM == LOOP || FORM == SLEEPS) {
    while (atomicCAS(&s->lock, 0u, 1u) != 0u) {
      if (COUNT) tries++;
      if (FORM == SLEEPS) __nanosleep(100);
    }
    inside(s, out);
    atomicExch(&s->lock, 0u);
  } else if (FORM == TESTED) {
    do {
      while (*(volatile unsigned*)&s->lock != 0u)
        if (COUNT) tries++;
    } while (atomicCAS(&s->lock, 0u, 1u) != 0u);
    inside(s, out);
    atomicExch(&s->lock, 0u);
  } else if (FORM == ORDERED) {
    unsigned was;
    do {
      asm volatile("atom.acquire.gpu.exch.b32 %0, [%1], 1;" : "=r"(was) : "l"(&s->lock) : "memory");
      if (COUNT) tries++;
    } while (was);
    inside(s, out);
    asm volatile("st.release.gpu.b32 [%0], 0;" ::"l"(&s->lock) : "memory");
  } else {
    bool done = false;
    while (!done) {
      if (atomicCAS(&s->lock, 0u, 1u) == 0u) {
        if (FORM == FENCED) __threadfence();
        inside(s, out);
        if (FORM == FENCED) __threadfence();
        atomicExch(&s->lock, 0u);
        done = true;
      } else if (COUNT) {
        tries++;
      }
    }
  }
}

template <int FORM, bool COUNT, bool SHARED>
__global__ void contend(Shared* global, Out* out, unsigned lanes) {
  __shared__ Shared local;
  Shared* s = SHARED ? &local : global;
  if (threadIdx.x == 0) s->lock = s->taken = 0;
  __syncthreads();
  const unsigned lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
  unsigned tries = 0;
  const unsigned begin = now();
  if (lane < lanes)
    for (unsigned k = 0; k < kTurns; k++) turn<FORM, COUNT>(s, out, tries);
  __syncwarp();
  out->end[warp][lane] = now();
  out->begin[warp][lane] = begin;
  out->tries[warp][lane] = tries;
}

// One lane, or all but one, writes a value after `work` dependent operations; the others poll for it. FIRST: the writer's part is the branch's own.
template <bool FIRST, bool SHARED>
__global__ void await(Shared* global, Out* out, unsigned work, unsigned writer) {
  __shared__ Shared local;
  volatile Shared* s = SHARED ? &local : global;
  if (threadIdx.x == 0) s->lock = s->taken = 0;
  __syncthreads();
  const unsigned lane = threadIdx.x;
  unsigned polls = 0;
  float f = lane;
  out->begin[0][lane] = now();
  if ((lane == writer) == FIRST) {
    if (FIRST) {
      for (unsigned k = 0; k < work; k++) asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(f));
      s->lock = 1;
    } else {
      while (s->lock == 0) polls++;
    }
  } else {
    if (FIRST) {
      while (s->lock == 0) polls++;
    } else {
      for (unsigned k = 0; k < work; k++) asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(f));
      s->lock = 1;
    }
  }
  out->when[lane] = now();
  __syncwarp();
  out->end[0][lane] = now();
  out->tries[0][lane] = polls;
  if (f == 12345.f) out->who[0] = 1;
}

// Lane 0 polls for a value while the others wait where they meet it again. It comes from the lane `writer` behind that place (BEHIND), or from a second warp.
template <bool BEHIND, bool SHARED>
__global__ void meet(Shared* global, Out* out, unsigned work, unsigned writer) {
  __shared__ Shared local;
  volatile Shared* s = SHARED ? &local : global;
  if (threadIdx.x == 0) s->lock = s->taken = 0;
  __syncthreads();
  const unsigned lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
  float f = lane;
  out->begin[warp][lane] = now();
  if (warp == 1) {
    for (unsigned k = 0; k < work; k++) asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(f));
    if (!BEHIND && lane == 0) s->lock = 1;
  } else {
    if (lane == 0)
      while (s->lock == 0) {}
    out->when[lane] = now();
    if (BEHIND && lane == writer) s->lock = 1;
  }
  out->end[warp][lane] = now();
  if (f == 12345.f) out->who[0] = 1;
}

// Lanes below `cut` and the others go around loops of their own, which read memory or only compute: one after the other, or in turns?
template <bool READS>
__global__ void halves(Shared* global, Out* out, unsigned cut, unsigned work) {
  const unsigned lane = threadIdx.x;
  unsigned x = lane;
  volatile unsigned* p = &global[lane].taken;
  out->begin[0][lane] = now();
  if (lane < cut) {
#pragma unroll 1
    for (unsigned k = 0; k < work; k++) {
      if (READS) x += *p;
      else asm volatile("mad.lo.u32 %0, %0, %0, 3;" : "+r"(x));
    }
    out->when[lane] = now();
  } else {
#pragma unroll 1
    for (unsigned k = 0; k < work; k++) {
      if (READS) x ^= *p;
      else asm volatile("mad.lo.u32 %0, %0, %0, 5;" : "+r"(x));
    }
    out->when[lane] = now();
  }
  __syncwarp();
  out->end[0][lane] = now();
  if (x == 0x12345678) out->who[0] = 1;
}

static Shared* word;
static Out* dev;
static Out h;
template <class F> void go(F launch) {
  OK(cudaMemset(dev, 0, sizeof h));
  launch();
  OK(cudaDeviceSynchronize());
  OK(cudaMemcpy(&h, dev, sizeof h, cudaMemcpyDeviceToHost));
}
static unsigned longest(unsigned warps) {
  unsigned most = 0;
  for (unsigned w = 0; w < warps; w++)
    for (unsigned l = 0; l < kLanes; l++) most = std::max(most, h.end[w][l] - h.begin[w][l]);
  return most;
}
// Lines: form, space, counted, warps, lanes, launch, turns, cycles of the longest warp, tries in all, then for each turn the lane and its clock since the first.
template <int FORM, bool COUNT, bool SHARED> void locks() {
  for (unsigned warps : {1u, 2u, 8u})
    for (unsigned lanes : {1u, 2u, 4u, 8u, 16u, 32u})
      for (unsigned r = 0; r < 3; r++) {
        go([&] { contend<FORM, COUNT, SHARED><<<1, warps * kLanes>>>(word, dev, lanes); });
        unsigned tries = 0, turns = warps * lanes * kTurns;
        for (unsigned w = 0; w < warps; w++)
          for (unsigned l = 0; l < kLanes; l++) tries += h.tries[w][l];
        std::printf("%s,%s,%d,%u,%u,%u,%u,%u,%u", kNames[FORM], SHARED ? "shared" : "global", COUNT, warps, lanes, r, turns, longest(warps), tries);
        for (unsigned n = 0; n < turns && warps == 1 && r == 2; n++) std::printf(",%u:%u", h.who[n], h.when[n] - h.begin[0][0]);
        std::printf("\n");
        std::fflush(stdout);
      }
}
// Lines: await, space, whose part comes first, writer, operations, launch, clock when it had written, first and last clock that saw it, polls of the first and the last lane.
template <bool FIRST, bool SHARED> void waits() {
  for (unsigned work : {0u, 100u, 1000u, 10000u})
    for (unsigned writer : {0u, 31u})
      for (unsigned r = 0; r < 3; r++) {
        go([&] { await<FIRST, SHARED><<<1, kLanes>>>(word, dev, work, writer); });
        const unsigned other = writer ? 0 : 31, z = h.begin[0][0];
        unsigned first = ~0u, last = 0;
        for (unsigned l = 0; l < kLanes; l++)
          if (l != writer) first = std::min(first, h.when[l] - z), last = std::max(last, h.when[l] - z);
        std::printf("await,%s,%s,%u,%u,%u,%u,%u,%u,%u\n", SHARED ? "shared" : "global", FIRST ? "writer" : "reader", writer, work, r, h.when[writer] - z, first, last, h.tries[0][other]);
        std::fflush(stdout);
      }
}
// Lines: behind or outside, space, operations of the other warp, launch, clock of that warp's end, of lane 0, of the first and the last other lane behind the place where they meet.
template <bool BEHIND, bool SHARED> void meets() {
  for (unsigned work : {0u, 1000u, 10000u})
    for (unsigned r = 0; r < 3; r++) {
      go([&] { meet<BEHIND, SHARED><<<1, 2 * kLanes>>>(word, dev, work, 5); });
      const unsigned z = h.begin[0][0];
      unsigned first = ~0u, last = 0;
      for (unsigned l = 1; l < kLanes; l++) first = std::min(first, h.when[l] - z), last = std::max(last, h.when[l] - z);
      std::printf("%s,%s,%u,%u,%u,%u,%u,%u\n", BEHIND ? "behind" : "outside", SHARED ? "shared" : "global", work, r, h.end[1][0] - z, h.when[0] - z, first, last);
      std::fflush(stdout);
    }
}
// Lines: halves, what the loops do, cut, turns of the loop, launch, clocks when lane 0 and lane 31 were through, end.
template <bool READS> void sides() {
  for (unsigned work : {10u, 100u, 1000u})
    for (unsigned cut : {0u, 1u, 16u})
      for (unsigned r = 0; r < 3; r++) {
        go([&] { halves<READS><<<1, kLanes>>>(word, dev, cut, work); });
        const unsigned z = h.begin[0][0];
        std::printf("halves,%s,%u,%u,%u,%u,%u,%u\n", READS ? "reads" : "computes", cut, work, r, h.when[0] - z, h.when[31] - z, longest(1));
      }
}
template <int FORM> bool chosen(const std::string& form, bool shared, bool count) {
  if (form != kNames[FORM]) return false;
  if (shared) count ? locks<FORM, true, true>() : locks<FORM, false, true>();
  else count ? locks<FORM, true, false>() : locks<FORM, false, false>();
  return true;
}
int main(int argc, char** argv) {
  OK(cudaMalloc(&dev, sizeof h));
  OK(cudaMalloc(&word, 32 * sizeof *word));
  OK(cudaMemset(word, 0, 32 * sizeof *word));
  const std::string form = argc > 1 ? argv[1] : "";
  const bool shared = argc > 2 && !std::strcmp(argv[2], "shared"), count = argc > 3;
  if (form == "await-writer") shared ? waits<true, true>() : waits<true, false>();
  else if (form == "await-reader") shared ? waits<false, true>() : waits<false, false>();
  else if (form == "behind") shared ? meets<true, true>() : meets<true, false>();
  else if (form == "outside") shared ? meets<false, true>() : meets<false, false>();
  else if (form == "halves") sides<true>(), sides<false>();
  else if (!(chosen<LOOP>(form, shared, count) || chosen<DONE>(form, shared, count) || chosen<FENCED>(form, shared, count) || chosen<TESTED>(form, shared, count) ||
             chosen<SLEEPS>(form, shared, count) || chosen<ORDERED>(form, shared, count)))
    return 2;
  return 0;
}
