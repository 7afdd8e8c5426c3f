// SPDX-License-Identifier: Apache-2.0
// Random programs of streams, events, copies, fills, kernels (dependent launches too) and graphs: each leaves the memory of
// the serial order in which it was submitted, since whatever touches a buffer waits for what touched it before. Some programs
// are captured and launched as a graph, once or several times. Arguments: how many programs, and the seed.
#include <cstdint>
#include <cstdlib>
#include <random>
#include <vector>

#include "check.h"

__global__ void step(uint32_t* out, const uint32_t* in, uint32_t add, uint32_t turns) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  asm volatile("griddepcontrol.launch_dependents; griddepcontrol.wait;" ::: "memory");
  uint32_t v = in[i] * 3 + add;
  for (uint32_t k = 0; k < turns; ++k) v = v * 1664525u + 1013904223u;
  out[i] = v;
}

constexpr uint32_t kCount = 96, kBuffers = 5, kStreams = 4;

struct Piece {
  uint32_t kind, stream, to, from, add, turns, waits;
  bool dependent;
};
using Values = std::vector<uint32_t>;

struct Program {
  std::mt19937& random;
  uint32_t* device[kBuffers];
  uint32_t* host[kBuffers];
  Values expected[kBuffers], on_host[kBuffers];
  cudaStream_t stream[kStreams];
  cudaEvent_t touched[kBuffers];  // the last work on a buffer, of either side
  cudaEvent_t begun, joined[kStreams];
  uint32_t pick(uint32_t n) { return random() % n; }
  Piece random_piece(bool captured) {
    Piece p;
    p.kind = pick(6), p.stream = captured ? 2 + pick(kStreams - 2) : pick(kStreams);
    p.to = pick(kBuffers), p.from = pick(kBuffers), p.add = pick(256), p.turns = pick(30), p.waits = pick(12);
    p.dependent = pick(2) == 0;
    return p;
  }

  void expect(const Piece& p) {
    switch (p.kind) {
      case 0: expected[p.to] = expected[p.from]; break;
      case 1: on_host[p.to] = expected[p.from]; break;
      case 2: expected[p.to] = on_host[p.from]; break;
      case 3: expected[p.to].assign(kCount, p.add * 0x01010101u); break;
      default: {
        Values values(kCount);
        for (uint32_t i = 0; i < kCount; ++i) {
          values[i] = expected[p.from][i] * 3 + p.add;
          for (uint32_t k = 0; k < p.turns; ++k) values[i] = values[i] * 1664525u + 1013904223u;
        }
        expected[p.to] = values;
      }
    }
  }
  void launch(const Piece& p, cudaStream_t s) {
    cudaLaunchConfig_t c = {};
    c.gridDim = dim3(3), c.blockDim = dim3(kCount / 3), c.stream = s;
    cudaLaunchAttribute a = {};
    a.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    a.val.programmaticStreamSerializationAllowed = 1;
    c.attrs = &a, c.numAttrs = p.dependent ? 1 : 0;
    CUDA(cudaLaunchKernelEx(&c, step, device[p.to], static_cast<const uint32_t*>(device[p.from]), p.add, p.turns));
  }
  void submit(const Piece& p) {
    const cudaStream_t s = stream[p.stream];
    const size_t bytes = kCount * 4;
    CUDA(cudaStreamWaitEvent(s, touched[p.to], 0));
    CUDA(cudaStreamWaitEvent(s, touched[p.from], 0));
    switch (p.kind) {
      case 0: CUDA(cudaMemcpyAsync(device[p.to], device[p.from], bytes, cudaMemcpyDeviceToDevice, s)); break;
      case 1: CUDA(cudaMemcpyAsync(host[p.to], device[p.from], bytes, cudaMemcpyDeviceToHost, s)); break;
      case 2: CUDA(cudaMemcpyAsync(device[p.to], host[p.from], bytes, cudaMemcpyHostToDevice, s)); break;
      case 3: CUDA(cudaMemsetAsync(device[p.to], static_cast<int>(p.add), bytes, s)); break;
      case 4: launch(p, s); break;
      default: {  // two in a row, so that the second may be a dependent one: the same twice leaves the same
        if (p.to != p.from) launch(p, s);
        launch(p, s);
      }
    }
    CUDA(cudaEventRecord(touched[p.to], s));
    if (p.from != p.to) CUDA(cudaEventRecord(touched[p.from], s));
  }
  void wait(const Piece& p) {
    if (p.waits == 0) CUDA(cudaStreamSynchronize(stream[p.stream]));
    if (p.waits == 1) CUDA(cudaEventSynchronize(touched[p.to]));
    if (p.waits == 2) static_cast<void>(cudaStreamQuery(stream[p.stream]));
  }

