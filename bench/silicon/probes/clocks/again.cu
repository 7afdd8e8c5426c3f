// SPDX-License-Identifier: Apache-2.0
// The rate probes of bench/silicon again, from their own machine code: first launch of a process, and later ones.
#include <cstdio>
#include <cuda.h>
int main(int argc, char** argv) {
  cuInit(0); CUdevice dev; cuDeviceGet(&dev, 0); CUcontext c; cuDevicePrimaryCtxRetain(&c, dev); cuCtxSetCurrent(c);
  CUmodule m; if (cuModuleLoad(&m, argv[1])) return puts("load"), 1;
  for (int a = 2; a < argc; a++) {
    CUfunction f; if (cuModuleGetFunction(&f, m, argv[a])) return puts("function"), 1;
    CUdeviceptr out; cuMemAlloc(&out, 8); int seed = 3; float fs = 1.5f; long long s64 = 3; void* args[] = {&out, &seed, &fs};
    (void)s64; printf("%s:", argv[a]);
    bool rate = argv[a][0] == 'r';
    for (int r = 0; r < 6; r++) { unsigned h[2]; cuLaunchKernel(f, 1, 1, 1, rate ? 1024 : 32, 1, 1, 0, 0, args, 0); cuMemcpyDtoH(h, out, 8); printf(" %u", h[0]); }
    printf("\n");
  }
}
