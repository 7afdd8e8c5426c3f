// SPDX-License-Identifier: Apache-2.0
// When the copies of the two-stream example begin and end: a kernel watches the first and the last word of what comes to the
// device, a thread of the host those of what comes back. All times are after the host's first call.
#include <atomic>
#include <thread>

#include "stamps.cuh"

struct Watched { const int* word; Nanoseconds seen; };
static __global__ void watch(Watched* all, int value, volatile int* begun) {
  Watched& w = all[blockIdx.x];
  const volatile int* word = w.word;
  atomicAdd_system(const_cast<int*>(begun), 1);
  if (word != nullptr)
    while (*word != value) {
    }
  w.seen = gpu_now();
}
static __global__ void __launch_bounds__(128) work(float4* x, int n, int turns, Nanoseconds* began, Nanoseconds* ended) {
  if (blockIdx.x == 0 && threadIdx.x == 0) *began = gpu_now();
  work_on(x, n, turns);
  if (threadIdx.x == 0) atomicMax(ended, gpu_now());
}

// What a case does: the streams wait for an event of the first one; copies there, kernels, copies back; in how many streams.
struct Case { const char* name; bool fork, depth, run, back; int streams; bool queued; };
static const Case kCases[] = {
    {"depth", true, true, true, true, 2, false},        {"breadth", true, false, true, true, 2, false},
    {"depth_queued", true, true, true, true, 2, true},  {"breadth_queued", true, false, true, true, 2, true},
    {"depth_no_fork", false, true, true, true, 2, false}, {"breadth_no_fork", false, false, true, true, 2, false},
    {"to_two", true, false, false, false, 2, false},    {"to_two_no_fork", false, false, false, false, 2, false},
    {"to_two_run", true, false, true, false, 2, false}, {"one", true, true, true, true, 1, false},
    {"one_no_fork", false, true, true, true, 1, false}, {"to_one", true, true, false, false, 1, false},
    {"to_one_no_fork", false, true, false, false, 1, false}};