  void run_graph(const std::vector<Piece>& pieces) {
    const cudaStream_t first = stream[2];
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaStreamBeginCapture(first, cudaStreamCaptureModeRelaxed));
    CUDA(cudaEventRecord(begun, first));
    for (uint32_t s = 3; s < kStreams; ++s) CUDA(cudaStreamWaitEvent(stream[s], begun, 0));
    for (const cudaEvent_t e : touched) CUDA(cudaEventRecord(e, first));
    for (const Piece& p : pieces) submit(p);
    for (uint32_t s = 3; s < kStreams; ++s) {
      CUDA(cudaEventRecord(joined[s], stream[s]));
      CUDA(cudaStreamWaitEvent(first, joined[s], 0));
    }
    CUDA(cudaStreamEndCapture(first, &graph));
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    for (uint32_t n = 1 + pick(3); n-- > 0;) {
      CUDA(cudaGraphLaunch(exec, stream[pick(kStreams)]));
      for (const Piece& p : pieces) expect(p);
    }
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(graph));
  }

  bool run() {
    const bool captured = pick(4) == 0;
    for (uint32_t b = 0; b < kBuffers; ++b) {
      expected[b].assign(kCount, b + 1);
      on_host[b].assign(kCount, b + 100);
      CUDA(cudaMemcpy(device[b], expected[b].data(), kCount * 4, cudaMemcpyHostToDevice));
      for (uint32_t i = 0; i < kCount; ++i) host[b][i] = b + 100;
      CUDA(cudaEventRecord(touched[b], stream[0]));
    }
    std::vector<Piece> pieces(3 + pick(8));
    for (Piece& p : pieces) p = random_piece(captured);
    if (captured) {
      run_graph(pieces);
    } else {
      for (const Piece& p : pieces) submit(p), expect(p), wait(p);
    }
    CUDA(cudaDeviceSynchronize());
    bool right = true;
    for (uint32_t b = 0; b < kBuffers; ++b) {
      Values got(kCount);
      CUDA(cudaMemcpy(got.data(), device[b], kCount * 4, cudaMemcpyDeviceToHost));
      right &= got == expected[b];
      for (uint32_t i = 0; i < kCount; ++i) right &= host[b][i] == on_host[b][i];
    }
    return right;
  }
};

int main(int argc, char** argv) {
  const int programs = argc > 1 ? std::atoi(argv[1]) : 100;
  std::mt19937 random(argc > 2 ? std::atoi(argv[2]) : 16);
  Program p{random};
  for (uint32_t b = 0; b < kBuffers; ++b) {
    CUDA(cudaMalloc(&p.device[b], kCount * 4));
    CUDA(cudaMallocHost(&p.host[b], kCount * 4));
    CUDA(cudaEventCreate(&p.touched[b]));
  }
  CUDA(cudaEventCreate(&p.begun));
  for (cudaEvent_t& e : p.joined) CUDA(cudaEventCreate(&e));
  // The legacy stream, a blocking one, and others.
  p.stream[0] = nullptr;
  CUDA(cudaStreamCreate(&p.stream[1]));
  CUDA(cudaStreamCreateWithFlags(&p.stream[2], cudaStreamNonBlocking));
  CUDA(cudaStreamCreateWithPriority(&p.stream[3], cudaStreamNonBlocking, -1));
  for (int n = 0; n < programs; ++n)
    if (!p.run()) {
      std::printf("program %d leaves other memory\n", n);
      ++failures;
      break;
    }
  return verdict();
}
