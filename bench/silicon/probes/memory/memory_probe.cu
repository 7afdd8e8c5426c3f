// SPDX-License-Identifier: Apache-2.0
// Probes of the memory system. `memory_probe time` prints CSV lines of self-timed probes; `memory_probe share`
// and `memory_probe code` launch kernels whose counters Nsight Compute reads (run.sh).
#include <cstring>
#include <string>
#include <vector>
#include <algorithm>
#include <cooperative_groups.h>
#include "../harness.cuh"

__device__ unsigned smid() { unsigned r; asm volatile("mov.u32 %0, %%smid;" : "=r"(r)); return r; }
__device__ uint64_t wall() { uint64_t t; asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t) :: "memory"); return t; }
__device__ float ld_cg(const float* p) { float v; asm volatile("ld.global.cg.f32 %0, [%1];" : "=f"(v) : "l"(p) : "memory"); return v; }

// --- share: one warp an SM; every SM of the two sets reads the same lines, line i at t0 + i * pace (+ delay for set b).
__global__ void share(const float* data, unsigned* arrive, unsigned long long* latest, unsigned a, unsigned b, int all,
                      int lines, int pace, int delay, float* sink, int cg, int half) {
  const unsigned me = smid();
  const bool mine = all ? me < (unsigned)all : (me == a || me == b);
  if (threadIdx.x == 0) {
    atomicMax(latest, (unsigned long long)now64());
    __threadfence();
    atomicAdd(arrive, 1);
    while (*(volatile unsigned*)arrive < gridDim.x) {}
  }
  __syncwarp();
  const uint64_t t0 = *(volatile unsigned long long*)latest + 20000;
  if (!mine) return;
  const uint64_t extra = all ? (uint64_t)delay * me : (me == b ? delay : 0);
  float s = 0;
  for (int i = 0; i < lines; ++i) {
    while (now64() < t0 + (uint64_t)i * pace + extra) {}
    const float* p = data + i * 32 + (half && me == b ? (threadIdx.x & 15) + 16 : half ? (threadIdx.x & 15) : threadIdx.x);
    if (cg) s += ld_cg(p); else { float v; asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(v) : "l"(p) : "memory"); s += v; }
  }
  if (s == 12345.f) sink[me] = s;
}

__global__ void empty_kernel() {}
__global__ void flush_touch(float* p, size_t n) { for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) p[i] = 1; }
template <int N> __global__ void code(float* out, float x) {
  float a = x;
#pragma unroll
  for (int i = 0; i < N; ++i) a = fmaf(a, 1.0001f + i * 1e-4f, 0.5f);
  out[threadIdx.x] = a;
}

// --- chase
__global__ void chase(const uint32_t* p, int steps, uint32_t start, int* bucket, uint64_t* total, uint32_t* sink, unsigned on) {
  if (smid() != on) return;
  uint32_t i = start; uint64_t sum = 0;
  for (int k = 0; k < steps; ++k) {
    const uint64_t t = now64();
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(i) : "l"(p + i) : "memory");
    if (i == 0xffffffff) break;  // waits for the load
    const uint64_t d = now64() - t;
    sum += d; atomicAdd(&bucket[d / 8 > 255 ? 255 : d / 8], 1);
  }
  *total = sum; *sink = i;
}
__constant__ uint32_t table[16384];
__global__ void const_chase(int steps, uint64_t* total, uint32_t* sink) {
  uint32_t i = 0;
  for (int k = 0; k < steps; ++k) i = table[i];
  const uint64_t t = now64();
  for (int k = 0; k < steps; ++k) i = table[i];
  *total = now64() - t; *sink = i;
}
// every lane its own of `ways` addresses
__global__ void const_divergent(int rounds, int ways, int step, uint64_t* total, uint32_t* sink) {
  uint32_t s = 0, i = (threadIdx.x % ways) * step;
  for (int k = 0; k < 4; ++k) { s = table[i & 16383]; i += s; }
  const uint64_t t = now64();
  for (int k = 0; k < rounds; ++k) { s = table[i & 16383]; i += s; }
  if (threadIdx.x == 0) *total = now64() - t;
  *sink = s + i;
}

