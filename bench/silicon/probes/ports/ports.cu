// SPDX-License-Identifier: Apache-2.0
// What SMs share on their way to L2: chosen SMs read or write sectors or lines, alone and beside others of their TPC, group of six, GPC and the whole GPU. A line of output holds
// kind, set, SMs, sectors an SM, then SM:cycles of each. `ports pairs`: each GPC and each pair of them; kind, the two, SMs, sectors a cycle by the SM that takes longest and by the mean one.
// `ports sets MIB`: the sets of the first form at random places of 2 to 16 MiB, printed as pairs are.
// `ports beside MIB`: two SMs of each GPC, alone and beside all SMs of the first GPC; then SM:cycles as in the first form.
#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>
#include <string>
#include <vector>
#include "../bursts.cuh"
__device__ unsigned smid() { unsigned r; asm volatile("mov.u32 %0, %%smid;" : "=r"(r)); return r; }
__global__ void members(unsigned* out) { if (threadIdx.x) return; out[blockIdx.x] = smid(); const uint64_t b = now64(); while (now64() - b < 20000) {} }
struct S { uint64_t begin, end; unsigned sm, pad; };
// kind 0: 4 B of a sector a lane, written; 1: whole sectors; 2: 4 B of each sector of a line; 3: whole lines; 4: 512 B a warp; 5: a lane a sector, red; 6: read past L1 a lane a sector;
// 7: 64 B; 8: lines; 9: 512 B; 10: as 6 but through L1; 11: atomics with a result
template <int KIND> __global__ void work(S* s, unsigned* mem, const unsigned char* on, int n, int shift) {
  const unsigned sm = smid(); if (!on[sm]) { if (threadIdx.x == 0) s[blockIdx.x] = {0, 0, sm, 0}; return; }
  const unsigned id = blockIdx.x * blockDim.x + threadIdx.x, lane = id & 31;
  constexpr int kShare = KIND == 0 || KIND == 5 || KIND == 6 || KIND == 10 || KIND == 11 ? 1 : KIND == 1 ? 8 : KIND == 2 ? 4 : KIND == 7 ? 2 : 32;  // lanes that go together
  constexpr unsigned kBytes = KIND == 2 || KIND == 3 || KIND == 8 ? 128 : KIND == 4 || KIND == 9 ? 512 : KIND == 7 ? 64 : 32;
  constexpr unsigned kEach = KIND == 2 || KIND == 7 ? 32 : KIND == 4 || KIND == 9 ? 16 : 4;  // bytes between such lanes
  unsigned key = spread(id / kShare), sum = 0; char* base = (char*)mem + (lane % kShare) * kEach;
  __syncthreads(); const uint64_t b = now64();
  for (int i = 0; i < n; i += 8) {
    char* p[8];
#pragma unroll
    for (int j = 0; j < 8; ++j) { key = key * 1664525u + 1013904223u; p[j] = base + (key >> shift) / kBytes * kBytes; }
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      if (KIND <= 3) *(volatile unsigned*)p[j] = i;
      else if (KIND == 4) *(uint4*)p[j] = make_uint4(i, i, i, i);
      else if (KIND == 5) atomicAdd((unsigned*)p[j], 1u);
      else if (KIND == 11) sum += atomicAdd((unsigned*)p[j], 1u);
      else if (KIND == 9) { uint4 v = __ldcg((uint4*)p[j]); sum += v.x ^ v.y ^ v.z ^ v.w; }
      else if (KIND == 10) sum += *(unsigned*)p[j];
      else sum += __ldcg((unsigned*)p[j]);
    }
  }
  if (sum == 12345) mem[0] = sum;
  __syncthreads(); const uint64_t e = now64();
  if (threadIdx.x == 0) s[blockIdx.x] = {b, e, sm, 0};
}
int root(std::vector<int>& p, int i) { while (p[i] != i) i = p[i]; return i; }
// Which form, by the first argument; places are of 2^(32 - shift) bytes, which is 2 MiB where nothing else is asked for.
int main(int argc, char** argv) {
  const auto form = [&](const char* name) { return argc > 1 && std::strcmp(argv[1], name) == 0; }; const size_t mib = argc > 2 ? std::atoi(argv[2]) : 2; int shift = 11; while ((size_t{1} << (32 - shift)) < mib << 20) --shift;
  S* s; unsigned *mem, *ids; unsigned char* on; OK(cudaMalloc(&s, 1 << 16)); OK(cudaMalloc(&mem, (mib + 6) << 20)); OK(cudaMalloc(&on, 256)); OK(cudaMalloc(&ids, 1 << 16));
  mem = (unsigned*)(((uintptr_t)mem + (1 << 21) - 1) >> 21 << 21); OK(cudaMemset(mem, 0, mib << 20));
  int sms; OK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  std::vector<int> parent(sms); std::iota(parent.begin(), parent.end(), 0);
  OK(cudaFuncSetAttribute(members, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  OK(cudaFuncSetAttribute(members, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
  for (int size : {2, 4, 6, 8, 16, 8, 4}) for (int many = 0; many < 3; ++many) {
    cudaLaunchConfig_t c = {}; c.gridDim = dim3(size * (many == 0 ? 1 : 200 / size)); c.blockDim = dim3(32); c.dynamicSmemBytes = 200 << 10;
    cudaLaunchAttribute a; a.id = cudaLaunchAttributeClusterDimension; a.val.clusterDim = {unsigned(size), 1, 1}; c.attrs = &a; c.numAttrs = 1;
    if (cudaLaunchKernelEx(&c, members, ids) != cudaSuccess) { cudaGetLastError(); continue; }
    OK(cudaDeviceSynchronize()); std::vector<unsigned> h(c.gridDim.x); OK(cudaMemcpy(h.data(), ids, h.size() * 4, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < h.size(); ++i) parent[root(parent, h[i])] = root(parent, h[i / size * size]);
  }
  std::map<int, std::vector<int>> by; for (int i = 0; i < sms; ++i) by[root(parent, i)].push_back(i);
  std::vector<std::vector<int>> gpcs; for (auto& [k, v] : by) { gpcs.push_back(v); printf("gpc,%zu", v.size()); for (int i : v) printf(",%d", i); printf("\n"); }
  std::sort(gpcs.begin(), gpcs.end(), [](auto& a, auto& b) { return a.size() > b.size(); });
  std::vector<S> h(sms);
  auto run = [&](int kind, const char* name, const std::vector<int>& set) {
    std::vector<unsigned char> m(256, 0); for (int i : set) m[i] = 1; OK(cudaMemcpy(on, m.data(), 256, cudaMemcpyHostToDevice));
    const int n = 160, warps = 32;
    void (*f[])(S*, unsigned*, const unsigned char*, int, int) = {work<0>, work<1>, work<2>, work<3>, work<4>, work<5>, work<6>, work<7>, work<8>, work<9>, work<10>, work<11>};
    for (int k = 0; k < 2; ++k) { f[kind]<<<sms, 32 * warps>>>(s, mem, on, n, shift); OK(cudaGetLastError()); OK(cudaDeviceSynchronize()); }
    OK(cudaMemcpy(h.data(), s, sms * sizeof(S), cudaMemcpyDeviceToHost));
    const int each[] = {32, 4, 32, 4, 16, 32, 32, 32, 4, 16, 32, 32};
    if (form("pairs") || form("sets")) {
      double longest = 0, sum = 0; const double all = double(n) * warps * each[kind] * set.size(); for (const S& x : h) if (x.end) { longest = std::max(longest, double(x.end - x.begin)); sum += x.end - x.begin; }
      printf("%d,%s,%zu,%.2f,%.2f\n", kind, name, set.size(), all / longest, all / (sum / set.size())); return;
    }
    printf("%d,%s,%zu,%d", kind, name, set.size(), n * warps * each[kind]); for (int i = 0; i < sms; ++i) if (h[i].end) printf(",%u:%llu", h[i].sm, (unsigned long long)(h[i].end - h[i].begin)); printf("\n"); fflush(stdout);
  };
  if (form("pairs")) {
    for (int kind : {11, 5, 0, 8, 4}) for (size_t i = 0; i < gpcs.size(); ++i) for (size_t j = i; j < gpcs.size(); ++j) {
      std::vector<int> both = gpcs[i]; if (i != j) both.insert(both.end(), gpcs[j].begin(), gpcs[j].end());
      run(kind, ("g" + std::to_string(i) + "+" + std::to_string(j)).c_str(), both);
    }
    return 0;
  }
  auto tpc = [&](const std::vector<int>& g, int t) { return std::vector<int>{g[2 * t], g[2 * t + 1]}; };
  auto add = [](std::vector<int> a, const std::vector<int>& b) { a.insert(a.end(), b.begin(), b.end()); return a; };
  if (form("beside")) {
    std::vector<int> two, full = gpcs[0]; for (auto& g : gpcs) two = add(two, tpc(g, 0));
    for (size_t i = 1; i < gpcs.size(); ++i) full = add(full, tpc(gpcs[i], 0));
    for (int kind : {6, 7, 8, 9}) { run(kind, "two_of_each", two); run(kind, "all_of_one", full); }
    return 0;
  }
  std::vector<int> all(sms); std::iota(all.begin(), all.end(), 0);
  for (int kind = 0; kind < 12; ++kind) {
    const auto& g = gpcs[0]; const auto& small = gpcs[2];
    auto R = [&](const char* name, std::vector<int> set) { run(kind, name, set); };
    R("one", {g[0]}); R("tpc", tpc(g, 0)); R("three_0_3_6", {g[0], g[6], g[12]});
    R("four_0_3", add(tpc(g, 0), tpc(g, 3))); R("six_0_3_6", add(add(tpc(g, 0), tpc(g, 3)), tpc(g, 6))); R("six_0_1_2", add(add(tpc(g, 0), tpc(g, 1)), tpc(g, 2)));
    R("gpc18", std::vector<int>(g.begin(), g.begin() + std::min<size_t>(18, g.size()))); R("gpc16", small);
    std::vector<int> c6, a12; for (auto& q : gpcs) { if (q.size() < 14) continue; for (int t : {0, 3, 6}) c6 = add(c6, tpc(q, t)); for (int t : {0, 1}) a12 = add(a12, tpc(q, t)); }
    R("two_gpcs", add(gpcs[0], gpcs[1])); R("four_gpcs", add(add(gpcs[0], gpcs[1]), add(gpcs[2], gpcs[3])));
    R("six_of_each_gpc", c6); R("four_of_each_gpc", a12); R("all", all);
  }
}
