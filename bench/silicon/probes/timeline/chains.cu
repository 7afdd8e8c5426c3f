// SPDX-License-Identifier: Apache-2.0
// Chains of short kernels: as a stream, as a graph, with programmatic dependent launch, and both.
#include "timeline.cuh"

__global__ void empty() {}
// `before` cycles that need nothing of the kernel before, and `after` that do. It lets the next begin at once, or at its end.
__global__ void link(uint64_t before, uint64_t after, bool early) {
  if (early) asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
  if (before != 0)
    for (const uint64_t begin = now64(); now64() - begin < before;) {
    }
  asm volatile("griddepcontrol.wait;" ::: "memory");
  if (after != 0)
    for (const uint64_t begin = now64(); now64() - begin < after;) {
    }
}

// 100 KiB of shared memory a block: two of them fill an SM.
struct Shape { int blocks, shared; uint64_t before, after; bool early; };

static void launch(cudaStream_t s, const Shape& shape, bool dependent) {
  cudaLaunchConfig_t c = {};
  c.gridDim = dim3(shape.blocks), c.blockDim = dim3(64);
  c.dynamicSmemBytes = shape.shared;
  c.stream = s;
  cudaLaunchAttribute a = {};
  a.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  a.val.programmaticStreamSerializationAllowed = 1;
  c.attrs = &a;
  c.numAttrs = dependent ? 1 : 0;
  OK(cudaLaunchKernelEx(&c, link, shape.before, shape.after, shape.early));
}
static cudaGraphExec_t captured(cudaStream_t s, const std::function<void()>& submit) {
  cudaGraph_t g;
  cudaGraphExec_t exec;
  OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
  submit();
  OK(cudaStreamEndCapture(s, &g));
  OK(cudaGraphInstantiate(&exec, g, 0));
  OK(cudaGraphUpload(exec, s));
  OK(cudaStreamSynchronize(s));
  return exec;
}

int main(int count, char** arguments) {
  Clock clock(count, arguments);
  const cudaStream_t s = stream_of();
  empty<<<1, 1, 0, s>>>();
  launch(s, {1, 0, 0, 0, true}, true);
  OK(cudaDeviceSynchronize());
  const uint64_t u = 4000;  // 2 us or so
  const int full = 100 << 10;
  OK(cudaFuncSetAttribute(link, cudaFuncAttributeMaxDynamicSharedMemorySize, full));
  const struct { const char* name; Shape shape; } shapes[] = {
      {"empty", {1, 0, 0, 0, true}},         {"late", {1, 0, 0, 0, false}},
      {"after", {8, 0, 0, 2 * u, true}},      {"halves", {8, 0, u, u, true}},
      {"before", {8, 0, 2 * u, 0, true}},     {"halves_late", {8, 0, u, u, false}},
      {"halves_full", {264, full, u, u, true}}, {"halves_half_full", {132, full, u, u, true}},
      {"two_waves", {528, full, u, u, true}}};
  for (const int n : {10, 100}) {
    const auto plain = [&] { for (int k = 0; k < n; ++k) empty<<<1, 32, 0, s>>>(); };
    clock.time("stream_empty_kernel", n, 0, s, plain);
    clock.time("stream_empty_kernel_queued", n, 20000 * n, s, plain);
    const cudaGraphExec_t exec = captured(s, plain);
    clock.time("graph_empty_kernel", n, 0, s, [&] { OK(cudaGraphLaunch(exec, s)); });
    clock.time("graph_empty_kernel_queued", n, 200000, s, [&] { OK(cudaGraphLaunch(exec, s)); });
    for (const auto& [name, shape] : shapes) {
      if (n == 100 && std::string(name) != "empty" && std::string(name) != "late") continue;
      for (const bool dependent : {false, true}) {
        const auto chain = [&, &shape = shape] { for (int k = 0; k < n; ++k) launch(s, shape, dependent && k > 0); };
        const std::string way = dependent ? "dependent" : "stream";
        if (n == 100 || std::string(name) == "empty") clock.time(way + "_" + name, n, 0, s, chain);
        clock.time(way + "_" + name + "_queued", n, 20000 * n, s, chain);
        const cudaGraphExec_t graph = captured(s, chain);
        clock.time((dependent ? "graph_dependent_" : "graph_") + std::string(name) + "_queued", n, 200000, s, [&] { OK(cudaGraphLaunch(graph, s)); });
      }
    }
  }
}
