// SPDX-License-Identifier: Apache-2.0
// Virtual memory management: memory at addresses of the program's choice, twice, grown, shared by descriptor.
#include <cuda.h>
#include <unistd.h>

#include <cstdint>
#include <vector>

#include "check.h"

namespace {

#define DRIVER(wanted, call)                                                                         \
  do {                                                                                               \
    const CUresult result_ = (call);                                                                 \
    if (result_ != (wanted)) {                                                                       \
      std::printf("%s:%d: %s is %d, not %s\n", __FILE__, __LINE__, #call, static_cast<int>(result_), \
                  #wanted);                                                                          \
      ++failures;                                                                                    \
    }                                                                                                \
  } while (0)

__global__ void add(int* to, const int* from, int n, int value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i] + value;
}

CUmemAllocationProp properties() {
  CUmemAllocationProp p = {};
  p.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  p.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  p.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  return p;
}

void allow(CUdeviceptr address, size_t bytes) {
  CUmemAccessDesc access = {};
  access.location = properties().location;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  DRIVER(CUDA_SUCCESS, cuMemSetAccess(address, bytes, &access, 1));
}

CUmemGenericAllocationHandle made(size_t bytes) {
  const CUmemAllocationProp p = properties();
  CUmemGenericAllocationHandle handle = 0;
  DRIVER(CUDA_SUCCESS, cuMemCreate(&handle, bytes, &p, 0));
  return handle;
}

CUdeviceptr mapped(CUdeviceptr address, size_t bytes, CUmemGenericAllocationHandle handle) {
  DRIVER(CUDA_SUCCESS, cuMemMap(address, bytes, 0, handle, 0));
  allow(address, bytes);
  return address;
}

// A vector that grows in place: its data stay where they are.
void grows(size_t page) {
  const int n = static_cast<int>(page / sizeof(int));
  CUdeviceptr range = 0;
  DRIVER(CUDA_SUCCESS, cuMemAddressReserve(&range, 4 * page, 0, 0, 0));
  const auto first = made(page), second = made(page);
  int* data = reinterpret_cast<int*>(mapped(range, page, first));
  std::vector<int> host(2 * n, 7);
  CUDA(cudaMemcpy(data, host.data(), page, cudaMemcpyHostToDevice));
  mapped(range + page, page, second);
  add<<<n / 256, 256>>>(data + n, data, n, 1);
  CUDA(cudaMemcpy(host.data(), data, 2 * page, cudaMemcpyDeviceToHost));  // over both
  CHECK(host[0] == 7 && host[n - 1] == 7 && host[n] == 8 && host[2 * n - 1] == 8);
  DRIVER(CUDA_SUCCESS, cuMemUnmap(range, 2 * page));
  DRIVER(CUDA_SUCCESS, cuMemRelease(first));
  DRIVER(CUDA_SUCCESS, cuMemRelease(second));
  DRIVER(CUDA_SUCCESS, cuMemAddressFree(range, 4 * page));
}

// One memory at two addresses, and under a handle that came over a descriptor.
void shared(size_t page) {
  CUdeviceptr range = 0;
  DRIVER(CUDA_SUCCESS, cuMemAddressReserve(&range, 3 * page, 0, 0, 0));
  const auto memory = made(page);
  int* once = reinterpret_cast<int*>(mapped(range, page, memory));
  int* twice = reinterpret_cast<int*>(mapped(range + page, page, memory));
  int descriptor = -1;
  DRIVER(CUDA_SUCCESS,
         cuMemExportToShareableHandle(&descriptor, memory, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
  CUmemGenericAllocationHandle imported = 0;
  DRIVER(CUDA_SUCCESS, cuMemImportFromShareableHandle(
                           &imported, reinterpret_cast<void*>(static_cast<uintptr_t>(descriptor)),
                           CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
  close(descriptor);
  int* third = reinterpret_cast<int*>(mapped(range + 2 * page, page, imported));
  CUDA(cudaMemset(once, 0, page));
  add<<<1, 32>>>(once, once, 32, 5);
  CUDA(cudaDeviceSynchronize());
  int seen[2] = {};
  CUDA(cudaMemcpy(&seen[0], twice + 31, sizeof(int), cudaMemcpyDeviceToHost));
  CUDA(cudaMemcpy(&seen[1], third, sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(seen[0] == 5 && seen[1] == 5);
  CUmemGenericAllocationHandle again = 0;
  DRIVER(CUDA_SUCCESS, cuMemRetainAllocationHandle(&again, twice));
  CUmemAllocationProp facts = {};
  DRIVER(CUDA_SUCCESS, cuMemGetAllocationPropertiesFromHandle(&facts, again));
  CHECK(facts.type == CU_MEM_ALLOCATION_TYPE_PINNED && facts.location.type == CU_MEM_LOCATION_TYPE_DEVICE);
  for (const auto handle : {memory, imported, again}) DRIVER(CUDA_SUCCESS, cuMemRelease(handle));
  for (int i = 0; i < 3; ++i) DRIVER(CUDA_SUCCESS, cuMemUnmap(range + i * page, page));
  DRIVER(CUDA_SUCCESS, cuMemAddressFree(range, 3 * page));
}

void refuses(size_t page) {
  const CUmemAllocationProp p = properties();
  CUmemGenericAllocationHandle handle = 0;
  DRIVER(CUDA_ERROR_INVALID_VALUE, cuMemCreate(&handle, page + 1, &p, 0));
  CUdeviceptr range = 0;
  DRIVER(CUDA_SUCCESS, cuMemAddressReserve(&range, 2 * page, 0, 0, 0));
  handle = made(page);
  DRIVER(CUDA_SUCCESS, cuMemMap(range, page, 0, handle, 0));
  DRIVER(CUDA_ERROR_INVALID_VALUE, cuMemMap(range, page, 0, handle, 0));  // something is there
  unsigned long long access = 9;
  CUmemLocation here = p.location;
  DRIVER(CUDA_SUCCESS, cuMemGetAccess(&access, &here, range));
  CHECK(access == CU_MEM_ACCESS_FLAGS_PROT_NONE);
  DRIVER(CUDA_SUCCESS, cuMemUnmap(range, page));
  DRIVER(CUDA_SUCCESS, cuMemRelease(handle));
  DRIVER(CUDA_ERROR_INVALID_VALUE, cuMemAddressFree(range, page));  // a part
  DRIVER(CUDA_SUCCESS, cuMemAddressFree(range, 2 * page));
}

}  // namespace

int main() {
  CUDA(cudaFree(nullptr));
  int there = 0;
  DRIVER(CUDA_SUCCESS,
         cuDeviceGetAttribute(&there, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 0));
  CHECK(there == 1);
  const CUmemAllocationProp p = properties();
  size_t page = 0;
  DRIVER(CUDA_SUCCESS, cuMemGetAllocationGranularity(&page, &p, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  CHECK(page == 2 << 20);
  size_t before = 0, after = 0, total = 0;
  CUDA(cudaMemGetInfo(&before, &total));
  grows(page);
  shared(page);
  refuses(page);
  CUDA(cudaMemGetInfo(&after, &total));
  CHECK(before == after);
  return verdict();
}
