// SPDX-License-Identifier: Apache-2.0
// The 128 bytes of a tensor map: what the driver encodes (encode), what tensormap.replace changes (rep), and which
// words a copy looks at (use K: word K - 10 zeroed; 0: an address alone; 2, 3: one dimension more or fewer).
// nvcc -std=c++17 -gencode arch=compute_90a,code=sm_90a -o layout layout.cu -lcuda
#include <cuda.h>
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>
#include <cstdint>
#define CK(x) do { auto r_ = (x); if (r_ != 0) { printf("FAIL %s line %d: %d\n", #x, __LINE__, int(r_)); exit(3); } } while (0)
__device__ inline uint32_t sptr(const void* p) { return (uint32_t)__cvta_generic_to_shared(p); }
struct alignas(128) Raw { unsigned v[32]; };
#define REP(field, ss, type, c, val) asm volatile("tensormap.replace.tile." field "." ss ".b1024." type " [%0], %1;" :: "l"(m), c(val) : "memory")
#define REPO(field, ord, type, c, val) asm volatile("tensormap.replace.tile." field ".global.b1024." type " [%0], " #ord ", %1;" :: "l"(m), c(val) : "memory")
#define REPI(field, val) asm volatile("tensormap.replace.tile." field ".global.b1024.b32 [%0], " #val ";" :: "l"(m) : "memory")
extern "C" __global__ void rep(Raw* maps, unsigned fill, unsigned v, unsigned long long w) {
  for (int k = 0; k < 64; k++) for (int i = 0; i < 32; i++) maps[k].v[i] = fill;
  __threadfence();
  Raw* m = maps;
  REP("global_address", "global", "b64", "l", w); m++;  // 0
  REP("rank", "global", "b32", "r", v); m++;            // 1
  REPO("box_dim", 0, "b32", "r", v); m++; REPO("box_dim", 1, "b32", "r", v); m++; REPO("box_dim", 2, "b32", "r", v); m++; REPO("box_dim", 3, "b32", "r", v); m++; REPO("box_dim", 4, "b32", "r", v); m++;  // 2..6
  REPO("global_dim", 0, "b32", "r", v); m++; REPO("global_dim", 1, "b32", "r", v); m++; REPO("global_dim", 2, "b32", "r", v); m++; REPO("global_dim", 3, "b32", "r", v); m++; REPO("global_dim", 4, "b32", "r", v); m++;  // 7..11
  REPO("global_stride", 0, "b64", "l", w); m++; REPO("global_stride", 1, "b64", "l", w); m++; REPO("global_stride", 2, "b64", "l", w); m++; REPO("global_stride", 3, "b64", "l", w); m++;  // 12..15
  REPO("element_stride", 0, "b32", "r", v); m++; REPO("element_stride", 1, "b32", "r", v); m++; REPO("element_stride", 2, "b32", "r", v); m++; REPO("element_stride", 3, "b32", "r", v); m++; REPO("element_stride", 4, "b32", "r", v); m++;  // 16..20
  REPI("elemtype", 0); m++; REPI("elemtype", 1); m++; REPI("elemtype", 2); m++; REPI("elemtype", 3); m++; REPI("elemtype", 4); m++; REPI("elemtype", 5); m++; REPI("elemtype", 6); m++; REPI("elemtype", 7); m++; REPI("elemtype", 8); m++; REPI("elemtype", 9); m++; REPI("elemtype", 10); m++; REPI("elemtype", 11); m++; REPI("elemtype", 12); m++;  // 21..33
  REPI("interleave_layout", 0); m++; REPI("interleave_layout", 1); m++; REPI("interleave_layout", 2); m++;  // 34..36
  REPI("swizzle_mode", 0); m++; REPI("swizzle_mode", 1); m++; REPI("swizzle_mode", 2); m++; REPI("swizzle_mode", 3); m++;  // 37..40
  REPI("fill_mode", 0); m++; REPI("fill_mode", 1); m++;  // 41..42
}
// loads a box of the map into shared memory and dumps 1024 bytes
extern "C" __global__ void use(const Raw* map, unsigned* out, int rank, int tx) {
  __shared__ alignas(1024) unsigned s[1024];
  __shared__ alignas(16) unsigned long long bar;
  for (int i = threadIdx.x; i < 1024; i += 32) s[i] = 0xdeadbeef;
  if (threadIdx.x == 0) { asm volatile("mbarrier.init.shared.b64 [%0], 1;\nfence.mbarrier_init.release.cluster;" :: "r"(sptr(&bar))); asm volatile("fence.proxy.async;"); }
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" :: "l"(map) : "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" :: "r"(sptr(&bar)), "r"(tx) : "memory");
    if (rank == 1) asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3}], [%2];" :: "r"(sptr(s)), "l"(map), "r"(sptr(&bar)), "r"(0) : "memory");
    if (rank == 2) asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %3}], [%2];" :: "r"(sptr(s)), "l"(map), "r"(sptr(&bar)), "r"(0) : "memory");
    if (rank == 3) asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %3, %3}], [%2];" :: "r"(sptr(s)), "l"(map), "r"(sptr(&bar)), "r"(0) : "memory");
    long long t = clock64(); unsigned ok = 0;
    while (!ok && clock64() - t < 200000) asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }" : "=r"(ok) : "r"(sptr(&bar)) : "memory");
    out[1024] = ok;
    unsigned long long st; asm volatile("ld.shared.b64 %0, [%1];" : "=l"(st) : "r"(sptr(&bar))); out[1026] = (unsigned)st; out[1027] = st >> 32;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 1024; i += 32) out[i] = s[i];
}
static void hexdump(const char* name, const void* p) { printf("%s ", name); for (int i = 0; i < 32; i++) printf("%08x%s", ((const unsigned*)p)[i], i == 31 ? "\n" : " "); }
static CUtensorMap base(const char* name, int type = 7, int rank = 5, uint64_t addr = 0x7f1234560000ull, std::vector<cuuint64_t> dims = {64, 48, 40, 24, 16}, std::vector<cuuint64_t> st = {}, std::vector<unsigned> box = {16, 8, 4, 2, 1}, std::vector<unsigned> es = {1, 1, 1, 1, 1}, int il = 0, int sw = 0, int l2 = 0, int oob = 0) {
  CUtensorMap t; memset(&t, 0, sizeof t);
  static const int size[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
  if (st.empty()) { uint64_t s = size[type]; for (int i = 0; i < 4; i++) { s *= dims[i]; st.push_back(s); } }
  CUresult r = cuTensorMapEncodeTiled(&t, (CUtensorMapDataType)type, rank, (void*)addr, dims.data(), st.data(), box.data(), es.data(), (CUtensorMapInterleave)il, (CUtensorMapSwizzle)sw, (CUtensorMapL2promotion)l2, (CUtensorMapFloatOOBfill)oob);
  if (r) printf("%s error %d\n", name, r); else hexdump(name, &t);
  return t;
}
static void encodes() {
  char n[64];
  base("base");
  for (int t = 0; t < 13; t++) { sprintf(n, "type%d", t); base(n, t); }
  for (int r = 1; r <= 5; r++) { sprintf(n, "rank%d", r); base(n, 7, r); }
  base("addr1", 7, 5, 0x10); base("addr2", 7, 5, 0xffffffffffff0ull);
  for (int d = 0; d < 5; d++) { std::vector<cuuint64_t> v = {64, 48, 40, 24, 16}; v[d] = 0x12345679; sprintf(n, "dim%d", d); base(n, 7, 5, 0x7f1234560000ull, v, {256, 512, 1024, 2048}); v[d] = 1ull << 32; sprintf(n, "dimmax%d", d); base(n, 7, 5, 0x7f1234560000ull, v, {256, 512, 1024, 2048}); }
  for (int d = 0; d < 4; d++) { std::vector<cuuint64_t> v = {256, 512, 1024, 2048}; v[d] = 0x8765432190ull; sprintf(n, "stride%d", d); base(n, 7, 5, 0x7f1234560000ull, {64, 48, 40, 24, 16}, v); v[d] = 0xfffffffff0ull; sprintf(n, "stridemax%d", d); base(n, 7, 5, 0x7f1234560000ull, {64, 48, 40, 24, 16}, v); }
  for (int d = 0; d < 5; d++) { std::vector<unsigned> v = {16, 8, 4, 2, 1}; v[d] = d ? 256 : 252; sprintf(n, "box%d", d); base(n, 7, 5, 0x7f1234560000ull, {64, 48, 40, 24, 16}, {}, v); v[d] = 8; sprintf(n, "boxb%d", d); base(n, 7, 5, 0x7f1234560000ull, {64, 48, 40, 24, 16}, {}, v); }
  for (int d = 0; d < 5; d++) for (unsigned e : {2u, 5u, 8u}) { std::vector<unsigned> v = {1, 1, 1, 1, 1}; v[d] = e; sprintf(n, "es%d_%u", d, e); base(n, 7, 5, 0x7f1234560000ull, {64, 48, 40, 24, 16}, {}, {16, 8, 4, 2, 1}, v); }
  for (int i = 0; i < 3; i++) for (int s = 0; s < 4; s++) for (int l = 0; l < 4; l++) { sprintf(n, "il%d_sw%d_l2%d", i, s, l); base(n, 7, 5, 0x7f1234560000ull, {64, 48, 40, 24, 16}, {256, 512, 1024, 2048}, {8, 8, 4, 2, 1}, {1, 1, 1, 1, 1}, i, s, l, 0); }
  base("oob1", 7, 5, 0x7f1234560000ull, {64, 48, 40, 24, 16}, {}, {16, 8, 4, 2, 1}, {1, 1, 1, 1, 1}, 0, 0, 0, 1);
  for (int rank = 3; rank <= 5; rank++) for (int v = 0; v < 9; v++) {
    CUtensorMap t; memset(&t, 0, sizeof t); cuuint64_t dims[] = {64, 48, 40, 24, 16}, st[] = {256, 12288, 491520, 11796480}; unsigned es[] = {1, 1, 1, 1, 1};
    int lo[3] = {0, 0, 0}, up[3] = {0, 0, 0}; unsigned ch = 32, px = 64; int il = 0, sw = 0;
    if (v == 1) lo[0] = -3; if (v == 2) up[0] = -5; if (v == 3 && rank > 3) lo[1] = -3, up[1] = -7; if (v == 4 && rank > 4) lo[2] = -3, up[2] = -7; if (v == 5) ch = 20; if (v == 6) px = 777; if (v == 7) es[1] = 3; if (v == 8) { sw = 3; lo[0] = -1; up[0] = -1; }
    CUresult r = cuTensorMapEncodeIm2col(&t, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, rank, (void*)0x7f1234560000ull, dims, st, lo, up, ch, px, es, (CUtensorMapInterleave)il, (CUtensorMapSwizzle)sw, (CUtensorMapL2promotion)0, (CUtensorMapFloatOOBfill)0);
    sprintf(n, "im2col%d_%d", rank, v); if (r) printf("%s error %d\n", n, r); else hexdump(n, &t);
  }
  std::vector<unsigned> r2 = {};
}
int main(int argc, char** argv) {
  std::string what = argv[1]; int k = argc > 2 ? atoi(argv[2]) : 0;
  CK(cudaFree(0));
  if (what == "encode") { encodes(); return 0; }
  if (what == "rep") {
    Raw* m; CK(cudaMalloc(&m, 64 * 128)); std::vector<Raw> h(64);
    struct { unsigned f, v; unsigned long long w; } runs[] = {{0, 3, 0x7f1234560000ull}, {0, 0xffffffff, ~0ull}, {0xffffffff, 0, 0}, {0, 0, 0}, {0, 1, 16}, {0, 0x12345678, 0x123456789abcdef0ull}};
    for (auto& r : runs) { rep<<<1, 1>>>(m, r.f, r.v, r.w); cudaError_t e = cudaDeviceSynchronize(); printf("# rep fill %x v %x w %llx: %s\n", r.f, r.v, r.w, cudaGetErrorName(e)); if (e) break; CK(cudaMemcpy(h.data(), m, 64 * 128, cudaMemcpyDeviceToHost)); for (int i = 0; i < 43; i++) { char n[32]; sprintf(n, "r%d", i); hexdump(n, &h[i]); } }
    return 0;
  }
  if (what == "use") {  // zeroed maps with chosen words set: k picks
    unsigned* buf; CK(cudaMalloc(&buf, 1 << 20)); std::vector<unsigned> init(1 << 18); for (size_t i = 0; i < init.size(); i++) init[i] = i; CK(cudaMemcpy(buf, init.data(), 1 << 20, cudaMemcpyHostToDevice));
    unsigned* out; CK(cudaMalloc(&out, 8192)); Raw* m; CK(cudaMalloc(&m, 128));
    Raw raw; memset(&raw, 0, 128);
    cuuint64_t dims[] = {64, 48, 4}, st[] = {256, 16384}; unsigned box[] = {16, 8, 2}, es[] = {1, 1, 1};
    CUtensorMap t; int rank = k / 100 ? 3 : 2;
    if (k % 100 != 0) { CK(cuTensorMapEncodeTiled(&t, CU_TENSOR_MAP_DATA_TYPE_UINT32, rank, buf, dims, st, box, es, (CUtensorMapInterleave)0, (CUtensorMapSwizzle)0, (CUtensorMapL2promotion)0, (CUtensorMapFloatOOBfill)0)); memcpy(&raw, &t, 128); }
    int user = rank; int kk = k % 100;
    if (kk == 0) { unsigned long long a = (unsigned long long)buf; memcpy(&raw, &a, 8); }
    if (kk == 2) user = rank + 1; if (kk == 3) user = rank - 1;
    if (kk >= 10 && kk < 42) raw.v[kk - 10] = 0;
    CK(cudaMemcpy(m, &raw, 128, cudaMemcpyHostToDevice)); CK(cudaMemset(out, 0, 8192));
    use<<<1, 32>>>(m, out, user, 16 * 8 * 4 * (rank == 3 ? 2 : 1)); cudaError_t e = cudaDeviceSynchronize(); std::vector<unsigned> h(2048); if (!e) CK(cudaMemcpy(h.data(), out, 8192, cudaMemcpyDeviceToHost));
    unsigned n = 0; for (int i = 0; i < 1024; i++) n += h[i] != 0xdeadbeef;
    printf("use %d user rank %d: %d %s complete %u written %u bar %08x%08x first", k, user, e, cudaGetErrorName(e), h[1024], n, h[1027], h[1026]); for (int i : {0, 1, 15, 16, 17, 32, 127, 128}) printf(" %x", h[i]); printf("\n"); return 0;
  }
}
