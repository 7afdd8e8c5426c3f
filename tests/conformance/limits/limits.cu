// SPDX-License-Identifier: Apache-2.0
// Asks an NVIDIA GPU which launches and modules it refuses and by what name, and what its occupancy calls answer. Prints JSON lines.
// Build: nvcc -std=c++17 -O2 -arch=sm_90 -o limits limits.cu
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

static std::string entry(const std::string& target, const std::string& version, const std::string& name, const std::string& directives,
                         const std::string& body, const std::string& outside = "") {
  return ".version " + version + "\n.target " + target + "\n.address_size 64\n" + outside + ".visible .entry " + name +
         "(.param .u64 p)\n" + directives + "\n{\n" + body + "\nret;\n}\n";
}

static std::string many_registers(int n) {
  std::string s = ".reg .b64 %rd<4>; .reg .f32 %f<" + std::to_string(n + 1) + ">;\nld.param.u64 %rd1, [p];\n";
  for (int i = 0; i < n; ++i) s += "ld.volatile.global.f32 %f" + std::to_string(i) + ", [%rd1+" + std::to_string(4 * i) + "];\n";
  for (int i = n - 1; i >= 0; --i) s += "st.volatile.global.f32 [%rd1+" + std::to_string(4 * i) + "], %f" + std::to_string(i) + ";\n";
  return s;
}

static std::string shared_body(int bytes) {
  return ".shared .align 16 .b8 s[" + std::to_string(bytes) + "];\n.reg .b32 %r<4>; mov.u32 %r1, %tid.x; st.volatile.shared.u32 [s], %r1;";
}

// The same questions of a kernel that nvcc registers, launched as a program does: the runtime has a name of its own for these.
__global__ void c_plain(void*) {}
__global__ void __launch_bounds__(128) c_bounds(void*) {}
__global__ void c_dynamic(int* p) { extern __shared__ int d[]; if (p == nullptr) d[threadIdx.x] = 1; }
__global__ void __cluster_dims__(2, 1, 1) c_cluster(void*) {}

static void classic(void* mem) {
  const struct { const char* name; const void* f; } fs[] = {{"plain", (const void*)c_plain}, {"launch_bounds128", (const void*)c_bounds}, {"dynamic", (const void*)c_dynamic}, {"cluster2", (const void*)c_cluster}};
  const unsigned gs[][3] = {{1, 1, 1}, {0, 1, 1}, {1, 0, 1}, {1, 1, 0}, {2147483648u, 1, 1}, {1, 65536, 1}, {1, 1, 65536}, {3, 1, 1}};
  const unsigned bs[][3] = {{32, 1, 1}, {0, 1, 1}, {32, 0, 1}, {32, 1, 0}, {1025, 1, 1}, {1, 1025, 1}, {1, 1, 65}, {32, 33, 1}, {129, 1, 1}};
  for (const auto& k : fs)
    for (const auto& g : gs)
      for (const auto& b : bs)
        for (size_t dyn : {size_t{0}, size_t{49152}, size_t{49153}, size_t{300000}}) {
          if ((&g != &gs[0] && &b != &bs[0]) || (dyn != 0 && (&g != &gs[0] || &b != &bs[0]))) continue;
          void* args[] = {&mem};
          const cudaError_t e = cudaLaunchKernel(k.f, dim3(g[0], g[1], g[2]), dim3(b[0], b[1], b[2]), args, dyn, 0);
          cudaDeviceSynchronize();
          cudaGetLastError();
          cudaLaunchConfig_t cfg{};
          cfg.gridDim = dim3(g[0], g[1], g[2]);
          cfg.blockDim = dim3(b[0], b[1], b[2]);
          cfg.dynamicSmemBytes = dyn;
          const cudaError_t e2 = cudaLaunchKernelExC(&cfg, k.f, args);
          const cudaError_t sync = cudaDeviceSynchronize();
          cudaGetLastError();
          const cudaError_t e3 = cudaLaunchCooperativeKernel(k.f, dim3(g[0], g[1], g[2]), dim3(b[0], b[1], b[2]), args, dyn, 0);
          cudaDeviceSynchronize();
          cudaGetLastError();
          printf("{\"classic\":\"%s\",\"grid\":[%u,%u,%u],\"block\":[%u,%u,%u],\"dyn\":%zu,\"launch\":\"%s\",\"ex\":\"%s\",\"coop\":\"%s\",\"sync\":\"%s\"}\n", k.name, g[0], g[1], g[2], b[0], b[1], b[2], dyn,
                 cudaGetErrorName(e), cudaGetErrorName(e2), cudaGetErrorName(e3), cudaGetErrorName(sync));
        }
}

