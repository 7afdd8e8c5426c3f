// SPDX-License-Identifier: Apache-2.0
// A CUDA program as nvcc would make it, without nvcc: the fatbin stands in the sections where nvcc puts it,
// kernels and variables are registered before main, launches go through the calls that <<<>>> becomes. Prints
// PASS or what is wrong.
#include <cstdio>
#include <cstring>
#include <vector>

#include "sim/cudart/abi.h"

using namespace gpuloom::cudart;

// Of the CUDA runtime API; see its documentation.
extern "C" {
void** __cudaRegisterFatBinary(const void*);
void __cudaRegisterFatBinaryEnd(void**);
void __cudaRegisterFunction(void**, const char*, char*, const char*, int, void*, void*, void*, void*, int*);
void __cudaRegisterVar(void**, char*, char*, const char*, int, size_t, int, int);
void __cudaRegisterManagedVar(void**, void**, char*, const char*, int, size_t, int, int);
char __cudaInitModule(void**);
unsigned __cudaPushCallConfiguration(Dim3, Dim3, size_t, StreamHandle);
int __cudaPopCallConfiguration(Dim3*, Dim3*, size_t*, void*);
int __cudaGetKernel(KernelHandle*, const void*);
int __cudaLaunchKernel(KernelHandle, Dim3, Dim3, void**, size_t, StreamHandle);
int cudaMalloc(void**, size_t);
int cudaFree(void*);
int cudaMemcpy(void*, const void*, size_t, int);
int cudaMemcpyToSymbol(const void*, const void*, size_t, size_t, int);
int cudaMemcpyFromSymbol(void*, const void*, size_t, size_t, int);
int cudaGetLastError();
int cudaPeekAtLastError();
int cudaDeviceSynchronize();
int cudaDeviceReset();
int cudaStreamCreate(StreamHandle*);
int cudaStreamSynchronize(StreamHandle);
int cudaStreamBeginCapture(StreamHandle, int);
int cudaStreamEndCapture(StreamHandle, GraphHandle*);
int cudaGraphInstantiate(GraphExecHandle*, GraphHandle, unsigned long long);
int cudaGraphLaunch(GraphExecHandle, StreamHandle);
int cudaImportExternalMemory(void*, void*);
}

asm(R"(
  .section .nv_fatbin, "a"
  .align 8
gpuloom_test_fatbin:
  .incbin ")" GPULOOM_TEST_FATBIN R"("
  .align 8
  .text
)");
extern "C" const char gpuloom_test_fatbin[];

namespace {

enum { kToDevice = 1, kToHost = 2 };
constexpr int kIllegalAddress = 700, kNotSupported = 801, kInvalidValue = 1;

int failures = 0;

void check(bool holds, const char* what) {
  if (holds) return;
  std::printf("not so: %s\n", what);
  ++failures;
}
#define CHECK(holds) check(holds, #holds)

// Shadows and stubs: their addresses are what counts.
int factor_shadow, launches_shadow;
int* largest_pointer;
char scale_stub, stray_stub;
FatbinWrapper wrapper
    __attribute__((section(".nvFatBinSegment"))) = {kFatbinWrapperMagic, 1, gpuloom_test_fatbin, nullptr};
void** module_handle;

__attribute__((constructor)) void register_all() {
  char* const none = nullptr;
  module_handle = __cudaRegisterFatBinary(&wrapper);
  for (const auto& [stub, name] : {std::pair(&scale_stub, "scale"), std::pair(&stray_stub, "stray")})
    __cudaRegisterFunction(module_handle, stub, none, name, -1, nullptr, nullptr, nullptr, nullptr, nullptr);
  __cudaRegisterVar(module_handle, reinterpret_cast<char*>(&factor_shadow), none, "factor", 0, 4, 1, 0);
  __cudaRegisterVar(module_handle, reinterpret_cast<char*>(&launches_shadow), none, "launches", 0, 4, 0, 0);
  __cudaRegisterManagedVar(module_handle, reinterpret_cast<void**>(&largest_pointer), none, "largest", 0, 4,
                           0, 0);
  __cudaRegisterFatBinaryEnd(module_handle);
}

// What `stub<<<grid, block, 0, stream>>>(arguments)` does.
int launch(const char* stub, unsigned grid, unsigned block, StreamHandle stream,
           std::vector<void*> arguments) {
  if (__cudaPushCallConfiguration({grid, 1, 1}, {block, 1, 1}, 0, stream) != 0) return -1;
  Dim3 g, b;
  size_t shared;
  StreamHandle s;
  if (__cudaPopCallConfiguration(&g, &b, &shared, &s) != 0) return -1;
  KernelHandle kernel;
  if (const int status = __cudaGetKernel(&kernel, stub); status != 0) return status;
  return __cudaLaunchKernel(kernel, g, b, arguments.data(), shared, s);
}

}  // namespace

