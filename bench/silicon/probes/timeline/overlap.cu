// SPDX-License-Identifier: Apache-2.0
// The guide's example: two streams, each copies its half to the device, works on it and copies it back. Stream by stream
// (depth first) or step by step (breadth first).
#include "timeline.cuh"

__global__ void __launch_bounds__(128) work(float4* x, int n, int turns) {
  work_on(x, n, turns);
}

int main(int count, char** arguments) {
  Clock clock(count, arguments);
  const cudaStream_t main_stream = stream_of(), streams[2] = {stream_of(), stream_of()};
  const size_t most = 4 << 20;
  float4 *device, *pinned;
  OK(cudaMalloc(&device, 2 * most));
  OK(cudaMallocHost(&pinned, 2 * most));
  for (size_t i = 0; i < 2 * most / sizeof(float4); ++i) pinned[i] = {1, 2, 3, 4};
  const cudaEvent_t fork = event_of(cudaEventDisableTiming), join[2] = {event_of(cudaEventDisableTiming), event_of(cudaEventDisableTiming)};
  for (const int turns : {10, 250})
    for (const size_t size : {size_t{16} << 10, size_t{64} << 10, size_t{128} << 10, size_t{256} << 10, size_t{512} << 10, size_t{1} << 20,
                              size_t{2} << 20, size_t{4} << 20}) {
      const int n = static_cast<int>(size / sizeof(float4));
      const auto to = [&](int k) { OK(cudaMemcpyAsync(device + k * n, pinned + k * n, size, cudaMemcpyHostToDevice, streams[k])); };
      const auto run = [&](int k) { work<<<std::min(264, (n + 127) / 128), 128, 0, streams[k]>>>(device + k * n, n, turns); };
      const auto back = [&](int k) { OK(cudaMemcpyAsync(pinned + k * n, device + k * n, size, cudaMemcpyDeviceToHost, streams[k])); };
      for (const bool depth : {true, false}) {
        const auto submit = [&] {
          OK(cudaEventRecord(fork, main_stream));
          for (const cudaStream_t s : streams) OK(cudaStreamWaitEvent(s, fork, 0));
          if (depth) {
            for (int k = 0; k < 2; ++k) to(k), run(k), back(k);
          } else {
            for (int k = 0; k < 2; ++k) to(k);
            for (int k = 0; k < 2; ++k) run(k);
            for (int k = 0; k < 2; ++k) back(k);
          }
          for (int k = 0; k < 2; ++k) {
            OK(cudaEventRecord(join[k], streams[k]));
            OK(cudaStreamWaitEvent(main_stream, join[k], 0));
          }
        };
        const std::string name = std::string(depth ? "depth" : "breadth") + (turns == 10 ? "_short" : "_long");
        clock.time(name, size, 0, main_stream, submit);
        clock.time(name + "_queued", size, 400000, main_stream, submit);
      }
      clock.time(turns == 10 ? "kernel_short" : "kernel_long", size, 200000, streams[0], [&] { run(0); });
    }
}
