# SPDX-License-Identifier: Apache-2.0
"""Rodinia 3.1: the CUDA version of each benchmark. Its data comes separately, so these are the ones that make their own, and those whose
input is a list of numbers that can be made here. Few check their results; beside a GPU their outputs are compared.
"""
import sys

from program import Program

ADDRESS = "https://github.com/yuhc/gpu-rodinia"
GONE = "-DcudaThreadSynchronize=cudaDeviceSynchronize"  # from CUDA 13
NUMBERS = "import random; random.seed(3); open('{name}', 'w').writelines(f'{{random.uniform({low}, {high}):.6f}}\\n' for _ in range({count}))"
GRAPH = """import random; random.seed(3); n = {nodes}
edges = [[random.randrange(n) for _ in range(random.randrange(1, 9))] for _ in range(n)]
with open('graph.txt', 'w') as out:
    out.write(f'{{n}}\\n'); at = 0
    for e in edges: out.write(f'{{at}} {{len(e)}}\\n'); at += len(e)
    out.write(f'\\n0\\n\\n{{at}}\\n')
    for e in edges: out.writelines(f'{{to}} 1\\n' for to in e)
"""
# Name: folder, sources, flags, arguments.
SELF_MADE = {
    "backprop": ("backprop", "backprop_cuda.cu backprop.c facetrain.c imagenet.c", "", "65536"),
    "bfs": ("bfs", "bfs.cu", "", "graph.txt"),
    "gaussian": ("gaussian", "gaussian.cu", "", "-q -s 128"),
    "hotspot": ("hotspot", "hotspot.cu", "", "512 2 20 temp power output.out"),
    "hotspot3D": ("hotspot3D", "3D.cu", "", "512 8 20 power temp output.out"),
    "lavaMD": ("lavaMD", "main.c kernel/kernel_gpu_cuda_wrapper.cu util/num/num.c util/timer/timer.c util/device/device.cu", "", "-boxes1d 4"),
    "lud": ("lud/cuda", "lud.cu lud_kernel.cu ../common/common.c", "-I../common", "-s 256 -v"),
    "nw": ("nw", "needle.cu", "", "1024 10"),
    "particlefilter_naive": ("particlefilter", "ex_particle_CUDA_naive_seq.cu", "", "-x 128 -y 128 -z 10 -np 1000"),
    "particlefilter_float": ("particlefilter", "ex_particle_CUDA_float_seq.cu", "", "-x 128 -y 128 -z 10 -np 1000"),
    "pathfinder": ("pathfinder", "pathfinder.cu", "", "20000 100 20"),
    "srad_v2": ("srad/srad_v2", "srad.cu", "", "512 512 0 127 0 127 0.5 2"),
    "streamcluster": ("streamcluster", "streamcluster_cuda_cpu.cpp streamcluster_cuda.cu", "", "10 20 64 8192 8192 500 none output.txt 1"),
}
INPUTS = {
    "bfs": [GRAPH.format(nodes=20000)],
    "hotspot": [NUMBERS.format(name="temp", low=320, high=345, count=512 * 512), NUMBERS.format(name="power", low=0, high=0.01, count=512 * 512)],
    "hotspot3D": [NUMBERS.format(name="temp", low=320, high=345, count=8 * 512 * 512), NUMBERS.format(name="power", low=0, high=0.01, count=8 * 512 * 512)],
}
NEED = {  # why the others are not for this machine
    "b+tree": "data", "cfd": "data", "dwt2d": "data", "heartwall": "data", "huffman": "data", "myocyte": "data", "nn": "data", "srad_v1": "data",
    "hybridsort": "texture references, which CUDA 12 has dropped", "kmeans": "texture references, which CUDA 12 has dropped",
    "leukocyte": "texture references, which CUDA 12 has dropped", "mummergpu": "texture references, which CUDA 12 has dropped",
}


def programs(root):
    for name, (folder, sources, flags, arguments) in SELF_MADE.items():
        p = Program(name, root / "cuda" / folder, sources.split(), ["-O3", GONE, "-I.", *flags.split()], arguments=arguments.split())
        if name == "lud":
            p.proof = r"(?s)>>>Verify<<<<(?!.*dismatch)"  # with -v it multiplies the factors on the host
        p.make_before = [[sys.executable, "-c", made] for made in INPUTS.get(name, [])]
        yield p
    for name, what in NEED.items():
        yield Program(name, root / "cuda", skip=f"needs {'its ' * (what == 'data')}{what}")
