# SPDX-License-Identifier: Apache-2.0
"""CUTLASS's unit tests: a program is a source file of test/unit with its own host code and GoogleTest (Debian and Ubuntu: libgtest-dev).

What is here takes nvcc under five minutes a file. Filters leave out the cases that a functional simulation needs minutes for.
"""
from program import Program

ADDRESS = "https://github.com/NVIDIA/cutlass"
# Source, and GoogleTest's filter.
TESTS = {
    "core/array": "*", "core/bfloat16": "*", "core/complex": "*", "core/functional": "*", "core/half": "*", "core/numeric_conversion": "*", "core/quaternion": "*",
    "core/tfloat32": "*",
    "cute/volta/vectorization_auto": "*", "cute/turing/movm": "*", "cute/ampere/ldsm": "*", "cute/ampere/cp_sync": "*", "cute/ampere/tiled_cp_async": "*",
    "cute/hopper/stsm": "*", "cute/hopper/bulk_load": "*", "cute/hopper/bulk_store": "*", "cute/hopper/tma_load": "*", "cute/hopper/tma_store": "*",
    "cute/hopper/tma_mcast_load": "*", "cute/hopper/cooperative_gemm": "*", "cute/ampere/cooperative_gemm": "*",
    "cluster_launch/cluster_launch": "*", "pipeline/pipeline_async": "*", "pipeline/pipeline_tma_async": "*", "pipeline/sequence_barrier": "*",
    "gemm/thread/gemm_sm50": "*", "gemm/warp/gemm_sm80": "*", "gemm/warp/gemm_sm90": "*", "gemm/warp/wmma_sm70": "*",
    "reduction/thread/reduction_thread": "*", "reduction/kernel/reduce_splitk": "*", "transform/threadblock/predicated_tile_iterator": "*",
    "epilogue/thread/activation": "*", "epilogue/thread/linear_combination": "*", "util/tensor_reduce": "*",
    "gemm/device/sm90_gemm_f16_f16_f16_tensor_op": "*64x128x64*", "gemm/device/sm90_gemm_f16_f16_f16_tensor_op_f32_cluster_warpspecialized": "*64x128x64_1x2x1*",
}


def programs(root):
    unit = root / "test/unit"
    for name, cases in TESTS.items():
        p = Program(name.replace("/", "."), unit)
        p.sources = [f"{name}.cu", "test_unit.cpp", "common/filter_architecture.cpp"]
        p.flags = ["-std=c++17", "-O2", "-DNDEBUG", "--expt-relaxed-constexpr", "-DCUTLASS_TARGET_NAME=\"unit\"", "-I.", "-Icommon", "-I../../include", "-I../../tools/util/include", "-I../../examples/common",
                   "-lgtest", "-lcuda", "-lpthread"]
        p.needs = "90a"  # wgmma and setmaxnreg
        p.arguments = [f"--gtest_filter={cases}"]
        p.proof = r"\[  PASSED  \] [1-9]\d* tests?\.(?![\s\S]*\[  FAILED  \])"
        p.counted = r"\[  PASSED  \] (\d+) tests?"
        yield p
