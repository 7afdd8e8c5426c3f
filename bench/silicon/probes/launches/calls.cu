// SPDX-License-Identifier: Apache-2.0
// What calls of the host take, and what follows what at which distance: launches in a stream, as a graph, with
// programmatic dependent launch; events, copies and waits. Lines: what,n,us.
#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "../harness.cuh"

__global__ void empty() {}
__global__ void depending() { asm volatile("griddepcontrol.launch_dependents; griddepcontrol.wait;" ::: "memory"); }
__global__ void spin(uint64_t cycles) {
  for (const uint64_t begin = now64(); now64() - begin < cycles;) {
  }
}

static double clock_us() {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
static double median(std::vector<double> all) {
  std::sort(all.begin(), all.end());
  return all[all.size() / 2];
}
static void say(const char* what, int n, double us) { std::printf("%s,%d,%.3f\n", what, n, us); }

static cudaStream_t s;
static cudaEvent_t begin_event, end_event;

// Each of n calls while the GPU is busy, so that nothing but the call is in the time.
static void call_time(const char* what, int n, const std::function<void()>& call) {
  std::vector<double> each;
  for (int round = 0; round < 9; ++round) {
    spin<<<1, 1, 0, s>>>(4000000);
    const double begin = clock_us();
    for (int k = 0; k < n; ++k) call();
    each.push_back((clock_us() - begin) / n);
    OK(cudaDeviceSynchronize());
  }
  say(what, n, median(each));
}

// From the first event to the second, on the device, with everything queued before it begins; and of the host, from
// the first call to the end of the wait.
static void chain_time(const std::string& what, int n, const std::function<void()>& submit) {
  std::vector<double> device, host;
  for (int round = 0; round < 9; ++round) {
    spin<<<1, 1, 0, s>>>(6000000);
    OK(cudaEventRecord(begin_event, s));
    submit();
    OK(cudaEventRecord(end_event, s));
    OK(cudaDeviceSynchronize());
    float ms = 0;
    OK(cudaEventElapsedTime(&ms, begin_event, end_event));
    device.push_back(ms * 1e3);
    const double begin = clock_us();
    submit();
    OK(cudaStreamSynchronize(s));
    host.push_back(clock_us() - begin);
  }
  say((what + "_queued").c_str(), n, median(device));
  say((what + "_wall").c_str(), n, median(host));
}

static void launch_dependent() {
  cudaLaunchConfig_t c = {};
  c.gridDim = c.blockDim = dim3(1);
  c.stream = s;
  cudaLaunchAttribute a = {};
  a.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  a.val.programmaticStreamSerializationAllowed = 1;
  c.attrs = &a;
  c.numAttrs = 1;
  OK(cudaLaunchKernelEx(&c, depending));
}

static cudaGraphExec_t graph_of(int n, bool chain) {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  OK(cudaGraphCreate(&graph, 0));
  cudaGraphNode_t last = nullptr;
  for (int k = 0; k < n; ++k) {
    cudaKernelNodeParams p = {};
    p.func = (void*)empty;
    p.gridDim = p.blockDim = dim3(1);
    cudaGraphNode_t node;
    OK(cudaGraphAddKernelNode(&node, graph, chain && last ? &last : nullptr, chain && last ? 1 : 0, &p));
    last = node;
  }
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphUpload(exec, s));
  OK(cudaStreamSynchronize(s));
  return exec;
}

