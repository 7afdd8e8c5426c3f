// SPDX-License-Identifier: Apache-2.0
// Memory and an event of this process in another one (cudaIpc*): the program starts itself again.
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "check.h"

extern char** environ;

namespace {

constexpr int kCount = 1000;

__global__ void add(int* data, int value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kCount) data[i] += value;
}

template <class T>
std::string text_of(const T& handle) {
  std::string text;
  for (size_t i = 0; i < sizeof handle; ++i) {
    char two[3];
    std::snprintf(two, sizeof two, "%02x", reinterpret_cast<const unsigned char*>(&handle)[i]);
    text += two;
  }
  return text;
}

template <class T>
T handle_of(const std::string& text) {
  T handle;
  for (size_t i = 0; i < sizeof handle; ++i)
    reinterpret_cast<unsigned char*>(&handle)[i] =
        static_cast<unsigned char>(std::stoi(text.substr(2 * i, 2), nullptr, 16));
  return handle;
}

int child(const std::string& memory, const std::string& event_text) {
  int *data = nullptr, *again = nullptr;
  const auto handle = handle_of<cudaIpcMemHandle_t>(memory);
  CUDA(cudaIpcOpenMemHandle(reinterpret_cast<void**>(&data), handle, cudaIpcMemLazyEnablePeerAccess));
  CUDA(cudaIpcOpenMemHandle(reinterpret_cast<void**>(&again), handle, cudaIpcMemLazyEnablePeerAccess));
  CHECK(data == again);
  CUDA(cudaIpcCloseMemHandle(again));
  cudaEvent_t event = nullptr;
  CUDA(cudaIpcOpenEventHandle(&event, handle_of<cudaIpcEventHandle_t>(event_text)));
  CUDA(cudaStreamWaitEvent(nullptr, event, 0));
  add<<<kCount / 256 + 1, 256>>>(data, 5);
  CUDA(cudaEventRecord(event, nullptr));
  CUDA(cudaDeviceSynchronize());
  CUDA(cudaIpcCloseMemHandle(data));
  CUDA(cudaEventDestroy(event));
  return failures;
}

int run_again(const std::string& memory, const std::string& event) {
  const char* list[] = {"interprocess", memory.c_str(), event.c_str(), nullptr};
  pid_t process = 0;
  int end = 0;
  CHECK(posix_spawn(&process, "/proc/self/exe", nullptr, nullptr, const_cast<char* const*>(list), environ) ==
        0);
  CHECK(waitpid(process, &end, 0) == process);
  return WIFEXITED(end) ? WEXITSTATUS(end) : -1;
}

int parent() {
  int *other = nullptr, *data = nullptr;
  CUDA(cudaMalloc(&other, 100));  // lies beside it
  CUDA(cudaMalloc(&data, kCount * sizeof(int)));
  CUDA(cudaMemset(data, 0, kCount * sizeof(int)));
  CUDA(cudaMemset(other, 7, 100));
  add<<<kCount / 256 + 1, 256>>>(data, 3);
  cudaEvent_t event = nullptr;
  CUDA(cudaEventCreateWithFlags(&event, cudaEventDisableTiming | cudaEventInterprocess));
  CUDA(cudaEventRecord(event, nullptr));
  cudaIpcMemHandle_t memory;
  cudaIpcEventHandle_t event_handle;
  CUDA(cudaIpcGetMemHandle(&memory, data));
  CUDA(cudaIpcGetEventHandle(&event_handle, event));
  CUDA(cudaDeviceSynchronize());
  CHECK(run_again(text_of(memory), text_of(event_handle)) == 0);
  int seen[kCount] = {};
  char beside = 0;
  CUDA(cudaEventSynchronize(event));
  CUDA(cudaMemcpy(seen, data, sizeof seen, cudaMemcpyDeviceToHost));
  CUDA(cudaMemcpy(&beside, reinterpret_cast<char*>(other) + 99, 1, cudaMemcpyDeviceToHost));
  CHECK(seen[0] == 8 && seen[kCount - 1] == 8 && beside == 7);
  CUDA(cudaFree(data));
  CUDA(cudaMalloc(&data, kCount * sizeof(int)));
  CUDA(cudaFree(data));
  cudaEvent_t plain = nullptr;
  CUDA(cudaEventCreateWithFlags(&plain, cudaEventDisableTiming));
  cudaIpcEventHandle_t none;
  CHECK(cudaIpcGetEventHandle(&none, plain) != cudaSuccess);
  return verdict();
}

}  // namespace

int main(int count, char** arguments) { return count == 3 ? child(arguments[1], arguments[2]) : parent(); }
