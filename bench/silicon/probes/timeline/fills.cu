// SPDX-License-Identifier: Apache-2.0
// Fills and copies within the device in finer steps, and copies to the device from one, two and four streams.
#include "timeline.cuh"

int main(int count, char** arguments) {
  Clock clock(count, arguments);
  const cudaStream_t s = stream_of();
  const size_t most = size_t{64} << 20;
  char *a, *b, *pinned;
  OK(cudaMalloc(&a, most));
  OK(cudaMalloc(&b, most));
  OK(cudaMallocHost(&pinned, 8 << 20));
  OK(cudaMemset(a, 1, most));
  OK(cudaMemset(b, 1, most));
  for (size_t bytes = 64; bytes <= most; bytes *= bytes < 4096 ? 8 : 2) {
    clock.time("fill_queued", static_cast<long long>(bytes), 200000, s, [&] { OK(cudaMemsetAsync(a, 1, bytes, s)); });
    clock.time("fill_words_queued", static_cast<long long>(bytes), 200000, s, [&] { OK(cudaMemset2DAsync(a, bytes / 4, 1, bytes / 4, 4, s)); });
    clock.time("within_queued", static_cast<long long>(bytes), 200000, s, [&] { OK(cudaMemcpyAsync(b, a, bytes, cudaMemcpyDeviceToDevice, s)); });
  }
  for (const size_t bytes : {size_t{4} << 10, size_t{16} << 10, size_t{64} << 10, size_t{256} << 10, size_t{1} << 20})
    for (const int streams : {1, 2, 4}) {
      const cudaEvent_t fork = event_of(cudaEventDisableTiming);
      std::vector<cudaStream_t> all;
      std::vector<cudaEvent_t> join;
      for (int k = 0; k < streams; ++k) all.push_back(stream_of()), join.push_back(event_of(cudaEventDisableTiming));
      const auto submit = [&] {
        OK(cudaEventRecord(fork, s));
        for (int k = 0; k < streams; ++k) {
          OK(cudaStreamWaitEvent(all[k], fork, 0));
          OK(cudaMemcpyAsync(a + k * bytes, pinned + k * bytes, bytes, cudaMemcpyHostToDevice, all[k]));
          OK(cudaEventRecord(join[k], all[k]));
        }
        for (int k = 0; k < streams; ++k) OK(cudaStreamWaitEvent(s, join[k], 0));
      };
      clock.time("to_of_streams_" + std::to_string(streams), static_cast<long long>(bytes), 0, s, submit);
      clock.time("to_of_streams_queued_" + std::to_string(streams), static_cast<long long>(bytes), 400000, s, submit);
      const auto one = [&] {
        for (int k = 0; k < streams; ++k) OK(cudaMemcpyAsync(a + k * bytes, pinned + k * bytes, bytes, cudaMemcpyHostToDevice, s));
      };
      clock.time("to_in_one_stream_" + std::to_string(streams), static_cast<long long>(bytes), 0, s, one);
      clock.time("to_in_one_stream_queued_" + std::to_string(streams), static_cast<long long>(bytes), 400000, s, one);
    }
}
