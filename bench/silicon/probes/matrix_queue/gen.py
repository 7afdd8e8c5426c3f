#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Writes queue.cu: when wgmma operations issue and when they are done, by shape, place of A, number, groups, warpgroups and work between.
SHAPES = {64: 32, 128: 64, 256: 128}


def wgmma(n, registers):
    acc = ", ".join(f"%{i}" for i in range(registers))
    outs = ", ".join(f'"+f"(a[{i}])' for i in range(registers))
    return acc, outs


print("// SPDX-License-Identifier: Apache-2.0\n// Written by gen.py.\n#include \"frame.h\"\n")
for n, r in SHAPES.items():
    acc, outs = wgmma(n, r)
    for rs in (0, 1):
        a = f"{{%{r + 1}, %{r + 1}, %{r + 1}, %{r + 1}}}" if rs else f"%{r + 1}"
        ain = '"r"(z)' if rs else '"l"(d)'
        tail = "1, 1, 1, 0" if rs else "1, 1, 1, 0, 0"
        print(f"""struct M{'r' if rs else 's'}{n} {{
  static constexpr int kRegisters = {r};
  static __device__ __forceinline__ void run(float* a, unsigned long long d, unsigned z) {{
    asm volatile("{{ .reg .pred p; setp.eq.b32 p, %{r + 2}, 0; wgmma.mma_async.sync.aligned.m64n{n}k16.f32.f16.f16 {{{acc}}}, {a}, %{r}, p, {', '.join(tail.split(', ')[1:])}; }}"
                 : {outs} : "l"(d), {ain}, "r"(z));
  }}
}};""")
for n in SHAPES:
    for rs in "sr":
        print(f"ISSUE(issue_{rs}{n}, M{rs}{n}, false)\nISSUE(each_{rs}{n}, M{rs}{n}, true)")
        for k in (1, 2, 4, 8):
            print(f"LOOP(loop_{rs}{n}_{k}, M{rs}{n}, {k})")
print("""const Kernel kernels[] = {""")
for n in SHAPES:
    for rs in "sr":
        print(f'  {{"issue_{rs}{n}", issue_{rs}{n}, 0}}, {{"each_{rs}{n}", each_{rs}{n}, 0}},')
        for k in (1, 2, 4, 8):
            print(f'  {{"loop_{rs}{n}_{k}", loop_{rs}{n}_{k}, 1}},')
print("};\nint main() { return measure(kernels, sizeof kernels / sizeof *kernels); }")
