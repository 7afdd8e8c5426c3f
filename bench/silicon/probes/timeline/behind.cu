// SPDX-License-Identifier: Apache-2.0
// A copy behind a kernel (or behind a copy the other way), which the host submits ever later: how long after the
// kernel's end, or after its own call, it has ended. And the calls and kernels of the two-stream example, one by one.
#include "stamps.cuh"

struct Stamps { Nanoseconds begin, end; };
static __global__ void timed_spin(uint64_t cycles, Stamps* s) {
  s->begin = gpu_now();
  for (const uint64_t begin = now64(); now64() - begin < cycles;) {
  }
  s->end = gpu_now();
}
static __global__ void __launch_bounds__(128) work(float4* x, int n, int turns, Stamps* s) {
  if (blockIdx.x == 0 && threadIdx.x == 0) s->begin = gpu_now();
  work_on(x, n, turns);
  if (threadIdx.x == 0) atomicMax(&s->end, gpu_now());
}

static const size_t kMost = 4 << 20;
static float4 *on_device, *pinned;
static Stamps *kernels, *read_back;
static Nanoseconds gpu_ahead;

static void copy(bool back, size_t bytes, cudaStream_t s) {
  if (back)
    OK(cudaMemcpyAsync(pinned, on_device, bytes, cudaMemcpyDeviceToHost, s));
  else
    OK(cudaMemcpyAsync(on_device, pinned, bytes, cudaMemcpyHostToDevice, s));
}

// `way`: the copy's; `before`: a kernel of so many cycles, 0: a copy the other way. `apart`: the copy is of another stream.
static void behind(const char* name, bool back, uint64_t before, size_t bytes, bool apart) {
  const cudaStream_t a = stream_of(), b = apart ? stream_of() : a;
  const cudaEvent_t between = event_of(cudaEventDisableTiming);
  for (int late = 0; late <= 24; ++late) {
    Middles all;
    for (int round = 0; round < 10; ++round) {
      const Nanoseconds first = host_now();
      timed_spin<<<1, 1, 0, a>>>(0, kernels);
      if (before != 0)
        timed_spin<<<1, 1, 0, a>>>(before, kernels + 1);
      else
        copy(!back, 65536, a);
      if (apart) {
        OK(cudaEventRecord(between, a));
        OK(cudaStreamWaitEvent(b, between, 0));
      }
      host_waits(late * 1000);
      const Nanoseconds call = host_now();
      copy(back, bytes, b);
      const Nanoseconds returned = host_now();
      timed_spin<<<1, 1, 0, b>>>(0, kernels + 2);
      OK(cudaDeviceSynchronize());
      OK(cudaMemcpy(read_back, kernels, 3 * sizeof(Stamps), cudaMemcpyDeviceToHost));
      if (round == 0) continue;
      const Nanoseconds at = call + gpu_ahead;
      const std::string key = std::string(name) + "_" + std::to_string(bytes);
      all.add(key + "_first_begins_after_its_call", late, read_back[0].begin - first - gpu_ahead);
      all.add(key + "_call_took", late, returned - call);
      if (before != 0) all.add(key + "_kernel_ended_before_call", late, at - read_back[1].end);
      if (before != 0) all.add(key + "_next_after_kernel", late, read_back[2].begin - read_back[1].end);
      all.add(key + "_next_after_call", late, read_back[2].begin - at);
    }
    all.print();
  }
}

