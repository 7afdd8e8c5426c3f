// SPDX-License-Identifier: Apache-2.0
// Copies and kernels of several streams at the same time, as in the CUDA C++ guide's example of overlap: a piece of the
// data a stream, in both issue orders; priorities; memory of a pool that a stream gives back while another works.
#include <vector>

#include "check.h"

__global__ void work(const int* in, int* out, int n, int turns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int v = in[i];
  for (int k = 0; k < turns; ++k) v = v * 5 + k;
  out[i] = v;
}

static int expected(int v, int turns) {
  for (int k = 0; k < turns; ++k) v = static_cast<int>(static_cast<unsigned>(v) * 5u + static_cast<unsigned>(k));
  return v;
}

int main() {
  constexpr int kStreams = 4, kPiece = 1 << 12, kTurns = 200, kBytes = kPiece * sizeof(int);
  int *host_in, *host_out, *in, *out;
  CUDA(cudaMallocHost(&host_in, kStreams * kBytes));
  CUDA(cudaMallocHost(&host_out, kStreams * kBytes));
  CUDA(cudaMalloc(&in, kStreams * kBytes));
  CUDA(cudaMalloc(&out, kStreams * kBytes));
  cudaStream_t stream[kStreams];
  for (int s = 0; s < kStreams; ++s) CUDA(cudaStreamCreateWithPriority(&stream[s], cudaStreamNonBlocking, -s));
  for (int order = 0; order < 2; ++order) {
    for (int i = 0; i < kStreams * kPiece; ++i) host_in[i] = i + order, host_out[i] = -1;
    const auto copy_in = [&](int s) {
      CUDA(cudaMemcpyAsync(in + s * kPiece, host_in + s * kPiece, kBytes, cudaMemcpyHostToDevice, stream[s]));
    };
    const auto run = [&](int s) {
      work<<<kPiece / 128, 128, 0, stream[s]>>>(in + s * kPiece, out + s * kPiece, kPiece, kTurns);
    };
    const auto copy_out = [&](int s) {
      CUDA(cudaMemcpyAsync(host_out + s * kPiece, out + s * kPiece, kBytes, cudaMemcpyDeviceToHost, stream[s]));
    };
    if (order == 0) {
      for (int s = 0; s < kStreams; ++s) copy_in(s), run(s), copy_out(s);
    } else {
      for (int s = 0; s < kStreams; ++s) copy_in(s);
      for (int s = 0; s < kStreams; ++s) run(s);
      for (int s = 0; s < kStreams; ++s) copy_out(s);
    }
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < kStreams * kPiece; ++i) CHECK(host_out[i] == expected(i + order, kTurns));
  }

  // A stream waits for another's event; a pool's memory goes back while the other stream still works.
  cudaEvent_t ready, begin, end;
  CUDA(cudaEventCreateWithFlags(&ready, cudaEventDisableTiming));
  CUDA(cudaEventCreate(&begin));
  CUDA(cudaEventCreate(&end));
  int* scratch;
  CUDA(cudaEventRecord(begin, stream[0]));
  CUDA(cudaMallocAsync(&scratch, kBytes, stream[0]));
  work<<<kPiece / 128, 128, 0, stream[0]>>>(in, scratch, kPiece, kTurns);
  CUDA(cudaEventRecord(ready, stream[0]));
  CUDA(cudaStreamWaitEvent(stream[1], ready, 0));
  work<<<kPiece / 128, 128, 0, stream[1]>>>(scratch, out, kPiece, kTurns);
  CUDA(cudaFreeAsync(scratch, stream[1]));
  CUDA(cudaMemsetAsync(out + kPiece, 7, kBytes, stream[2]));
  CUDA(cudaEventRecord(end, stream[1]));
  CUDA(cudaDeviceSynchronize());
  CUDA(cudaMemcpy(host_out, out, 2 * kBytes, cudaMemcpyDeviceToHost));
  for (int i = 0; i < kPiece; ++i) {
    CHECK(host_out[i] == expected(expected(i + 1, kTurns), kTurns));
    CHECK(host_out[kPiece + i] == 0x07070707);
  }
  float milliseconds = 0;
  CUDA(cudaEventElapsedTime(&milliseconds, begin, end));
  CHECK(milliseconds > 0);
  for (cudaStream_t s : stream) CUDA(cudaStreamDestroy(s));
  CUDA(cudaFree(in));
  CUDA(cudaFree(out));
  CUDA(cudaFreeHost(host_in));
  CUDA(cudaFreeHost(host_out));
  return verdict();
}
