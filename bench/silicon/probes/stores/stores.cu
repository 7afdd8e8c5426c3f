// SPDX-License-Identifier: Apache-2.0
// What the L1 does with stores: which go to L2 together, which count as found; what loads find behind them.
// `stores list` names the launches in order, `stores` makes them (for Nsight Compute).
#include <cstring>
#include <string>
#include <vector>
#include "../harness.cuh"
typedef unsigned char u8;
static char* d_buf; static unsigned* d_out; static bool listing; static std::vector<std::string> names;

__device__ __forceinline__ void st(char* p, unsigned v) { asm volatile("st.global.u32 [%0], %1;" :: "l"(p), "r"(v) : "memory"); }
__device__ __forceinline__ void st4(char* p, unsigned v) { asm volatile("st.global.v4.u32 [%0], {%1, %1, %1, %1};" :: "l"(p), "r"(v) : "memory"); }
__device__ __forceinline__ unsigned ld(const char* p) { unsigned v; asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory"); return v; }
__device__ __forceinline__ void pause(int n) { const unsigned t = now(); while (now() - t < (unsigned)n) {} }

// m stores of each lane: store j goes to lane * lane_step + (j % every) * far + j / every * step.
template <int M, int STEP, int EVERY, int FAR, int GAP, int WIDE> __global__ void burst(char* p, int lanes, int lane_step, int warp_step, unsigned v) {
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  if (lane >= lanes) return;
  char* q = p + lane * lane_step + warp * warp_step;
#pragma unroll
  for (int j = 0; j < M; ++j) {
    char* a = q + (j % EVERY) * FAR + j / EVERY * STEP;
    if (WIDE == 4) st4(a, v); else st(a, v);
    if (GAP) pause(GAP);
  }
}
template <int M, int STEP, int EVERY, int FAR, int GAP, int WIDE> void burst_case(const char* name, int lanes, int lane_step, int warp_step, int warps) {
  char t[160]; snprintf(t, 160, "burst,%s,m%d,step%d,every%d,far%d,gap%d,wide%d,lanes%d,lane_step%d,warp_step%d,warps%d", name, M, STEP, EVERY, FAR, GAP, WIDE, lanes, lane_step, warp_step, warps);
  names.push_back(t); if (listing) return;
  burst<M, STEP, EVERY, FAR, GAP, WIDE><<<1, warps * 32>>>(d_buf, lanes, lane_step, warp_step, 7); OK(cudaGetLastError()); OK(cudaDeviceSynchronize());
}
// Two passes over n lines `pitch` apart, a warp with one lane a line. kind 0: load, load; 1: store, store (same
// word); 2: store, store (next sector); 3: load, store; 4: store, load; 5: load, store, load
__global__ void passes(char* p, int n, int pitch, int kind, int gap, unsigned* out) {
  unsigned s = 0;
  for (int k = 0; k < n; k += 32) { char* a = p + (size_t)(k + threadIdx.x) * pitch; if (kind == 0 || kind == 3 || kind == 5) s += ld(a); else st(a, 1); }
  if (s == 12345) out[1] = 1;
  pause(gap);
  for (int k = 0; k < n; k += 32) { char* a = p + (size_t)(k + threadIdx.x) * pitch; if (kind == 0 || kind == 4) s += ld(a); else st(a + (kind == 2 ? 32 : 0), 2); }
  if (s == 12345) out[1] = 1;
  if (kind == 5) { pause(gap); for (int k = 0; k < n; k += 32) s += ld(p + (size_t)(k + threadIdx.x) * pitch); }
  if (s == 12345) out[0] = s;
}
static void passes_case(int n, int pitch, int kind, int gap) {
  char t[160]; snprintf(t, 160, "passes,n%d,pitch%d,kind%d,gap%d", n, pitch, kind, gap); names.push_back(t); if (listing) return;
  passes<<<1, 32>>>(d_buf, n, pitch, kind, gap, d_out); OK(cudaGetLastError()); OK(cudaDeviceSynchronize());
}
// Columns: each of 8 warps of a block stores a word of 32 rows, four times (transpose_naive's output), without loads in front or with.
__global__ void columns(char* p, int pitch, int load, unsigned* out) {
  const int x = threadIdx.x & 31, y = threadIdx.x >> 5; unsigned v[4] = {1, 2, 3, 4};
  if (load) for (int j = 0; j < 4; ++j) v[j] = ld(p + (1 << 24) + (size_t)(blockIdx.x * 32 + y + j * 8) * 4096 + x * 4);
  for (int j = 0; j < 4; ++j) st(p + (size_t)x * pitch + blockIdx.x * 128 + (y + j * 8) * 4, v[j]);
}
static void columns_case(int pitch, int blocks, int load) {
  char t[160]; snprintf(t, 160, "columns,pitch%d,blocks%d,load%d", pitch, blocks, load); names.push_back(t); if (listing) return;
  columns<<<blocks, 256>>>(d_buf, pitch, load, d_out); OK(cudaGetLastError()); OK(cudaDeviceSynchronize());
}
// Structures of seven words, six of them stored (aos_update); every block on its own.
template <int LOAD> __global__ void structs(char* p, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;
  char* q = p + (size_t)i * 28; unsigned v[6] = {1, 2, 3, 4, 5, 6};
#pragma unroll
  for (int k = 0; k < 6; ++k) if (LOAD) v[k] = ld(q + k * 4) + 1;
#pragma unroll
  for (int k = 0; k < 6; ++k) st(q + k * 4, v[k]);
}
template <int LOAD> void structs_case(int blocks, int threads) {
  char t[160]; snprintf(t, 160, "structs,load%d,blocks%d,threads%d", LOAD, blocks, threads); names.push_back(t); if (listing) return;
  structs<LOAD><<<blocks, threads>>>(d_buf, blocks * threads); OK(cudaGetLastError()); OK(cudaDeviceSynchronize());
}
// A second store of one warp with something between: 0 nothing, 1 a load of another line, 2 a load of this line, 3 a store to
// another line, 4 a fence of the block, 5 a fence of the device, 6 a shared store, 7 an atomic elsewhere
template <int K> __global__ void between(char* p, unsigned* out) {
  __shared__ unsigned sh[32];
  char* q = p + threadIdx.x * 32; unsigned s = 0;
  st(q, 1);
  if (K == 1) s = ld(q + 65536);
  if (K == 2) s = ld(q);
  if (K == 3) st(q + 65536, 3);
  if (K == 4) __threadfence_block();
  if (K == 5) __threadfence();
  if (K == 6) ((volatile unsigned*)sh)[threadIdx.x] = 1;
  if (K == 7) atomicAdd(out + 64 + threadIdx.x, 1);
  st(q + 4, 2);
  if (s == 12345) out[0] = sh[0];
}
template <int K> void between_case() { names.push_back("between," + std::to_string(K)); if (listing) return; between<K><<<1, 32>>>(d_buf, d_out); OK(cudaDeviceSynchronize()); }

static void all() {
  // How many lines may lie between two stores that go together.
#define B1(M) burst_case<M, 4, 1, 0, 0, 1>("words", 4, 32, 0, 1); burst_case<M, 4, 1, 0, 0, 1>("words", 32, 32, 0, 1);
  B1(1) B1(2) B1(4) B1(8)
  for (int lanes : {1, 2, 4, 8, 12, 16, 24, 32}) burst_case<2, 4, 1, 0, 0, 1>("lines", lanes, 128, 0, 1);
  for (int lanes : {8, 16, 32}) burst_case<4, 4, 1, 0, 0, 1>("lines", lanes, 128, 0, 1);
  // What comes between by time.
  burst_case<4, 4, 1, 0, 1, 1>("gap", 8, 32, 0, 1); burst_case<4, 4, 1, 0, 16, 1>("gap", 8, 32, 0, 1); burst_case<4, 4, 1, 0, 32, 1>("gap", 8, 32, 0, 1); burst_case<4, 4, 1, 0, 64, 1>("gap", 8, 32, 0, 1);
  burst_case<4, 4, 1, 0, 128, 1>("gap", 8, 32, 0, 1); burst_case<4, 4, 1, 0, 256, 1>("gap", 8, 32, 0, 1); burst_case<4, 4, 1, 0, 1024, 1>("gap", 8, 32, 0, 1);
  // Other lines between: A B A B, A B C A B C, ...
  burst_case<4, 4, 2, 65536, 0, 1>("every", 4, 32, 0, 1); burst_case<6, 4, 3, 65536, 0, 1>("every", 4, 32, 0, 1); burst_case<8, 4, 4, 65536, 0, 1>("every", 4, 32, 0, 1); burst_case<16, 4, 8, 65536, 0, 1>("every", 4, 32, 0, 1); burst_case<32, 4, 16, 65536, 0, 1>("every", 4, 32, 0, 1);
  // Whole sectors and lines side by side; the same word again; 16-byte stores.
  burst_case<4, 32, 1, 0, 0, 1>("sectors", 8, 4, 0, 1); burst_case<4, 0, 1, 0, 0, 1>("same", 8, 32, 0, 1); burst_case<2, 16, 1, 0, 0, 4>("wide", 32, 32, 0, 1); burst_case<4, 16, 1, 0, 0, 4>("wide", 32, 64, 0, 1);
  burst_case<4, 128, 1, 0, 0, 1>("rows", 32, 4, 0, 1);
  // Several warps to the same sectors, or each to its own.
  for (int warps : {2, 4, 5, 8, 32}) burst_case<1, 4, 1, 0, 0, 1>("warps_together", 8, 32, 4 * (warps <= 8), warps);
  for (int warps : {2, 4, 8, 16, 32}) { burst_case<4, 4, 1, 0, 0, 1>("warps_apart", 8, 32, 256, warps); burst_case<4, 4, 1, 0, 0, 1>("warps_apart", 32, 32, 1024, warps); }
  between_case<0>(); between_case<1>(); between_case<2>(); between_case<3>(); between_case<4>(); between_case<5>(); between_case<6>(); between_case<7>();
  for (int blocks : {1, 8, 132, 1056}) { structs_case<0>(blocks, 128); structs_case<1>(blocks, 128); }
  for (int pitch : {4096, 4224, 8192, 1024, 128}) { columns_case(pitch, 1, 0); }
  columns_case(4096, 8, 0); columns_case(4096, 32, 0); columns_case(4096, 1, 1); columns_case(4096, 32, 1); columns_case(4224, 32, 1);
  for (int gap : {0, 300, 3000}) for (int kind : {1, 2, 3, 4, 5}) passes_case(32, 128, kind, gap);
  for (int kind : {0, 1}) for (int pitch : {128, 256, 512, 1024, 2048, 4096, 8192, 65536}) for (int n : {64, 256, 1024}) passes_case(n, pitch, kind, 2000);
  for (int n : {1536, 1792, 2048, 2560}) passes_case(n, 128, 0, 2000);
}
int main(int argc, char** argv) {
  listing = argc > 1 && !strcmp(argv[1], "list");
  if (!listing) { OK(cudaMalloc(&d_buf, 256 << 20)); OK(cudaMemset(d_buf, 0, 256 << 20)); OK(cudaMalloc(&d_out, 1 << 20)); OK(cudaMemset(d_out, 0, 1 << 20)); }
  all();
  if (listing) for (auto& n : names) printf("%s\n", n.c_str());
  return 0;
}
