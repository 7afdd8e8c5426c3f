# SPDX-License-Identifier: Apache-2.0
"""Writes wavefronts.cu: kernels of 16 wgmmas each, by shape, type, place of A, layout and sparsity."""
cases = []


def add(name, n, kind, a_shared=True, swizzle=0, trans=(0, 0), sparse=False):
    cases.append((name, n, kind, a_shared, swizzle, trans, sparse))


for n in (8, 16, 64, 128, 256):
    add(f"ss_f16_n{n}", n, "f16")
    add(f"rs_f16_n{n}", n, "f16", False)
for kind in ("bf16", "tf32", "e4m3", "s8"):
    add(f"ss_{kind}_n64", 64, kind)
    add(f"rs_{kind}_n64", 64, kind, False)
for swizzle in (1, 2, 3):
    add(f"ss_f16_n64_swizzle{swizzle}", 64, "f16", True, swizzle)
add("ss_f16_n64_ta", 64, "f16", True, 1, (1, 0))
add("ss_f16_n64_tb", 64, "f16", True, 1, (0, 1))
for n in (8, 64, 256):
    add(f"sp_ss_f16_n{n}", n, "f16", True, 1, (0, 0), True)
    add(f"sp_rs_f16_n{n}", n, "f16", False, 1, (0, 0), True)
K = {"f16": 16, "bf16": 16, "tf32": 8, "e4m3": 32, "s8": 32}
T = {"f16": "f32.f16.f16", "bf16": "f32.bf16.bf16", "tf32": "f32.tf32.tf32", "e4m3": "f32.e4m3.e4m3", "s8": "s32.s8.s8"}
out = ["// SPDX-License-Identifier: Apache-2.0", "#include <cstdio>", "#include <cuda_runtime.h>"]
for name, n, kind, a_shared, swizzle, trans, sparse in cases:
    regs, k, integer = n // 2, K[kind] * (2 if sparse else 1), kind == "s8"
    d, at = ",".join(f"%{i}" for i in range(regs)), regs
    results = ", ".join(f'"+{"r" if integer else "f"}"(d[{i}])' for i in range(regs))
    if a_shared:
        a, ins, at = f"%{at}", ['"l"(da)'], at + 1
    else:
        a, ins, at = "{" + ",".join(f"%{at + i}" for i in range(4)) + "}", [f'"r"(f[{i}])' for i in range(4)], at + 4
    b, at = f"%{at}", at + 1
    ins.append('"l"(db)')
    meta = ""
    if sparse:
        meta = f", %{at}, 0"
        ins.append('"r"(meta)')
    imm = "" if integer else ", 1, 1"
    if kind in ("f16", "bf16"):
        imm += (f", {trans[0]}" if a_shared else "") + f", {trans[1]}"
    op = f"wgmma.mma_async{'.sp' if sparse else ''}.sync.aligned.m64n{n}k{k}.{T[kind]} {{{d}}}, {a}, {b}{meta}, p{imm};"
    ty = "int" if integer else "float"
    out.append(f'''extern "C" __global__ void __launch_bounds__(128) {name}({ty}* out, long long* time) {{
  extern __shared__ __align__(1024) unsigned char s[]; unsigned base = (unsigned)__cvta_generic_to_shared(s); {ty} d[{regs}]; unsigned f[4] = {{threadIdx.x, 1, 2, 3}}, meta = 0x44444444; (void)f; (void)meta;
  for (auto& x : d) x = 0;
  unsigned long long layout = 8ull << 16 | 64ull << 32 | {swizzle}ull << 62, da = base >> 4 | layout, db = (base + 32768) >> 4 | layout; (void)da;
  asm volatile("fence.proxy.async.shared::cta;"); __syncthreads(); asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); long long t0 = clock64();
#pragma unroll
  for (int i = 0; i < 16; i++) asm volatile("{{.reg .pred p; setp.ne.b32 p, 1, 0; {op}}}" : {results} : {", ".join(ins)});
  asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;" ::: "memory"); long long t1 = clock64();
  {ty} sum = 0; for (auto& x : d) sum += x;
  out[threadIdx.x] = sum; if (threadIdx.x == 0) *time = t1 - t0;
}}''')
out.append("int main() { float* out; long long* time; cudaMalloc(&out, 512); cudaMalloc(&time, 8);")
for name, *_ in cases:
    ty = "int" if "s8" in name else "float"
    out.append(f'  cudaFuncSetAttribute({name}, cudaFuncAttributeMaxDynamicSharedMemorySize, 131072); {{ long long t = -1; for (int i = 0; i < 2; i++) {name}<<<1, 128, 131072>>>(({ty}*)out, time); cudaMemcpy(&t, time, 8, cudaMemcpyDeviceToHost); printf("{name},%lld,%s\\n", t, cudaGetErrorString(cudaGetLastError())); }}')
out.append("}")
open("wavefronts.cu", "w").write("\n".join(out) + "\n")