struct Kernel { const char* name; std::string ptx; cudaKernel_t handle = nullptr; };

static const char* error(cudaError_t e) { return cudaGetErrorName(e); }

int main() {
  cudaDeviceProp prop{};
  cudaGetDeviceProperties(&prop, 0);
  int driver = 0;
  cudaDriverGetVersion(&driver);
  printf("{\"device\":\"%s\",\"driver\":%d}\n", prop.name, driver);
  float* mem = nullptr;
  cudaMalloc(&mem, 1 << 20);
  const std::string v = "8.0", t = "sm_90";
  std::vector<Kernel> ks = {
      {"plain", entry(t, v, "k", "", "")},
      {"static40k", entry(t, v, "k", "", shared_body(40000))},
      {"dynamic", entry(t, v, "k", "", ".reg .pred %p; .reg .b32 %r<4>; mov.u32 %r1, %dynamic_smem_size; setp.gt.u32 %p, %r1, 3; @%p st.volatile.shared.u32 [d], %r1;", ".extern .shared .align 16 .b8 d[];\n")},
      {"regs200", entry(t, v, "k", "", many_registers(200))},
      {"regs120", entry(t, v, "k", "", many_registers(120))},
      {"regs60", entry(t, v, "k", "", many_registers(60))},
      {"maxntid128", entry(t, v, "k", ".maxntid 128, 1, 1", "")},
      {"maxntid16x16", entry(t, v, "k", ".maxntid 16, 16, 1", "")},
      {"reqntid64", entry(t, v, "k", ".reqntid 64, 1, 1", "")},
      {"reqntid8x8", entry(t, v, "k", ".reqntid 8, 8, 1", "")},
      {"reqcluster2", entry(t, v, "k", ".reqnctapercluster 2, 1, 1", "")},
      {"reqcluster2x2", entry(t, v, "k", ".reqnctapercluster 2, 2, 1", "")},
      {"reqcluster16", entry(t, v, "k", ".reqnctapercluster 16, 1, 1", "")},
      {"explicitcluster", entry(t, v, "k", ".explicitcluster", "")},
      {"maxclusterrank4", entry(t, v, "k", ".maxclusterrank 4", "")},
      {"explicitmax4", entry(t, v, "k", ".explicitcluster\n.maxclusterrank 4", "")},
  };
  auto load = [](const std::string& ptx, cudaKernel_t* k) {
    cudaLibrary_t lib = nullptr;
    cudaError_t e = cudaLibraryLoadData(&lib, ptx.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0);
    if (e == cudaSuccess) e = cudaLibraryGetKernel(k, lib, "k");
    if (e == cudaSuccess) {
      cudaFuncAttributes a{};
      e = cudaFuncGetAttributes(&a, (const void*)*k);
    }
    cudaGetLastError();
    return e;
  };
  for (auto& k : ks) {
    cudaError_t e = load(k.ptx, &k.handle);
    cudaFuncAttributes a{};
    if (e == cudaSuccess) cudaFuncGetAttributes(&a, (const void*)k.handle);
    printf("{\"kernel\":\"%s\",\"load\":\"%s\",\"regs\":%d,\"static\":%zu,\"max_threads\":%d}\n", k.name, error(e), a.numRegs, a.sharedSizeBytes, a.maxThreadsPerBlock);
    cudaGetLastError();
  }
  classic(mem);
  // Modules for other targets and versions.
  for (const char* m : {"1.4 sm_13", "3.0 sm_20", "3.0 sm_30", "4.1 sm_37", "4.0 sm_50", "4.1 sm_52", "5.0 sm_60", "6.0 sm_70", "6.3 sm_75", "7.0 sm_80", "7.8 sm_89", "7.8 sm_90",
                        "8.0 sm_90a", "8.6 sm_100", "8.6 sm_100a", "8.8 sm_100f", "8.8 sm_103", "8.8 sm_103a", "9.0 sm_110", "8.7 sm_120", "8.8 sm_120f", "9.0 sm_90", "9.1 sm_90", "9.9 sm_90",
                        "10.0 sm_90", "8.0 sm_99", "7.0 sm_90"}) {
    const std::string s = m, ver = s.substr(0, s.find(' ')), target = s.substr(s.find(' ') + 1);
    cudaKernel_t k = nullptr;
    const cudaError_t e = load(entry(target, ver, "k", "", ""), &k);
    printf("{\"module\":\"%s\",\"version\":\"%s\",\"error\":\"%s\"}\n", target.c_str(), ver.c_str(), error(e));
  }
  struct Trial { const char* kernel; unsigned g[3], b[3], c[3]; size_t dyn; int optin, nonportable, coop, carveout; };
  std::vector<Trial> trials = {
#include "trials.inc"
  };
  for (const Trial& q : trials) {
    Kernel* k = nullptr;
    for (auto& x : ks) if (!strcmp(x.name, q.kernel)) k = &x;
    const void* f = (const void*)k->handle;
    cudaError_t set = cudaSuccess, e;
    if (q.optin >= 0) set = cudaFuncSetAttribute(f, cudaFuncAttributeMaxDynamicSharedMemorySize, q.optin);
    cudaGetLastError();
    if (q.nonportable) cudaFuncSetAttribute(f, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    cudaError_t carve = cudaSuccess;
    if (q.carveout != -2) carve = cudaFuncSetAttribute(f, cudaFuncAttributePreferredSharedMemoryCarveout, q.carveout);
    cudaGetLastError();
    cudaLaunchConfig_t cfg{};
    cfg.gridDim = dim3(q.g[0], q.g[1], q.g[2]);
    cfg.blockDim = dim3(q.b[0], q.b[1], q.b[2]);
    cfg.dynamicSmemBytes = q.dyn;
    cudaLaunchAttribute at[2];
    int n = 0;
    if (q.c[0] != 9999) {
      at[n].id = cudaLaunchAttributeClusterDimension;
      at[n].val.clusterDim.x = q.c[0]; at[n].val.clusterDim.y = q.c[1]; at[n].val.clusterDim.z = q.c[2];
      ++n;
    }
    if (q.coop) { at[n].id = cudaLaunchAttributeCooperative; at[n].val.cooperative = 1; ++n; }
    cfg.attrs = at;
    cfg.numAttrs = n;
    void* args[] = {&mem};
    e = cudaLaunchKernelExC(&cfg, f, args);
    cudaError_t sync = e == cudaSuccess ? cudaDeviceSynchronize() : cudaSuccess;
    cudaGetLastError();
    printf("{\"trial\":\"%s\",\"grid\":[%u,%u,%u],\"block\":[%u,%u,%u],\"cluster\":[%u,%u,%u],\"dyn\":%zu,\"optin\":%d,\"nonportable\":%d,\"coop\":%d,\"carveout\":%d,\"set\":\"%s\",\"carve\":\"%s\",\"launch\":\"%s\",\"sync\":\"%s\"}\n",
           q.kernel, q.g[0], q.g[1], q.g[2], q.b[0], q.b[1], q.b[2], q.c[0], q.c[1], q.c[2], q.dyn, q.optin, q.nonportable, q.coop, q.carveout, error(set), error(carve), error(e), error(sync));
    if (q.optin >= 0) cudaFuncSetAttribute(f, cudaFuncAttributeMaxDynamicSharedMemorySize, 0);
    if (q.nonportable) cudaFuncSetAttribute(f, cudaFuncAttributeNonPortableClusterSizeAllowed, 0);
    if (q.carveout != -2) cudaFuncSetAttribute(f, cudaFuncAttributePreferredSharedMemoryCarveout, -1);
    cudaGetLastError();
  }
  // Occupancy: clusters of every size, and blocks under a carve-out.
  const void* dyn = (const void*)ks[2].handle;
  cudaFuncSetAttribute(dyn, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024);
  cudaFuncSetAttribute(dyn, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
  for (unsigned cs = 0; cs <= 17; ++cs)
    for (unsigned block : {32u, 64u, 96u, 128u, 160u, 192u, 224u, 256u, 352u, 512u, 704u, 1024u})
      for (size_t bytes : {size_t{0}, size_t{12000}, size_t{22000}, size_t{30000}, size_t{37000}, size_t{45000}, size_t{57000}, size_t{76000}, size_t{116000}, size_t{200000}}) {
        cudaLaunchConfig_t cfg{};
        cfg.gridDim = dim3(cs * 64);
        cfg.blockDim = dim3(block);
        cfg.dynamicSmemBytes = bytes;
        cudaLaunchAttribute at{};
        at.id = cudaLaunchAttributeClusterDimension;
        at.val.clusterDim.x = cs; at.val.clusterDim.y = at.val.clusterDim.z = 1;
        cfg.attrs = &at;
        cfg.numAttrs = 1;
        int n = -1, one = -1;
        const cudaError_t e = cudaOccupancyMaxActiveClusters(&n, dyn, &cfg);
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&one, dyn, block, bytes);
        cudaGetLastError();
        printf("{\"clusters\":%u,\"block\":%u,\"dyn\":%zu,\"n\":%d,\"blocks\":%d,\"err\":\"%s\"}\n", cs, block, bytes, n, one, error(e));
      }
  for (size_t i : {0, 1, 2, 3, 4, 5})
    for (int carve : {-1, 0, 10, 25, 50, 75, 100}) {
      const void* f = (const void*)ks[i].handle;
      cudaFuncSetAttribute(f, cudaFuncAttributePreferredSharedMemoryCarveout, carve);
      for (int block : {32, 64, 128, 192, 256, 512, 1024})
        for (size_t bytes : {0, 3000, 20000, 48000}) {
          int n = -1;
          const cudaError_t e = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, f, block, bytes);
          cudaGetLastError();
          printf("{\"carveout\":%d,\"kernel\":\"%s\",\"block\":%d,\"dyn\":%zu,\"n\":%d,\"err\":\"%s\"}\n", carve, ks[i].name, block, bytes, n, error(e));
        }
      cudaFuncSetAttribute(f, cudaFuncAttributePreferredSharedMemoryCarveout, -1);
    }
  for (size_t i = 0; i < ks.size(); ++i)
    for (size_t bytes : {0, 20000}) {
      int grid = -1, block = -1;
      const cudaError_t e = cudaOccupancyMaxPotentialBlockSize(&grid, &block, (const void*)ks[i].handle, bytes, 0);
      size_t avail = 0;
      const cudaError_t e2 = cudaOccupancyAvailableDynamicSMemPerBlock(&avail, (const void*)ks[i].handle, 2, 128);
      cudaGetLastError();
      printf("{\"potential\":\"%s\",\"dyn\":%zu,\"grid\":%d,\"block\":%d,\"err\":\"%s\",\"available2x128\":%zu,\"err2\":\"%s\"}\n", ks[i].name, bytes, grid, block, error(e), avail, error(e2));
    }
  for (unsigned block : {128u, 1024u})
    for (size_t bytes : {0, 100000, 200000})
      for (int nonportable : {0, 1}) {
        cudaFuncSetAttribute(dyn, cudaFuncAttributeNonPortableClusterSizeAllowed, nonportable);
        cudaLaunchConfig_t cfg{};
        cfg.gridDim = dim3(1024);
        cfg.blockDim = dim3(block);
        cfg.dynamicSmemBytes = bytes;
        int n = -1;
        const cudaError_t e = cudaOccupancyMaxPotentialClusterSize(&n, dyn, &cfg);
        cudaGetLastError();
        printf("{\"potential_cluster\":%d,\"block\":%u,\"dyn\":%zu,\"nonportable\":%d,\"err\":\"%s\"}\n", n, block, bytes, nonportable, error(e));
      }
  // Which SMs are of one group: clusters with one block an SM, alive together.
  const std::string where = entry(t, v, "k", "",
                                  ".reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p;\nld.param.u64 %rd1, [p]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %smid;\n"
                                  "mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2; st.volatile.global.u32 [%rd3], %r2; st.volatile.shared.u32 [d], %r2;\n"
                                  "mov.u64 %rd4, %globaltimer;\nL: mov.u64 %rd5, %globaltimer; sub.u64 %rd6, %rd5, %rd4; setp.lt.u64 %p, %rd6, 200000; @%p bra L;",
                                  ".extern .shared .align 16 .b8 d[];\n");
  cudaKernel_t w = nullptr;
  load(where, &w);
  cudaFuncSetAttribute((const void*)w, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024);
  cudaFuncSetAttribute((const void*)w, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
  for (unsigned cs : {1u, 2u, 4u, 6u, 8u, 16u}) {
    cudaLaunchConfig_t cfg{};
    cfg.blockDim = dim3(32);
    cfg.dynamicSmemBytes = 200000;
    cudaLaunchAttribute at{};
    at.id = cudaLaunchAttributeClusterDimension;
    at.val.clusterDim.x = cs; at.val.clusterDim.y = at.val.clusterDim.z = 1;
    cfg.attrs = &at;
    cfg.numAttrs = 1;
    cfg.gridDim = dim3(cs);
    int n = -1;
    cudaOccupancyMaxActiveClusters(&n, (const void*)w, &cfg);
    if (n <= 0) continue;
    cfg.gridDim = dim3(cs * n);
    void* args[] = {&mem};
    const cudaError_t e = cudaLaunchKernelExC(&cfg, (const void*)w, args);
    std::vector<unsigned> ids(cs * n);
    cudaMemcpy(ids.data(), mem, ids.size() * 4, cudaMemcpyDeviceToHost);
    printf("{\"placed\":%u,\"n\":%d,\"err\":\"%s\",\"smid\":[", cs, n, error(e));
    for (size_t i = 0; i < ids.size(); ++i) printf("%s%u", i ? "," : "", ids[i]);
    printf("]}\n");
  }
}