// --- bandwidth: every block records its time
struct Stamp { uint64_t begin, end, w0, w1; };
enum Mode { READ, WRITE, COPY, READ_CG, WRITE_SECTOR, WRITE_WORD, RED_SAME, RED_LINE, RED_OWN, ATOM_SAME, ATOM_OWN, RED_RANDOM, READ_SECTOR, ADD2, RED_WARP_SAME };
__global__ void traffic(Mode mode, float* data, size_t n, int rounds, Stamp* stamp, float* sink) {
  const uint64_t w0 = wall(), begin = now64();
  const size_t tid = blockIdx.x * (size_t)blockDim.x + threadIdx.x, threads = (size_t)gridDim.x * blockDim.x;
  float s = 0;
  float4* v = (float4*)data;
  const size_t n4 = n / 4;
  unsigned* u = (unsigned*)data;
  for (int r = 0; r < rounds; ++r) switch (mode) {
    case READ: case READ_CG:
#pragma unroll 4
      for (size_t i = tid; i < n4; i += threads) { float4 x = mode == READ ? v[i] : __ldcg(v + i); s += x.x + x.y + x.z + x.w; } break;
    case WRITE:
#pragma unroll 4
      for (size_t i = tid; i < n4; i += threads) v[i] = make_float4(r, r, r, r); break;
    case COPY:
#pragma unroll 4
      for (size_t i = tid; i < n4 / 2; i += threads) v[i] = v[i + n4 / 2]; break;
    case ADD2:
#pragma unroll 4
      for (size_t i = tid; i < n / 3; i += threads) data[i] = data[i + n / 3] + data[i + 2 * (n / 3)]; break;
    case WRITE_SECTOR:  // 8 lanes a sector, one sector of a line
#pragma unroll 4
      for (size_t i = tid; i < n / 4; i += threads) data[(i / 8) * 32 + i % 8] = r; break;
    case WRITE_WORD:  // one word of every sector
#pragma unroll 4
      for (size_t i = tid; i < n / 8; i += threads) data[i * 8] = r; break;
    case READ_SECTOR:
#pragma unroll 4
      for (size_t i = tid; i < n / 8; i += threads) s += __ldcg(data + i * 8); break;
    case RED_SAME: for (int k = 0; k < 64; ++k) atomicAdd(u, 1u + k); break;
    case RED_WARP_SAME: for (int k = 0; k < 64; ++k) atomicAdd(u + (tid / 32) * 32, 1u + k); break;
    case RED_LINE: for (int k = 0; k < 64; ++k) atomicAdd(u + threadIdx.x % 32, 1u + k); break;
    case RED_OWN: for (int k = 0; k < 64; ++k) atomicAdd(u + tid, 1u + k); break;
    case ATOM_SAME: for (int k = 0; k < 64; ++k) s += atomicExch(u, (unsigned)k); break;
    case ATOM_OWN: for (int k = 0; k < 64; ++k) s += atomicAdd(u + tid, (unsigned)k); break;
    case RED_RANDOM: { unsigned h = tid * 2654435761u; for (int k = 0; k < 64; ++k) { h = h * 1664525u + 1013904223u; atomicAdd(u + (h >> 8) % n, 1u + k); } } break;
  }
  if (s == 12345.f) *sink = s;
  __syncthreads();
  if (threadIdx.x == 0) stamp[blockIdx.x] = {begin, now64(), w0, wall()};
}
__global__ void fences(uint64_t* out, unsigned* x) {
  uint64_t t[10]; t[0] = now64(); for (int i = 0; i < 64; ++i) __threadfence_block();
  t[1] = now64(); for (int i = 0; i < 64; ++i) __threadfence();
  t[2] = now64(); for (int i = 0; i < 64; ++i) { x[i * 32] = i; __threadfence(); }
  t[3] = now64(); for (int i = 0; i < 64; ++i) __threadfence_system();
  t[4] = now64(); unsigned v = 0; for (int i = 0; i < 64; ++i) v += atomicAdd(x + (v & 1), 1u) & 1;
  t[5] = now64(); for (int i = 0; i < 64; ++i) v += *(volatile unsigned*)(x + (v & 1)) & 1;
  t[6] = now64(); for (int i = 0; i < 64; ++i) { unsigned w; asm volatile("ld.acquire.gpu.u32 %0,[%1];" : "=r"(w) : "l"(x + (v & 1)) : "memory"); v += w & 1; }
  t[7] = now64(); for (int i = 0; i < 64; ++i) { asm volatile("st.release.gpu.u32 [%0],%1;" :: "l"(x), "r"(v) : "memory"); }
  t[8] = now64(); for (int i = 0; i < 64; ++i) { unsigned w; asm volatile("atom.add.acq_rel.gpu.u32 %0,[%1],1;" : "=r"(w) : "l"(x + (v & 1)) : "memory"); v += w & 1; }
  t[9] = now64();
  for (int i = 0; i < 9; ++i) out[i] = t[i + 1] - t[i];
  out[9] = v;
}
__global__ void grid_sync(int n, uint64_t* out) {
  auto g = cooperative_groups::this_grid();
  g.sync();
  const uint64_t t = now64();
  for (int i = 0; i < n; ++i) g.sync();
  if (blockIdx.x == 0 && threadIdx.x == 0) *out = now64() - t;
}
__global__ void stamp_only(Stamp* stamp, int spin) { const uint64_t b = now64(), w = wall(); while (now64() < b + spin) {} if (threadIdx.x == 0) stamp[blockIdx.x] = {b, now64(), w, smid()}; }

