#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Writes wgmma.cu: one operation for each shape, type and place of A.
KINDS = {  # name: (type text, k, accumulator constraint, registers of accumulator for n, tail)
    "F16": ("f32.f16.f16", 16, "f", lambda n: n // 2, "1, 1, 1, 0, 0", "1, 1, 1, 0"),
    "F16acc": ("f16.f16.f16", 16, "r", lambda n: n // 4, "1, 1, 1, 0, 0", "1, 1, 1, 0"),
    "Bf16": ("f32.bf16.bf16", 16, "f", lambda n: n // 2, "1, 1, 1, 0, 0", "1, 1, 1, 0"),
    "Tf32": ("f32.tf32.tf32", 8, "f", lambda n: n // 2, "1, 1, 1", "1, 1, 1"),
    "S8": ("s32.s8.s8", 32, "r", lambda n: n // 2, "1", "1"),
    "E4m3": ("f32.e4m3.e4m3", 32, "f", lambda n: n // 2, "1, 1, 1", "1, 1, 1"),
}
CASES = [(k, n, rs) for k in KINDS for rs in (False, True)
         for n in ((8, 16, 32, 64, 96, 128, 192, 256) if k == "F16" else (8, 64, 256))]

print("// SPDX-License-Identifier: Apache-2.0\n// Written by gen_wgmma.py.\n#include \"probe.cuh\"\n")
print("""// Accumulators live in the operation's own state.
template <class Op, int N>
__global__ void __launch_bounds__(256) matrix(unsigned* out, int chains) {
  typename Op::Acc a[Op::kRegisters];
  for (int i = 0; i < Op::kRegisters; ++i) a[i] = 0;
  const unsigned base = (unsigned)__cvta_generic_to_shared(dynamic_shared);
  for (unsigned i = threadIdx.x; i < 12288; i += blockDim.x) ((unsigned*)dynamic_shared)[i] = 0;
  // No swizzle: leading and stride offsets of 128 and 256 bytes; the contents do not matter.
  const unsigned long long d = ((unsigned long long)((base & 0x3ffff) >> 4)) | (8ull << 16) | (16ull << 32);
  unsigned t0 = 0, t1 = 0;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#pragma unroll 1
  for (int round = 0; round < 3; ++round) {
    __syncthreads();
    t0 = now();
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int k = 0; k < N; ++k) Op::run(a, d, d + 512, threadIdx.x & 0);
    asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;" ::: "memory");
    t1 = now();
    __syncthreads();
  }
  float sum = 0;
  for (int i = 0; i < Op::kRegisters; ++i) sum += (float)a[i];
  if ((threadIdx.x & 31) == 0) out[(threadIdx.x >> 5) * 4] = t0, out[(threadIdx.x >> 5) * 4 + 1] = t1;
  out[256 + threadIdx.x] = (unsigned)sum;
}
template <class Op, int N>
unsigned matrix_measure(int warps) {
  CHECK(cudaFuncSetAttribute(matrix<Op, N>, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
  unsigned best = ~0u;
  for (int i = 0; i < 5; ++i) {
    matrix<Op, N><<<1, warps * 32, 65536>>>(d_out, 0);
    CHECK(cudaDeviceSynchronize());
    unsigned t[128];
    CHECK(cudaMemcpy(t, d_out, sizeof t, cudaMemcpyDeviceToHost));
    unsigned begin = t[0], end = 0;
    for (int w = 0; w < warps; ++w) begin = std::min(begin, t[w * 4]);
    for (int w = 0; w < warps; ++w) end = std::max(end, t[w * 4 + 1] - begin);
    best = std::min(best, end);
  }
  return best;
}
template <class Op>
void matrix_probe(const char* name, int n) {
  for (int w : {4, 8}) {
    const unsigned one = matrix_measure<Op, 1>(w), a = matrix_measure<Op, 2>(w), b = matrix_measure<Op, 10>(w);
    std::printf("%s,%d,%d,%u,%u,%.3f\\n", name, n, w, one, b, double(b - a) / 8);
  }
  std::fflush(stdout);
}
""")
names = []
for kind, n, rs in CASES:
    text, k, c, registers, tail_ss, tail_rs = KINDS[kind]
    count = registers(n)
    if kind in ("S8",) and n == 96: continue
    name = f"{kind}{'Rs' if rs else 'Ss'}{n}"
    names.append((name, f"Wgmma{kind}{'Rs' if rs else 'Ss'}", n))
    acc = ", ".join(f"%{i}" for i in range(count))
    sep = ", " if True else ""
    if rs:
        a = "{" + ", ".join(f"%{count + 1}" for _ in range(4)) + "}"
        tail = tail_rs
    else:
        a = f"%{count + 1}"
        tail = tail_ss
    scale = f"%{count + 2}" if False else "p"
    tails = ", ".join(tail.split(", ")[1:])
    asm = (f"{{ .reg .pred p; setp.ne.b32 p, %{count + 2}, 1; wgmma.mma_async.sync.aligned.m64n{n}k{k}.{text} "
           f"{{{acc}}}, {a}, %{count}, p{', ' + tails if tails else ''}; }}")
    outs = ", ".join(f'"+{c}"(a[{i}])' for i in range(count))
    ain = '"r"(z)' if rs else '"l"(da)'
    print(f"struct {name} {{\n  using Acc = {'float' if c == 'f' else 'unsigned'};\n  static constexpr int kRegisters = {count};\n"
          f"  static __device__ __forceinline__ void run(Acc* a, unsigned long long da, unsigned long long db, unsigned z) {{\n"
          f"    asm volatile(\"{asm}\" : {outs} : \"l\"(db), {ain}, \"r\"(z));\n  }}\n}};")
print("\nvoid wgmma() {")
for name, label, n in names:
    print(f"  matrix_probe<{name}>(\"{label}\", {n});")
print("}")
