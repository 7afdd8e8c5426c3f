// SPDX-License-Identifier: Apache-2.0
// Up to what size do kernels find in L2 what they moved, read or wrote before? A line: what, MiB, us between
// two events.
#include "../streams.cuh"
#include "timeline.cuh"

int main(int count, char** arguments) {
  Clock clock(count, arguments);
  const cudaStream_t s = stream_of(), t = stream_of();
  const cudaEvent_t fork = event_of(cudaEventDisableTiming), join = event_of(cudaEventDisableTiming);
  const int mib = (1 << 20) / sizeof(float4);
  float4* m;
  OK(cudaMalloc(&m, 256 << 20));
  OK(cudaMemset(m, 0, 256 << 20));
  for (const int blocks : {264, 1056}) {
    const std::string of = "_" + std::to_string(blocks);
    for (const int n : {4, 8, 12, 14, 16, 18, 20, 22, 24, 28, 32, 48, 64})
      clock.time("move" + of, n, 200000, s, [&] { move<<<blocks, 256, 0, s>>>(m, m + n * mib, n * mib); });
    for (const int n : {8, 16, 24, 28, 32, 36, 40, 44, 48, 52, 56, 64, 96})
      clock.time("read" + of, n, 200000, s, [&] { read<<<blocks, 256, 0, s>>>(m, m + 200 * mib, n * mib); });
    for (const int n : {8, 16, 20, 24, 26, 28, 30, 32, 36, 40, 48, 64})
      clock.time("write" + of, n, 200000, s, [&] { write<<<blocks, 256, 0, s>>>(m, n * mib); });
  }
  for (const int n : {4, 8, 12, 16, 20, 24})
    clock.time("two_move_264", n, 400000, s, [&] {
      OK(cudaEventRecord(fork, s));
      OK(cudaStreamWaitEvent(t, fork, 0));
      move<<<264, 256, 0, s>>>(m, m + n * mib, n * mib);
      move<<<264, 256, 0, t>>>(m, m + n * mib, n * mib);
      OK(cudaEventRecord(join, t));
      OK(cudaStreamWaitEvent(s, join, 0));
    });
}
