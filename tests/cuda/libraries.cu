// SPDX-License-Identifier: Apache-2.0
// Modules that a program loads by itself: a kernel and a variable of a PTX text.
#include <cstring>

#include "check.h"

static const char ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .global .align 4 .u32 plus = 5;\n"
    ".visible .entry add(.param .u64 p) {\n.reg .b32 %r<4>;\n.reg .b64 %rd<3>;\n"
    " ld.param.u64 %rd1, [p];\n cvta.to.global.u64 %rd2, %rd1;\n ld.global.u32 %r1, [%rd2];\n ld.global.u32 %r2, [plus];\n"
    " add.s32 %r3, %r1, %r2;\n st.global.u32 [%rd2], %r3;\n ret;\n}\n";

int main() {
  cudaLibrary_t library;
  CUDA(cudaLibraryLoadData(&library, ptx, nullptr, nullptr, 0, nullptr, nullptr, 0));
  unsigned count = 0;
  CUDA(cudaLibraryGetKernelCount(&count, library));
  CHECK(count == 1);
  cudaKernel_t kernel;
  EXPECT(cudaErrorSymbolNotFound, cudaLibraryGetKernel(&kernel, library, "nothing"));
  CUDA(cudaLibraryGetKernel(&kernel, library, "add"));
  const char* name = nullptr;
  CUDA(cudaFuncGetName(&name, reinterpret_cast<const void*>(kernel)));
  CHECK(std::strcmp(name, "add") == 0);
  int *d, value = 37;
  CUDA(cudaMalloc(&d, sizeof value));
  CUDA(cudaMemcpy(d, &value, sizeof value, cudaMemcpyHostToDevice));
  void* arguments[] = {&d};
  CUDA(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(1), dim3(1), arguments, 0, nullptr));
  CUDA(cudaMemcpy(&value, d, sizeof value, cudaMemcpyDeviceToHost));
  CHECK(value == 42);
  void* plus = nullptr;
  size_t bytes = 0;
  CUDA(cudaLibraryGetGlobal(&plus, &bytes, library, "plus"));
  CHECK(bytes == 4);
  const int hundred = 100;
  CUDA(cudaMemcpy(plus, &hundred, sizeof hundred, cudaMemcpyHostToDevice));
  CUDA(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(1), dim3(1), arguments, 0, nullptr));
  CUDA(cudaMemcpy(&value, d, sizeof value, cudaMemcpyDeviceToHost));
  CHECK(value == 142);
  CUDA(cudaLibraryUnload(library));
  EXPECT(cudaErrorInvalidResourceHandle, cudaLibraryGetKernel(&kernel, library, "add"));
  CUDA(cudaFree(d));
  return verdict();
}