static void stages(bool depth, int turns, size_t size) {
  const cudaStream_t main_stream = stream_of(), streams[2] = {stream_of(), stream_of()};
  const cudaEvent_t fork = event_of(cudaEventDisableTiming), join[2] = {event_of(cudaEventDisableTiming), event_of(cudaEventDisableTiming)};
  const cudaEvent_t begin = event_of(), end = event_of();
  const int n = static_cast<int>(size / sizeof(float4));
  Middles all;
  const std::string key = std::string(depth ? "depth" : "breadth") + (turns == 10 ? "_short_" : "_long_");
  for (int round = 0; round < 12; ++round) {
    OK(cudaMemset(kernels, 0, 4 * sizeof(Stamps)));
    OK(cudaDeviceSynchronize());
    std::vector<std::pair<std::string, Nanoseconds>> calls;
    const auto called = [&](const char* what, int k) { calls.emplace_back(what + std::to_string(k), host_now()); };
    const auto to = [&](int k) { called("to", k); OK(cudaMemcpyAsync(on_device + k * n, pinned + k * n, size, cudaMemcpyHostToDevice, streams[k])); };
    const auto run = [&](int k) { called("run", k), work<<<std::min(264, (n + 127) / 128), 128, 0, streams[k]>>>(on_device + k * n, n, turns, kernels + k); };
    const auto back = [&](int k) { called("back", k); OK(cudaMemcpyAsync(pinned + k * n, on_device + k * n, size, cudaMemcpyDeviceToHost, streams[k])); };
    called("begin", 0);
    OK(cudaEventRecord(begin, main_stream));
    called("fork", 0);
    OK(cudaEventRecord(fork, main_stream));
    called("wait", 0);
    for (const cudaStream_t s : streams) OK(cudaStreamWaitEvent(s, fork, 0));
    if (depth) {
      for (int k = 0; k < 2; ++k) to(k), run(k), back(k);
    } else {
      for (int k = 0; k < 2; ++k) to(k);
      for (int k = 0; k < 2; ++k) run(k);
      for (int k = 0; k < 2; ++k) back(k);
    }
    for (int k = 0; k < 2; ++k) {
      called("join", k);
      OK(cudaEventRecord(join[k], streams[k]));
      OK(cudaStreamWaitEvent(main_stream, join[k], 0));
    }
    called("end", 0);
    OK(cudaEventRecord(end, main_stream));
    called("ended", 0);
    OK(cudaDeviceSynchronize());
    called("synchronised", 0);
    float ms = 0;
    OK(cudaEventElapsedTime(&ms, begin, end));
    OK(cudaMemcpy(read_back, kernels, 4 * sizeof(Stamps), cudaMemcpyDeviceToHost));
    if (round == 0) continue;
    const Nanoseconds zero = calls[0].second;
    for (const auto& [what, at] : calls) all.add(key + "call_" + what, size, at - zero);
    for (int k = 0; k < 2; ++k) {
      all.add(key + "kernel_begins_" + std::to_string(k), size, read_back[k].begin - gpu_ahead - zero);
      all.add(key + "kernel_ends_" + std::to_string(k), size, read_back[k].end - gpu_ahead - zero);
    }
    all.add(key + "events", size, static_cast<Nanoseconds>(ms * 1e6));
  }
  all.print();
}

int main() {
  OK(cudaMalloc(&on_device, 2 * kMost));
  OK(cudaMallocHost(&pinned, 2 * kMost));
  OK(cudaMalloc(&kernels, 16 * sizeof(Stamps)));
  OK(cudaMallocHost(&read_back, 16 * sizeof(Stamps)));
  gpu_ahead = ahead();
  for (const size_t bytes : {size_t{4096}, size_t{65536}}) {
    behind("back_behind_short", true, 2000, bytes, false);
    behind("back_behind_long", true, 20000, bytes, false);
    behind("to_behind_short", false, 2000, bytes, false);
    behind("back_behind_short_apart", true, 2000, bytes, true);
    behind("back_behind_copy", true, 0, bytes, false);
  }
  for (const int turns : {10, 250})
    for (const size_t size : {size_t{16} << 10, size_t{64} << 10, size_t{128} << 10, size_t{256} << 10, size_t{512} << 10})
      for (const bool depth : {true, false}) stages(depth, turns, size);
  std::printf("ahead_again,0,%.3f\n", static_cast<double>(ahead() - gpu_ahead) / 1e3);
}