static Stamp* stamps; static float* buf; static float* sink; static size_t kBuf = size_t{1} << 30;
static double cycles_of(int blocks, double* ns = nullptr) {
  std::vector<Stamp> s(blocks); OK(cudaMemcpy(s.data(), stamps, blocks * sizeof(Stamp), cudaMemcpyDeviceToHost));
  uint64_t b = ~0ull, e = 0, w0 = ~0ull, w1 = 0;
  for (auto& x : s) b = std::min(b, x.begin), e = std::max(e, x.end), w0 = std::min(w0, x.w0), w1 = std::max(w1, x.w1);
  if (ns) *ns = double(w1 - w0);
  return double(e - b);
}
static void run_traffic(const char* name, Mode mode, size_t bytes, int blocks, int threads, int rounds) {
  std::vector<double> c, w;
  for (int i = 0; i < 5; ++i) {
    traffic<<<blocks, threads>>>(mode, buf, bytes / 4, rounds, stamps, sink); OK(cudaDeviceSynchronize());
    double ns; c.push_back(cycles_of(blocks, &ns)); w.push_back(ns);
  }
  std::sort(c.begin(), c.end()); std::sort(w.begin(), w.end());
  printf("traffic,%s,%zu,%d,%d,%d,%.0f,%.0f\n", name, bytes, blocks, threads, rounds, c[2], w[2]);
}
static void timed() {
  OK(cudaMalloc(&buf, kBuf)); OK(cudaMemset(buf, 0, kBuf)); OK(cudaMalloc(&stamps, sizeof(Stamp) << 20)); OK(cudaMalloc(&sink, 1 << 20));
  printf("kind,name,bytes,blocks,threads,rounds,cycles,ns\n");
  for (int g : {132, 264, 1056, 4224}) for (int th : {256, 1024}) {
    if (g * th > 132 * 2048 * 16) continue;
    for (size_t mb : {8, 512}) {
      const int r = mb == 8 ? 16 : 1;
      run_traffic("read", READ_CG, mb << 20, g, th, r); run_traffic("write", WRITE, mb << 20, g, th, r);
      run_traffic("copy", COPY, mb << 20, g, th, r); run_traffic("add2", ADD2, mb << 20, g, th, r);
    }
  }
  for (int g : {1, 2, 4, 8, 16, 33, 66, 132}) { run_traffic("read_l2_by_sms", READ_CG, 4 << 20, g, 1024, 4); run_traffic("write_l2_by_sms", WRITE, 4 << 20, g, 1024, 4); }
  for (size_t kb : {64, 128, 192}) run_traffic("read_l1", READ, kb << 10, 1, 1024, 64);
  for (int g : {1, 132, 264}) {
    run_traffic("write_sector", WRITE_SECTOR, 4 << 20, g, 1024, 4); run_traffic("write_word", WRITE_WORD, 4 << 20, g, 1024, 4);
    run_traffic("read_sector", READ_SECTOR, 4 << 20, g, 1024, 4); run_traffic("write_word_64m", WRITE_WORD, 64 << 20, g, 1024, 1);
    run_traffic("read_sector_256m", READ_SECTOR, 256 << 20, g, 1024, 1);
  }
  for (int g : {1, 132}) for (int th : {32, 1024}) {
    run_traffic("red_same", RED_SAME, 4 << 20, g, th, 1); run_traffic("red_line", RED_LINE, 4 << 20, g, th, 1); run_traffic("red_own", RED_OWN, 4 << 20, g, th, 1);
    run_traffic("red_warp_same", RED_WARP_SAME, 4 << 20, g, th, 1);
    run_traffic("atom_same", ATOM_SAME, 4 << 20, g, th, 1); run_traffic("atom_own", ATOM_OWN, 4 << 20, g, th, 1);
    for (size_t b : {256ul, 1024ul, 4096ul, 65536ul, 1ul << 20, 16ul << 20}) run_traffic("red_random", RED_RANDOM, b, g, th, 1);
  }
  // launch rate
  for (int th : {32, 256, 1024}) for (int g : {132, 528, 4224}) {
    stamp_only<<<g, th>>>(stamps, 0); OK(cudaDeviceSynchronize()); stamp_only<<<g, th>>>(stamps, 0); OK(cudaDeviceSynchronize());
    double c = cycles_of(g); printf("launch,rate,0,%d,%d,0,%.0f,0\n", g, th, c);
  }
  { const int g = 132 * 2; stamp_only<<<g, 1024>>>(stamps, 5000); OK(cudaDeviceSynchronize()); stamp_only<<<g, 1024>>>(stamps, 5000); OK(cudaDeviceSynchronize());
    std::vector<Stamp> s(g); OK(cudaMemcpy(s.data(), stamps, g * sizeof(Stamp), cudaMemcpyDeviceToHost)); uint64_t b = ~0ull; for (auto& x : s) b = std::min(b, x.begin);
    for (int i = 0; i < g; ++i) printf("start,block,%d,%d,0,0,%llu,%llu\n", i, (int)s[i].w1, (unsigned long long)(s[i].begin - b), (unsigned long long)(s[i].end - b)); }
  // chase: near/far by SM
  int* bucket; uint64_t* total; OK(cudaMalloc(&bucket, 1024)); OK(cudaMalloc(&total, 256));
  for (size_t kb : {64ul, 1024ul, 24ul << 10, 256ul << 10}) {
    const size_t n = kb * 1024 / 4, lines = n / 32;
    std::vector<uint32_t> h(n); uint64_t x = 88172645463325252ull; std::vector<uint32_t> order(lines);
    for (size_t i = 0; i < lines; ++i) order[i] = i;
    for (size_t i = lines - 1; i; --i) { x ^= x << 13; x ^= x >> 7; x ^= x << 17; std::swap(order[i], order[x % (i + 1)]); }
    for (size_t i = 0; i < lines; ++i) h[order[i] * 32] = order[(i + 1) % lines] * 32;
    OK(cudaMemcpy(buf, h.data(), n * 4, cudaMemcpyHostToDevice));
    for (unsigned sm : {0u, 1u, 40u, 131u}) for (int pass = 0; pass < 2; ++pass) {
      const int steps = (int)std::min<size_t>(lines, 8192);
      if (kb > 60000) { flush_touch<<<1000, 256>>>(buf + (kBuf / 8), kBuf / 8); }
      OK(cudaMemset(bucket, 0, 1024)); chase<<<132, 1>>>((uint32_t*)buf, steps, 0, bucket, total, (uint32_t*)sink, sm); OK(cudaDeviceSynchronize());
      uint64_t t; int b[256]; OK(cudaMemcpy(&t, total, 8, cudaMemcpyDeviceToHost)); OK(cudaMemcpy(b, bucket, 1024, cudaMemcpyDeviceToHost));
      printf("chase,kb%zu,%u,%d,0,%d,%.1f,0", kb, sm, pass, steps, double(t) / steps); for (int i = 0; i < 256; ++i) if (b[i] > steps / 500) printf(" %d:%d", i * 8, b[i]); printf("\n");
    }
  }
  for (int bytes : {256, 1024, 2048, 4096, 16384, 32768, 65536}) for (int stride : {16, 64}) {
    const int n = bytes / 4; std::vector<uint32_t> h(16384, 0); for (int i = 0; i < n; i += stride / 4) h[i] = (i + stride / 4) % n;
    OK(cudaMemcpyToSymbol(table, h.data(), 65536)); const_chase<<<1, 1>>>(4096, total, (uint32_t*)sink); OK(cudaDeviceSynchronize());
    uint64_t t; OK(cudaMemcpy(&t, total, 8, cudaMemcpyDeviceToHost)); printf("constant,chase,%d,%d,0,4096,%.1f,0\n", bytes, stride, double(t) / 4096);
  }
  { std::vector<uint32_t> h(16384, 0); OK(cudaMemcpyToSymbol(table, h.data(), 65536));
    for (int th : {32, 1024}) for (int step : {1, 16, 64, 256}) for (int ways : {1, 2, 4, 8, 16, 32}) { const_divergent<<<1, th>>>(256, ways, step, total, (uint32_t*)sink); OK(cudaDeviceSynchronize());
      uint64_t t; OK(cudaMemcpy(&t, total, 8, cudaMemcpyDeviceToHost)); printf("constant,divergent,%d,%d,%d,256,%.1f,0\n", ways, step, th, double(t) / 256); } }
  { fences<<<1, 1>>>(total, (unsigned*)buf); fences<<<1, 1>>>(total, (unsigned*)buf); OK(cudaDeviceSynchronize()); uint64_t t[9]; OK(cudaMemcpy(t, total, 72, cudaMemcpyDeviceToHost));
    const char* names[] = {"membar_cta", "membar_gl", "store_membar_gl", "membar_sys", "atom", "ld_volatile", "ld_acquire", "st_release", "atom_acq_rel"};
    for (int i = 0; i < 9; ++i) printf("fence,%s,0,0,0,64,%.1f,0\n", names[i], double(t[i]) / 64); }
  for (int g : {16, 132, 264}) for (int th : {32, 256}) { int n = 64; void* args[] = {&n, &total};
    for (int k = 0; k < 2; ++k) { OK(cudaLaunchCooperativeKernel((void*)grid_sync, dim3(g), dim3(th), args, 0, 0)); OK(cudaDeviceSynchronize()); }
    uint64_t t; OK(cudaMemcpy(&t, total, 8, cudaMemcpyDeviceToHost)); printf("fence,grid_sync,0,%d,%d,64,%.1f,0\n", g, th, double(t) / 64); }
}
static void sharing() {
  float* data; unsigned* arrive; unsigned long long* latest; float* out;
  OK(cudaMalloc(&data, 1 << 24)); OK(cudaMalloc(&arrive, 4)); OK(cudaMalloc(&latest, 8)); OK(cudaMalloc(&out, 4096));
  auto go = [&](unsigned a, unsigned b, int all, int lines, int pace, int delay, int cg, int half) {
    OK(cudaMemset(arrive, 0, 4)); OK(cudaMemset(latest, 0, 8));
    share<<<132, 32>>>(data, arrive, latest, a, b, all, lines, pace, delay, out, cg, half); OK(cudaDeviceSynchronize());
    fprintf(stderr, "share,%u,%u,%d,%d,%d,%d,%d,%d\n", a, b, all, lines, pace, delay, cg, half);
  };
  go(0, 0, 0, 256, 2000, 0, 0, 0);
  for (unsigned b = 1; b < 132; ++b) go(0, b, 0, 256, 2000, 0, 0, 0);
  for (int d : {4, 8, 16, 32, 64, 128, 192, 256, 320, 400, 600}) { go(0, 1, 0, 256, 2000, d, 0, 0); go(0, 2, 0, 256, 2000, d, 0, 0); go(0, 16, 0, 256, 2000, d, 0, 0); }
  for (int all : {2, 4, 6, 8, 16, 32, 64, 132}) for (int d : {0, 1, 4, 16}) go(0, 0, all, 256, 8000, d, 0, 0);
  for (int pace : {0, 300, 1000}) go(0, 0, 132, 2048, pace, 0, 0, 0);
  go(0, 0, 132, 256, 8000, 0, 1, 0); go(0, 1, 0, 256, 2000, 0, 1, 0); go(0, 1, 0, 256, 2000, 0, 0, 1); go(0, 16, 0, 256, 2000, 0, 0, 1);
}
static void codes() {
  float* out; OK(cudaMalloc(&out, 1 << 20));
  empty_kernel<<<1, 32>>>(); empty_kernel<<<132, 32>>>(); empty_kernel<<<1320, 32>>>();
  code<16><<<1, 32>>>(out, 1.f); code<128><<<1, 32>>>(out, 1.f); code<512><<<1, 32>>>(out, 1.f); code<2048><<<1, 32>>>(out, 1.f); code<8192><<<1, 32>>>(out, 1.f);
  code<512><<<132, 32>>>(out, 1.f); code<8192><<<132, 32>>>(out, 1.f); OK(cudaDeviceSynchronize());
}
int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "time";
  if (what == "time") timed(); else if (what == "share") sharing(); else codes();
  return 0;
}