int main() {
  const size_t most = 2 << 20;
  float4 *device, *pinned, *returned;
  Watched* watched;
  Nanoseconds *stamps, *read_back;
  int* begun;
  OK(cudaMalloc(&device, 2 * most));
  OK(cudaMallocHost(&pinned, 2 * most));
  OK(cudaMallocHost(&returned, 2 * most));
  OK(cudaMallocHost(&watched, 4 * sizeof(Watched)));
  OK(cudaMalloc(&stamps, 4 * sizeof(Nanoseconds)));
  OK(cudaMallocHost(&read_back, 4 * sizeof(Nanoseconds)));
  OK(cudaMallocHost(&begun, sizeof(int)));
  for (size_t i = 0; i < 2 * most / sizeof(float4); ++i) pinned[i] = {1, 2, 3, 4}, returned[i] = {0, 0, 0, 0};
  OK(cudaMemcpy(device, pinned, 2 * most, cudaMemcpyHostToDevice));
  const Nanoseconds gpu_ahead = ahead();
  const cudaStream_t main_stream = stream_of(), streams[2] = {stream_of(), stream_of()}, watching = stream_of();
  const cudaEvent_t fork = event_of(cudaEventDisableTiming), join[2] = {event_of(cudaEventDisableTiming), event_of(cudaEventDisableTiming)};
  const cudaEvent_t begin = event_of(), end = event_of();
  int tag = 0;
  for (const bool watches : {false, true})
    for (const Case& c : kCases)
      for (const size_t size : {size_t{16} << 10, size_t{64} << 10, size_t{128} << 10, size_t{256} << 10, size_t{512} << 10, size_t{1} << 20}) {
        const int n = static_cast<int>(size / sizeof(float4));
        Middles all;
        const std::string key = std::string(c.name) + (watches ? "" : "_unwatched") + "_";
        for (int round = 0; round < 16; ++round) {
          ++tag;
          const auto word = [&](float4* x, int k, bool last) { return reinterpret_cast<int*>(&x[k * n + (last ? n - 1 : 0)].y); };
          for (int k = 0; k < 2; ++k)
            for (const bool last : {false, true}) *word(pinned, k, last) = tag;
          OK(cudaMemset(stamps, 0, 4 * sizeof(Nanoseconds)));
          for (int w = 0; w < 4; ++w) watched[w] = {w / 2 < c.streams ? word(device, w / 2, w % 2 != 0) : nullptr, 0};
          *begun = 0;
          OK(cudaDeviceSynchronize());
          std::atomic<bool> over{false};
          Nanoseconds back_seen[4] = {};
          std::thread looks;
          if (watches) {
            watch<<<4, 1, 0, watching>>>(watched, tag, begun);
            while (*const_cast<volatile int*>(begun) < 4) {
            }
            looks = std::thread([&] {
              while (!over)
                for (int w = 0; w < 2 * c.streams; ++w)
                  if (back_seen[w] == 0 && *const_cast<volatile int*>(word(returned, w / 2, w % 2 != 0)) == tag) back_seen[w] = host_now();
            });
            host_waits(100000);
          }
          std::vector<std::pair<std::string, Nanoseconds>> calls;
          const auto called = [&](const char* what, int k) { calls.emplace_back(what + std::to_string(k), host_now()); };
          const auto to = [&](int k) { called("to", k); OK(cudaMemcpyAsync(device + k * n, pinned + k * n, size, cudaMemcpyHostToDevice, streams[k])); };
          const auto run = [&](int k) {
            called("run", k);
            if (c.run) work<<<std::min(264, (n + 127) / 128), 128, 0, streams[k]>>>(device + k * n, n, 10, stamps + k, stamps + 2 + k);
          };
          const auto back = [&](int k) { called("back", k); if (c.back) OK(cudaMemcpyAsync(returned + k * n, device + k * n, size, cudaMemcpyDeviceToHost, streams[k])); };
          if (c.queued) spin<<<1, 1, 0, main_stream>>>(200000);
          called("begin", 0);
          OK(cudaEventRecord(begin, main_stream));
          if (c.fork) {
            OK(cudaEventRecord(fork, main_stream));
            for (int k = 0; k < c.streams; ++k) OK(cudaStreamWaitEvent(streams[k], fork, 0));
          }
          if (c.depth) {
            for (int k = 0; k < c.streams; ++k) to(k), run(k), back(k);
          } else {
            for (int k = 0; k < c.streams; ++k) to(k);
            for (int k = 0; k < c.streams; ++k) run(k);
            for (int k = 0; k < c.streams; ++k) back(k);
          }
          for (int k = 0; k < c.streams; ++k) {
            OK(cudaEventRecord(join[k], streams[k]));
            OK(cudaStreamWaitEvent(main_stream, join[k], 0));
          }
          called("end", 0);
          OK(cudaEventRecord(end, main_stream));
          OK(cudaStreamSynchronize(main_stream));
          called("synchronised", 0);
          over = true;
          if (looks.joinable()) looks.join();
          OK(cudaDeviceSynchronize());
          float ms = 0;
          OK(cudaEventElapsedTime(&ms, begin, end));
          OK(cudaMemcpy(read_back, stamps, 4 * sizeof(Nanoseconds), cudaMemcpyDeviceToHost));
          if (round == 0) continue;
          const Nanoseconds zero = calls[0].second;
          for (const auto& [what, at] : calls) all.add(key + "call_" + what, size, at - zero);
          const char* ends[] = {"first_of_", "last_of_"};
          for (int k = 0; k < c.streams; ++k) {
            const std::string number = std::to_string(k);
            for (int last = 0; last < 2; ++last) {
              if (watches) all.add(key + ends[last] + "to" + number, size, watched[2 * k + last].seen - gpu_ahead - zero);
              if (watches && c.back) all.add(key + ends[last] + "back" + number, size, back_seen[2 * k + last] - zero);
            }
            if (c.run) all.add(key + "kernel_begins" + number, size, read_back[k] - gpu_ahead - zero);
            if (c.run) all.add(key + "kernel_ends" + number, size, read_back[2 + k] - gpu_ahead - zero);
          }
          all.add(key + "events", size, static_cast<Nanoseconds>(ms * 1e6));
        }
        all.print();
      }
  std::printf("ahead_again,0,%.3f\n", static_cast<double>(ahead() - gpu_ahead) / 1e3);
}
