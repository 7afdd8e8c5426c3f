// SPDX-License-Identifier: Apache-2.0
// How copies are carried out: pageable ones by size (between two events, and what the call takes of the host), copies within the
// device by size, and whether copies and fills need the SMs: beside a kernel that leaves no place on them for 100 us or so.
#include <chrono>

#include "timeline.cuh"

static double since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
}
// What the call takes, where nothing is under way: the middle of 15.
static void time_call(const std::string& what, long long n, const std::function<void()>& call) {
  std::vector<double> all;
  for (int round = 0; round < 16; ++round) {
    OK(cudaDeviceSynchronize());
    const auto begin = std::chrono::steady_clock::now();
    call();
    if (round > 0) all.push_back(since(begin));
  }
  std::sort(all.begin(), all.end());
  std::printf("%s_call,%lld,%.3f\n", what.c_str(), n, all[all.size() / 2]);
}

int main(int count, char** arguments) {
  Clock clock(count, arguments);
  const cudaStream_t s = stream_of(), t = stream_of();
  const size_t most = 128 << 20;
  char *device, *other, *pinned;
  std::vector<char> pageable(32 << 20, 1);
  OK(cudaMalloc(&device, most));
  OK(cudaMalloc(&other, most));
  OK(cudaMallocHost(&pinned, most));
  const struct { const char* name; bool to; } ways[] = {{"to_pageable", true}, {"from_pageable", false}};
  for (const auto& w : ways)
    for (size_t size = 1 << 10; size <= pageable.size(); size *= 2)
      for (const size_t n : {size, size + size / 2}) {
        if (n > pageable.size()) break;
        const auto copy = [&] {
          if (w.to)
            OK(cudaMemcpyAsync(device, pageable.data(), n, cudaMemcpyHostToDevice, s));
          else
            OK(cudaMemcpyAsync(pageable.data(), device, n, cudaMemcpyDeviceToHost, s));
        };
        clock.time(w.name, n, 0, s, copy);
        time_call(w.name, n, copy);
      }
  for (size_t size = 1 << 20; size <= most; size *= 2)
    for (const size_t n : {size, size + size / 2}) {
      if (n > most) break;
      time_call("within", n, [&] { OK(cudaMemcpyAsync(other, device, n, cudaMemcpyDeviceToDevice, s)); });
      time_call("to_pinned", n, [&] { OK(cudaMemcpyAsync(device, pinned, n, cudaMemcpyHostToDevice, s)); });
      time_call("fill", n, [&] { OK(cudaMemsetAsync(device, 1, n, s)); });
      clock.time("within_queued", n, 200000, s, [&] { OK(cudaMemcpyAsync(other, device, n, cudaMemcpyDeviceToDevice, s)); });
      clock.time("fill_queued", n, 200000, s, [&] { OK(cudaMemsetAsync(device, 1, n, s)); });
    }
  // Two blocks of 1,024 threads fill an SM; they run when the copy reaches the device.
  const auto beside = [&](const char* name, size_t n, const std::function<void()>& copy) {
    clock.time(name, n, 0, s, [&] {
      spin<<<264, 1024, 0, t>>>(200000);
      for (const auto begin = std::chrono::steady_clock::now(); since(begin) < 30;) {
      }
      copy();
    });
  };
  for (const size_t n : {size_t{64}, size_t{1} << 16, size_t{1} << 20, size_t{16} << 20}) {
    beside("within_beside_full", n, [&] { OK(cudaMemcpyAsync(other, device, n, cudaMemcpyDeviceToDevice, s)); });
    beside("fill_beside_full", n, [&] { OK(cudaMemsetAsync(device, 1, n, s)); });
    beside("to_pinned_beside_full", n, [&] { OK(cudaMemcpyAsync(device, pinned, n, cudaMemcpyHostToDevice, s)); });
  }
}
