// SPDX-License-Identifier: Apache-2.0
// The driver API: contexts, modules of PTX, the linker, launches, memory, streams, events, occupancy.
#include <cuda.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "check.h"

namespace {

const char* const kAdd = R"(.version 8.0
.target sm_80
.address_size 64
.visible .global .align 4 .u32 calls;
.visible .const .align 4 .u32 step = 5;
.visible .entry add(.param .u64 place, .param .f32 value)
{
  .reg .b64 %rd<4>; .reg .f32 %f<4>; .reg .b32 %r<4>;
  ld.param.u64 %rd1, [place];
  ld.param.f32 %f1, [value];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  ld.global.f32 %f2, [%rd3];
  add.f32 %f3, %f2, %f1;
  st.global.f32 [%rd3], %f3;
  ld.const.u32 %r3, [step];
  atom.global.add.u32 %r2, [calls], %r3;
  ret;
})";

const char* const kCaller = R"(.version 8.0
.target sm_80
.address_size 64
.extern .func (.param .b32 out) twice (.param .b32 in);
.visible .entry call(.param .u64 place)
{
  .reg .b64 %rd<2>; .reg .b32 %r<3>;
  ld.param.u64 %rd1, [place];
  ld.global.u32 %r1, [%rd1];
  { .param .b32 in; .param .b32 out;
    st.param.b32 [in], %r1;
    call.uni (out), twice, (in);
    ld.param.b32 %r2, [out]; }
  st.global.u32 [%rd1], %r2;
  ret;
})";
const char* const kCallee = R"(.version 8.0
.target sm_80
.address_size 64
.visible .func (.param .b32 out) twice (.param .b32 in)
{
  .reg .b32 %r<3>;
  ld.param.b32 %r1, [in];
  add.u32 %r2, %r1, %r1;
  st.param.b32 [out], %r2;
  ret;
})";

void before_init_and_contexts() {
  int count = 0;
  CHECK(cuDeviceGetCount(&count) == CUDA_ERROR_NOT_INITIALIZED);
  CHECK(cuInit(0) == CUDA_SUCCESS && cuInit(1) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuDeviceGetCount(&count) == CUDA_SUCCESS && count >= 1);
  CUdevice device;
  CHECK(cuDeviceGet(&device, 0) == CUDA_SUCCESS && cuDeviceGet(&device, count) == CUDA_ERROR_INVALID_DEVICE);
  CHECK(cuDeviceGet(&device, 0) == CUDA_SUCCESS);
  int warp = 0;
  CHECK(cuDeviceGetAttribute(&warp, CU_DEVICE_ATTRIBUTE_WARP_SIZE, device) == CUDA_SUCCESS && warp == 32);
  CUdeviceptr memory;
  CHECK(cuMemAlloc(&memory, 4) == CUDA_ERROR_INVALID_CONTEXT);
  CUcontext primary, current;
  CHECK(cuCtxGetCurrent(&current) == CUDA_SUCCESS && current == nullptr);
  CHECK(cuDevicePrimaryCtxRetain(&primary, device) == CUDA_SUCCESS);
  CHECK(cuCtxPushCurrent(primary) == CUDA_SUCCESS && cuCtxPopCurrent(&current) == CUDA_SUCCESS &&
        current == primary);
  CHECK(cuCtxSetCurrent(primary) == CUDA_SUCCESS);
  CHECK(cuMemAlloc(&memory, 0) == CUDA_ERROR_INVALID_VALUE);
}

void module_and_launch() {
  CUmodule module;
  CUfunction add;
  CHECK(cuModuleLoadData(&module, kAdd) == CUDA_SUCCESS);
  CHECK(cuModuleGetFunction(&add, module, "add") == CUDA_SUCCESS);
  CHECK(cuModuleGetFunction(&add, module, "nothing") == CUDA_ERROR_NOT_FOUND);
  CHECK(cuModuleGetFunction(&add, module, "add") == CUDA_SUCCESS);
  CUdeviceptr memory, counter;
  size_t bytes = 0;
  CHECK(cuModuleGetGlobal(&counter, &bytes, module, "calls") == CUDA_SUCCESS && bytes == 4);
  CUdeviceptr step;
  unsigned one = 1, was = 0;  // a constant is set as any other variable
  CHECK(cuModuleGetGlobal(&step, nullptr, module, "step") == CUDA_SUCCESS);
  CHECK(cuMemcpyDtoH(&was, step, 4) == CUDA_SUCCESS && was == 5);
  CHECK(cuMemcpyHtoD(step, &one, 4) == CUDA_SUCCESS);
  CHECK(cuMemAlloc(&memory, 64 * 4) == CUDA_SUCCESS && cuMemsetD32(memory, 0x40000000, 64) == CUDA_SUCCESS);
  float value = 2.5f;
  void* arguments[] = {&memory, &value};
  CHECK(cuLaunchKernel(add, 1, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr) == CUDA_SUCCESS);
  CHECK(cuLaunchKernel(add, 1, 1, 1, 4096, 1, 1, 0, nullptr, arguments, nullptr) == CUDA_ERROR_INVALID_VALUE);
  struct {
    CUdeviceptr memory;
    float value;
  } packed = {memory, 1.0f};
  size_t size = sizeof packed;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                   CU_LAUNCH_PARAM_END};
  CUlaunchConfig config = {};
  config.gridDimX = config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
  config.blockDimX = 64;
  CHECK(cuLaunchKernelEx(&config, add, nullptr, extra) == CUDA_SUCCESS);
  std::vector<float> out(64);
  unsigned calls = 0;
  CHECK(cuMemcpyDtoH(out.data(), memory, 64 * 4) == CUDA_SUCCESS &&
        cuMemcpyDtoH(&calls, counter, 4) == CUDA_SUCCESS);
  for (float x : out) CHECK(x == 5.5f);
  CHECK(calls == 128);
  int threads = 0, grid = 0, block = 0;
  CHECK(cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, add) == CUDA_SUCCESS &&
        threads >= 256);
  CHECK(cuOccupancyMaxPotentialBlockSize(&grid, &block, add, nullptr, 0, 0) == CUDA_SUCCESS && grid > 0 &&
        block % 32 == 0);
  CHECK(cuMemFree(memory) == CUDA_SUCCESS && cuMemFree(memory) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuModuleUnload(module) == CUDA_SUCCESS && cuModuleUnload(module) == CUDA_ERROR_INVALID_HANDLE);
}