int main() {
  int n = 1000, plus = 7;
  std::vector<int> in(1000), out(1000);
  for (int i = 0; i < n; ++i) in[static_cast<size_t>(i)] = i;
  const size_t bytes = in.size() * sizeof(int);
  void *a, *b;
  CHECK(cudaMalloc(&a, bytes) == 0);
  CHECK(cudaMalloc(&b, bytes) == 0);
  CHECK(cudaMemcpy(a, in.data(), bytes, kToDevice) == 0);
  __cudaInitModule(module_handle);
  *largest_pointer = -1;
  CHECK(launch(&scale_stub, 4, 256, nullptr, {&a, &b, &n, &plus}) == 0);
  CHECK(cudaMemcpy(out.data(), b, bytes, kToHost) == 0);
  for (int i = 0; i < n; ++i) CHECK(out[static_cast<size_t>(i)] == 2 * i + 7);
  CHECK(*largest_pointer == 2 * 999 + 7);

  const int three = 3;
  int count = 0;
  CHECK(cudaMemcpyToSymbol(&factor_shadow, &three, 4, 0, kToDevice) == 0);
  CHECK(launch(&scale_stub, 4, 256, nullptr, {&a, &b, &n, &plus}) == 0);
  CHECK(cudaMemcpy(out.data(), b, bytes, kToHost) == 0);
  CHECK(out[10] == 37);
  CHECK(cudaMemcpyFromSymbol(&count, &launches_shadow, 4, 0, kToHost) == 0);
  CHECK(count == 2);

  StreamHandle stream;
  GraphHandle graph;
  GraphExecHandle exec;
  CHECK(cudaStreamCreate(&stream) == 0);
  CHECK(cudaStreamBeginCapture(stream, 0) == 0);
  CHECK(launch(&scale_stub, 4, 256, stream, {&a, &b, &n, &plus}) == 0);
  CHECK(cudaStreamEndCapture(stream, &graph) == 0);
  CHECK(cudaGraphInstantiate(&exec, graph, 0) == 0);
  for (int k = 0; k < 3; ++k) CHECK(cudaGraphLaunch(exec, stream) == 0);
  CHECK(cudaStreamSynchronize(stream) == 0);
  CHECK(cudaMemcpyFromSymbol(&count, &launches_shadow, 4, 0, kToHost) == 0);
  CHECK(count == 5);

  CHECK(launch(&scale_stub, 4, 4096, nullptr, {&a, &b, &n, &plus}) == kInvalidValue);
  CHECK(cudaPeekAtLastError() == kInvalidValue);
  CHECK(cudaGetLastError() == kInvalidValue);
  CHECK(cudaGetLastError() == 0);
  char handle[64];
  CHECK(cudaImportExternalMemory(handle, a) == kNotSupported);
  CHECK(launch(&stray_stub, 1, 1, nullptr, {&a}) == 0);
  CHECK(cudaDeviceSynchronize() == kIllegalAddress);
  CHECK(cudaFree(a) == kIllegalAddress);
  CHECK(cudaDeviceReset() == 0);
  CHECK(cudaMalloc(&a, bytes) == 0);
  std::printf("%s\n", failures == 0 ? "PASS" : "FAIL");
  return failures == 0 ? 0 : 1;
}
