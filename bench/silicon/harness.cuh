// SPDX-License-Identifier: Apache-2.0
// Harness of the reference cases: each case is one kernel launch on deterministic inputs.
// `./suite --list-json` prints every case as a launch description; `./suite NAME...` runs cases
// (all of them without a name) and prints one line each: name, ok, fnv1a64 of every output buffer.
#pragma once
#include <cuda.h>
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { \
  fprintf(stderr, "%s:%d %s: %s\n", __FILE__, __LINE__, #x, cudaGetErrorString(e_)); exit(1); } } while (0)

// Element i of a stream with seed s is splitmix64 of s * 0x9E3779B97F4A7C15 + i.
inline uint64_t splitmix64(uint64_t x) {
  x += 0x9E3779B97F4A7C15ull;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}

struct Buffer {
  std::string name, type, init;   // type: u8 u32 i32 f16 f32 f64; init: zero | iota | uniform | range | csr_rows | perm
  uint64_t count = 0, seed = 0, param = 0;
  bool output = false;
  uint64_t width = 0, height = 0;  // of a texture (f32, linear filter, clamped), whose texels the buffer holds
  unsigned box[2] = {0, 0}, swizzle = 0;  // of a tensor map of width x height: the tile, and 0 or 128 bytes
  CUtensorMap map;
  std::vector<uint8_t> host;
  void* dev = nullptr;
};

inline uint16_t f32_to_f16(float f) {  // exact for the values k/1024 used here
  uint32_t x; memcpy(&x, &f, 4);
  uint32_t s = (x >> 16) & 0x8000, m = x & 0x7fffff; int e = int((x >> 23) & 0xff) - 112;
  if (f == 0) return s;
  if (e <= 0) { m |= 0x800000; return s | (m >> (14 - e)); }
  return s | (e << 10) | (m >> 13);
}

inline size_t type_size(const std::string& t) { return t == "u8" ? 1 : t == "f16" ? 2 : t == "f64" ? 8 : 4; }

inline void fill(Buffer& b) {
  b.host.assign(b.count * type_size(b.type), 0);
  if (b.init == "zero") return;
  uint64_t base = b.seed * 0x9E3779B97F4A7C15ull;
  if (b.init == "perm") {  // Fisher-Yates permutation of 0..count-1 (u32)
    uint32_t* p = (uint32_t*)b.host.data();
    for (uint64_t i = 0; i < b.count; i++) p[i] = i;
    for (uint64_t i = b.count - 1; i > 0; i--) { uint64_t j = splitmix64(base + i) % (i + 1); std::swap(p[i], p[j]); }
    return;
  }
  if (b.init == "chase") {  // one cycle through all slots, stride `param` slots apart in order (u32 index of next)
    uint32_t* p = (uint32_t*)b.host.data();
    uint64_t n = b.count / b.param;
    for (uint64_t i = 0; i < n; i++) p[i * b.param] = ((i + 1) % n) * b.param;
    return;
  }
  if (b.init == "csr_rows") {  // count-1 rows, row r has splitmix64(base + r) % (2*param+1) entries (u32 prefix sum)
    uint32_t* p = (uint32_t*)b.host.data(); uint32_t sum = 0;
    for (uint64_t r = 0; r < b.count; r++) { p[r] = sum; sum += splitmix64(base + r) % (2 * b.param + 1); }
    return;
  }
  for (uint64_t i = 0; i < b.count; i++) {
    uint64_t u = splitmix64(base + i);
    if (b.init == "iota") { if (b.type == "f32") ((float*)b.host.data())[i] = float(i); else ((uint32_t*)b.host.data())[i] = i; }
    else if (b.init == "range") { if (b.type == "u8") b.host[i] = u % b.param; else ((uint32_t*)b.host.data())[i] = u % b.param; }
    else if (b.init == "raw") { if (b.type == "u8") b.host[i] = u; else ((uint32_t*)b.host.data())[i] = u >> 32; }
    else if (b.init == "uniform") {  // k * 2^-23 - 1 with k = u >> 40 (24 bits): exact in f32 and f64; f16: (u % 2048) / 1024 - 1
      if (b.type == "f32") ((float*)b.host.data())[i] = float(u >> 40) * 0x1p-23f - 1.0f;
      else if (b.type == "f64") ((double*)b.host.data())[i] = double(u >> 40) * 0x1p-23 - 1.0;
      else ((uint16_t*)b.host.data())[i] = f32_to_f16(float(u % 2048) / 1024.0f - 1.0f);
    } else if (b.init == "positive") {  // uniform in [0.5, 1.5)
      if (b.type == "f32") ((float*)b.host.data())[i] = float(u >> 40) * 0x1p-24f + 0.5f;
      else ((double*)b.host.data())[i] = double(u >> 40) * 0x1p-24 + 0.5;
    } else { fprintf(stderr, "bad init %s\n", b.init.c_str()); exit(1); }
  }
}

inline uint64_t fnv(const void* p, size_t n) {
  uint64_t h = 1469598103934665603ull;
  for (size_t i = 0; i < n; i++) h = (h ^ ((const uint8_t*)p)[i]) * 1099511628211ull;
  return h;
}

struct Arg { int buffer = -1; std::vector<uint8_t> bytes; std::string type, text; };

struct Case {
  std::string name, module, kernel, about;
  const void* fn = nullptr;
  dim3 grid{1}, block{1}, cluster{0, 0, 0};
  unsigned smem = 0; int carveout = -1; bool cooperative = false;
  uint64_t l2_window_buffer = ~0ull, l2_window_bytes = 0; float l2_hit_ratio = 0; uint64_t l2_set_aside = 0;
  int repeat = 1;  // launches of the same kernel, back to back on the same buffers; the last one is the measured one
  std::vector<Buffer> buffers; std::vector<Arg> args;

  Case& g(unsigned x, unsigned y = 1, unsigned z = 1) { grid = dim3(x, y, z); return *this; }
  Case& b(unsigned x, unsigned y = 1, unsigned z = 1) { block = dim3(x, y, z); return *this; }
  Case& c(unsigned x) { cluster = dim3(x, 1, 1); return *this; }
  Case& dyn(unsigned bytes) { smem = bytes; return *this; }
  Case& in(const char* n, const char* type, uint64_t count, const char* init, uint64_t seed = 1, uint64_t param = 0) {
    Buffer x; x.name = n; x.type = type; x.count = count; x.init = init; x.seed = seed; x.param = param;
    buffers.push_back(x); Arg a; a.buffer = int(buffers.size()) - 1; args.push_back(a); return *this;
  }
  Case& out(const char* n, const char* type, uint64_t count, const char* init = "zero", uint64_t seed = 1, uint64_t param = 0) {
    in(n, type, count, init, seed, param); buffers.back().output = true; return *this;
  }
  Case& tex(const char* n, uint64_t width, uint64_t height, const char* init, uint64_t seed) {
    in(n, "f32", width * height, init, seed); buffers.back().width = width; buffers.back().height = height; return *this;
  }
  Case& tma(const char* n, const char* type, uint64_t width, uint64_t height, unsigned w, unsigned h, unsigned swizzle, const char* init, uint64_t seed, bool output = false) {
    in(n, type, width * height, init, seed); Buffer& b = buffers.back(); b.width = width; b.height = height; b.box[0] = w; b.box[1] = h; b.swizzle = swizzle; b.output = output; return *this;
  }
  template <class T> Case& val(T v, const char* type) {
    Arg a; a.bytes.resize(sizeof(T)); memcpy(a.bytes.data(), &v, sizeof(T)); a.type = type;
    char t[64]; if (type[0] == 'f') snprintf(t, 64, "%.17g", double(v)); else snprintf(t, 64, "%lld", (long long)v);
    a.text = t; args.push_back(a); return *this;
  }
  Case& i(int v) { return val(v, "s32"); }
  Case& f(float v) { return val(v, "f32"); }
  Case& l2(uint64_t buf, uint64_t bytes, float ratio, uint64_t aside, int rep) {
    l2_window_buffer = buf; l2_window_bytes = bytes; l2_hit_ratio = ratio; l2_set_aside = aside; repeat = rep; return *this;
  }
};

std::vector<Case>& cases();
inline Case& add(const char* name, const char* module, const char* kernel, const void* fn, const char* about = "") {
  Case c; c.name = name; c.module = module; c.kernel = kernel; c.fn = fn; c.about = about;
  cases().push_back(c); return cases().back();
}
#define CASE(name, module, kernel, ...) add(name, module, #kernel, (const void*)kernel, ##__VA_ARGS__)