void messages_of_the_compiler() {
  CUmodule module;
  char log[512] = "";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
  CHECK(cuModuleLoadDataEx(&module, ".version 8.0\n.target sm_80\n.address_size 64\nnonsense", 2, options,
                           values) == CUDA_ERROR_INVALID_PTX);
  CHECK(std::strlen(log) > 0);
}

void linked_units() {
  CUlinkState state;
  void* image;
  size_t bytes;
  CHECK(cuLinkCreate(0, nullptr, nullptr, &state) == CUDA_SUCCESS);
  for (const char* unit : {kCaller, kCallee})
    CHECK(cuLinkAddData(state, CU_JIT_INPUT_PTX, const_cast<char*>(unit), std::strlen(unit) + 1, "unit", 0,
                        nullptr, nullptr) == CUDA_SUCCESS);
  CHECK(cuLinkComplete(state, &image, &bytes) == CUDA_SUCCESS && bytes > 0);
  CUmodule module;
  CUfunction call;
  CHECK(cuModuleLoadData(&module, image) == CUDA_SUCCESS && cuLinkDestroy(state) == CUDA_SUCCESS);
  CHECK(cuModuleGetFunction(&call, module, "call") == CUDA_SUCCESS);
  CUdeviceptr memory;
  unsigned value = 21;
  CHECK(cuMemAlloc(&memory, 4) == CUDA_SUCCESS && cuMemcpyHtoD(memory, &value, 4) == CUDA_SUCCESS);
  void* arguments[] = {&memory};
  CHECK(cuLaunchKernel(call, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr) == CUDA_SUCCESS);
  CHECK(cuMemcpyDtoH(&value, memory, 4) == CUDA_SUCCESS && value == 42);
}

void streams_and_pointers() {
  CUstream stream;
  CUevent begin, end;
  CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
  CHECK(cuEventCreate(&begin, 0) == CUDA_SUCCESS && cuEventCreate(&end, 0) == CUDA_SUCCESS);
  CUdeviceptr memory;
  CHECK(cuMemAlloc(&memory, 1 << 20) == CUDA_SUCCESS && cuEventRecord(begin, stream) == CUDA_SUCCESS);
  CHECK(cuMemsetD8Async(memory, 7, 1 << 20, stream) == CUDA_SUCCESS &&
        cuEventRecord(end, stream) == CUDA_SUCCESS);
  CHECK(cuStreamSynchronize(stream) == CUDA_SUCCESS);
  float milliseconds = 0;
  CHECK(cuEventElapsedTime(&milliseconds, begin, end) == CUDA_SUCCESS && milliseconds > 0);
  unsigned type = 0;
  CUdeviceptr first = 0;
  size_t bytes = 0;
  CHECK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, memory + 5) == CUDA_SUCCESS &&
        type == CU_MEMORYTYPE_DEVICE);
  CHECK(cuMemGetAddressRange(&first, &bytes, memory + 5) == CUDA_SUCCESS && first == memory &&
        bytes == 1 << 20);
  // A box out of the middle of a picture of 64 x 64 bytes.
  std::vector<unsigned char> box(8 * 4, 0);
  CUDA_MEMCPY2D copy = {};
  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = memory;
  copy.srcPitch = 64;
  copy.srcXInBytes = 16;
  copy.srcY = 16;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = box.data();
  copy.dstPitch = 8;
  copy.WidthInBytes = 8;
  copy.Height = 4;
  CHECK(cuMemcpy2D(&copy) == CUDA_SUCCESS);
  for (unsigned char b : box) CHECK(b == 7);
}

void names() {
  const char* text = nullptr;
  CHECK(cuGetErrorName(CUDA_ERROR_OUT_OF_MEMORY, &text) == CUDA_SUCCESS &&
        std::string(text) == "CUDA_ERROR_OUT_OF_MEMORY");
  CHECK(cuGetErrorName(static_cast<CUresult>(123456), &text) == CUDA_ERROR_INVALID_VALUE);
  void* function = nullptr;
  CUdriverProcAddressQueryResult found;
  CHECK(cuGetProcAddress("cuMemGetInfo", &function, 12000, CU_GET_PROC_ADDRESS_DEFAULT, &found) ==
        CUDA_SUCCESS);
  size_t free_bytes = 0, all = 0;
  CHECK(reinterpret_cast<CUresult (*)(size_t*, size_t*)>(function)(&free_bytes, &all) == CUDA_SUCCESS &&
        all >= free_bytes);
  CHECK(cuGetProcAddress("cuNothing", &function, 12000, CU_GET_PROC_ADDRESS_DEFAULT, &found) ==
        CUDA_ERROR_NOT_FOUND);
}

}  // namespace

int main() {
  before_init_and_contexts();
  module_and_launch();
  messages_of_the_compiler();
  linked_units();
  streams_and_pointers();
  names();
  return verdict();
}