int main() {
  OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  OK(cudaEventCreate(&begin_event));
  OK(cudaEventCreate(&end_event));
  cudaEvent_t quiet;
  OK(cudaEventCreateWithFlags(&quiet, cudaEventDisableTiming));
  char *pinned, *device, *other;
  std::vector<char> pageable(1 << 20);
  OK(cudaMallocHost(&pinned, 1 << 20));
  OK(cudaMalloc(&device, 1 << 20));
  OK(cudaMalloc(&other, 1 << 20));
  for (int k = 0; k < 50; ++k) empty<<<1, 1, 0, s>>>();
  launch_dependent();
  OK(cudaDeviceSynchronize());

  call_time("call_launch", 200, [] { empty<<<1, 1, 0, s>>>(); });
  call_time("call_launch_large", 200, [] { empty<<<132, 1024, 0, s>>>(); });
  call_time("call_launch_dependent", 200, launch_dependent);
  call_time("call_record", 200, [] { OK(cudaEventRecord(end_event, s)); });
  call_time("call_record_quiet", 200, [&] { OK(cudaEventRecord(quiet, s)); });
  call_time("call_wait_event", 200, [&] { OK(cudaStreamWaitEvent(s, quiet, 0)); });
  call_time("call_query_event", 200, [] { cudaEventQuery(end_event); });
  call_time("call_query_stream", 200, [] { cudaStreamQuery(s); });
  call_time("call_copy_to_pinned", 100, [&] { OK(cudaMemcpyAsync(device, pinned, 4096, cudaMemcpyHostToDevice, s)); });
  call_time("call_copy_from_pinned", 100, [&] { OK(cudaMemcpyAsync(pinned, device, 4096, cudaMemcpyDeviceToHost, s)); });
  call_time("call_copy_within", 100, [&] { OK(cudaMemcpyAsync(other, device, 4096, cudaMemcpyDeviceToDevice, s)); });
  call_time("call_fill", 100, [&] { OK(cudaMemsetAsync(device, 0, 4096, s)); });
  for (const int n : {1, 10, 100}) {
    const cudaGraphExec_t exec = graph_of(n, true), flat = graph_of(n, false);
    OK(cudaGraphLaunch(exec, s));
    OK(cudaGraphLaunch(flat, s));
    OK(cudaStreamSynchronize(s));
    std::vector<double> each;
    for (int round = 0; round < 15; ++round) {
      spin<<<1, 1, 0, s>>>(1000000);
      const double begin = clock_us();
      OK(cudaGraphLaunch(exec, s));
      each.push_back(clock_us() - begin);
      OK(cudaStreamSynchronize(s));
    }
    say("call_graph", n, median(each));
    chain_time("chain_stream", n, [n] { for (int k = 0; k < n; ++k) empty<<<1, 1, 0, s>>>(); });
    chain_time("chain_dependent", n, [n] { for (int k = 0; k < n; ++k) launch_dependent(); });
    chain_time("chain_graph", n, [&] { OK(cudaGraphLaunch(exec, s)); });
    chain_time("flat_graph", n, [&] { OK(cudaGraphLaunch(flat, s)); });
    chain_time("chain_copies", n, [&, n] { for (int k = 0; k < n; ++k) OK(cudaMemcpyAsync(device, pinned, 4096, cudaMemcpyHostToDevice, s)); });
    chain_time("chain_events", n, [&, n] { for (int k = 0; k < n; ++k) { OK(cudaEventRecord(quiet, s)); OK(cudaStreamWaitEvent(s, quiet, 0)); } });
  }
  std::vector<double> idle, empty_wait;
  for (int round = 0; round < 99; ++round) {
    double begin = clock_us();
    OK(cudaStreamSynchronize(s));
    idle.push_back(clock_us() - begin);
    begin = clock_us();
    empty<<<1, 1, 0, s>>>();
    OK(cudaStreamSynchronize(s));
    empty_wait.push_back(clock_us() - begin);
  }
  say("call_synchronise_idle", 1, median(idle));
  say("launch_and_synchronise", 1, median(empty_wait));
  // Copies by size: to the device, from it, within; pinned and pageable.
  char *big, *big2, *host_big;
  std::vector<char> host_page(64 << 20, 1);
  OK(cudaMalloc(&big, 64 << 20));
  OK(cudaMalloc(&big2, 64 << 20));
  OK(cudaMallocHost(&host_big, 64 << 20));
  struct Way { const char* name; void *to, *from; cudaMemcpyKind kind; };
  const Way ways[] = {{"to_pinned", big, host_big, cudaMemcpyHostToDevice}, {"from_pinned", host_big, big, cudaMemcpyDeviceToHost},
                      {"to_pageable", big, host_page.data(), cudaMemcpyHostToDevice}, {"from_pageable", host_page.data(), big, cudaMemcpyDeviceToHost},
                      {"within", big2, big, cudaMemcpyDeviceToDevice}};
  for (const Way& w : ways)
    for (const int size : {64, 1024, 4096, 16384, 65536, 262144, 1 << 20, 2 << 20, 4 << 20, 16 << 20, 32 << 20, 64 << 20}) {
      std::vector<double> host, dev;
      for (int round = 0; round < 9; ++round) {
        const double begin = clock_us();
        OK(cudaMemcpyAsync(w.to, w.from, size, w.kind, s));
        OK(cudaStreamSynchronize(s));
        host.push_back(clock_us() - begin);
        spin<<<1, 1, 0, s>>>(200000);
        OK(cudaEventRecord(begin_event, s));
        OK(cudaMemcpyAsync(w.to, w.from, size, w.kind, s));
        OK(cudaEventRecord(end_event, s));
        OK(cudaStreamSynchronize(s));
        float ms = 0;
        OK(cudaEventElapsedTime(&ms, begin_event, end_event));
        dev.push_back(ms * 1e3);
      }
      say((std::string("copy_") + w.name + "_device").c_str(), size, median(dev));
      say((std::string("copy_") + w.name + "_wall").c_str(), size, median(host));
    }
  for (const int size : {4096, 1 << 20, 64 << 20}) {
    std::vector<double> dev;
    for (int round = 0; round < 9; ++round) {
      spin<<<1, 1, 0, s>>>(200000);
      OK(cudaEventRecord(begin_event, s));
      OK(cudaMemsetAsync(big, 0, size, s));
      OK(cudaEventRecord(end_event, s));
      OK(cudaStreamSynchronize(s));
      float ms = 0;
      OK(cudaEventElapsedTime(&ms, begin_event, end_event));
      dev.push_back(ms * 1e3);
    }
    say("fill_device", size, median(dev));
  }
}
