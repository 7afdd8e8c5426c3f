// SPDX-License-Identifier: Apache-2.0
// Copies by size: to the device and from it, of pinned and of pageable memory, within the device, and both ways at once.
#include "timeline.cuh"

int main(int count, char** arguments) {
  Clock clock(count, arguments);
  const cudaStream_t s = stream_of(), t = stream_of();
  const size_t most = 64 << 20;
  char *device, *other, *pinned, *pinned_too;
  std::vector<char> pageable(most, 1);
  OK(cudaMalloc(&device, most));
  OK(cudaMalloc(&other, most));
  OK(cudaMallocHost(&pinned, most));
  OK(cudaMallocHost(&pinned_too, most));
  const cudaEvent_t fork = event_of(cudaEventDisableTiming), join = event_of(cudaEventDisableTiming);
  const struct { const char* name; void *to, *from; cudaMemcpyKind kind; } ways[] = {
      {"to_pinned", device, pinned, cudaMemcpyHostToDevice},
      {"from_pinned", pinned, device, cudaMemcpyDeviceToHost},
      {"to_pageable", device, pageable.data(), cudaMemcpyHostToDevice},
      {"from_pageable", pageable.data(), device, cudaMemcpyDeviceToHost},
      {"within", other, device, cudaMemcpyDeviceToDevice}};
  for (const auto& w : ways)
    for (const size_t size : {size_t{64}, size_t{1024}, size_t{4096}, size_t{16384}, size_t{65536}, size_t{262144}, size_t{1} << 20,
                              size_t{2} << 20, size_t{4} << 20, size_t{16} << 20, size_t{32} << 20, most}) {
      const auto copy = [&] { OK(cudaMemcpyAsync(w.to, w.from, size, w.kind, s)); };
      clock.time(w.name, size, 0, s, copy);
      if (std::string(w.name).find("pageable") == std::string::npos) clock.time(w.name + std::string("_queued"), size, 200000, s, copy);
    }
  // The first stream's copy to the device beside one of the second stream.
  const auto beside = [&](const char* name, void* to, const void* from, cudaMemcpyKind kind) {
    for (const size_t size : {size_t{65536}, size_t{1} << 20, size_t{16} << 20})
      clock.time(name, size, 200000, s, [&] {
        OK(cudaEventRecord(fork, s));
        OK(cudaStreamWaitEvent(t, fork, 0));
        OK(cudaMemcpyAsync(device, pinned, size, cudaMemcpyHostToDevice, s));
        OK(cudaMemcpyAsync(to, from, size, kind, t));
        OK(cudaEventRecord(join, t));
        OK(cudaStreamWaitEvent(s, join, 0));
      });
  };
  beside("both_ways", pinned_too, other, cudaMemcpyDeviceToHost);
  beside("both_to_the_device", other, pinned_too, cudaMemcpyHostToDevice);
  for (const size_t size : {size_t{4096}, size_t{1} << 20, size_t{16} << 20, most})
    clock.time("fill_queued", size, 200000, s, [&] { OK(cudaMemsetAsync(device, 0, size, s)); });
}
