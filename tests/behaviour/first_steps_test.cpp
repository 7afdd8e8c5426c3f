// SPDX-License-Identifier: Apache-2.0
// The first things that a newcomer types: own CUDA files, executables, C++ names, C's type names.
#include <cstdlib>
#include <cstring>

#include "sim/frontend/compiler.h"
#include "sim/memory/files.h"
#include "sim/report/writers.h"
#include "tests/catch2.h"
#include "tests/program_folder.h"

using namespace gpuloom;
using Catch::Matchers::ContainsSubstring;
using tests::Outcome;

namespace {

// Two instances of a template, as nvcc names them.
std::string two_kernels() {
  const auto entry = [](const std::string& name, const char* value) {
    return ".visible .entry " + name +
           "(.param .u64 p, .param .align 8 .b8 s[24])\n{\n .reg .b64 %rd<4>; .reg .b32 %r<4>;\n"
           " ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [s+8]; ld.param.u32 %r2, [s+16];\n"
           " add.u32 %r1, %r1, %r2;\n add.u32 %r1, %r1, " +
           value + ";\n st.global.u32 [%rd1], %r1;\n ret;\n}\n";
  };
  return ".version 8.0\n.target sm_80\n.address_size 64\n" + entry("_Z1fIfEvPT_1S", "100") +
         entry("_Z1fIdEvPT_1S", "200");
}

// Empty where there is none, or only a script whose toolkit is not here.
std::string working_nvcc() {
  const std::string compiler = frontend::find_cuda_compiler();
  const bool runs = compiler.find("nvcc") != std::string::npos &&
                    std::system(("'" + compiler + "' --version > /dev/null 2>&1").c_str()) == 0;
  return runs ? compiler : "";
}

std::string first_value(const std::string& out) {
  const RunReport run = parse_result_json(out, "stdout");
  return run.outputs.empty() || run.outputs[0].values.empty()
             ? "none"
             : std::to_string(static_cast<int>(run.outputs[0].values[0]));
}

}  // namespace

TEST_CASE("A kernel goes by its name in C++, and several that fit are listed", "[first_steps]") {
  const tests::ProgramFolder folder;
  folder.write("t.ptx", two_kernels());
  const std::string args = " --functional --json --arg 'u32[1]' --arg '{u64=1,int=7,short=1,int=3}'";
  CHECK(first_value(folder.run("run t.ptx -k 'f<float>'" + args).out) == "110");
  CHECK(first_value(folder.run("run t.ptx -k regex:double" + args).out) == "210");
  const Outcome both = folder.run("run t.ptx -k f" + args);
  CHECK(both.code == 3);
  CHECK_THAT(both.out,
             ContainsSubstring("'f' matches 2 kernels") && ContainsSubstring("void f<double>(double*, S)"));
  const Outcome none = folder.run("run t.ptx" + args);
  CHECK(none.code == 3);
  CHECK_THAT(none.out, ContainsSubstring("has 2 kernels, and none is chosen") &&
                           ContainsSubstring("void f<float>(float*, S)"));
  const Outcome shown =
      folder.run("run t.ptx -k 'f<float>' --functional --arg 'u32[1]' --arg '{u64=1,int=7,short=1,int=3}'");
  CHECK_THAT(shown.out, ContainsSubstring("void f<float>(float*, S) (1, 1, 1)x(1, 1, 1)"));
  CHECK_THAT(folder.run("info t.ptx").out, ContainsSubstring("void f<float>(float*, S)  [_Z1fIfEvPT_1S]"));
}

TEST_CASE("A structure is given by its fields, in a launch file too", "[first_steps]") {
  const tests::ProgramFolder folder;
  folder.write("t.ptx", two_kernels());
  folder.write("t.yaml",
               "ptx: t.ptx\nkernel: f<float>\ngrid: 1x1\nblock: 1\n"
               "buffers: {o: {type: unsigned int, count: 1, output: true}}\n"
               "args: [o, {struct: [{u64: 1}, {int: 7}, {u8: [1, 2]}, {int: 3}]}]\n");
  const Outcome r = folder.run("run t.yaml --functional --json");
  INFO(r.out);
  REQUIRE(r.code == 0);
  CHECK(first_value(r.out) == "110");
  const std::string run = "run t.ptx -k 'f<float>' --functional --arg 'u32[1]' --arg ";
  CHECK_THAT(folder.run(run + "'{u64=1,int=7}'").out, ContainsSubstring("argument 1 has 16 bytes"));
  CHECK_THAT(folder.run(run + "'{1,int=7}'").out,
             ContainsSubstring("a number in a structure needs its type"));
}

TEST_CASE("Extents are written 2x1 and 2,1", "[first_steps]") {
  const tests::ProgramFolder folder;
  for (const char* grid : {"2x1", "2,1", "2"}) {
    const Outcome r = folder.run(std::string("run add.ptx --functional --grid ") + grid +
                                 " --block 32 --arg 'int[64]=iota' --arg int=64");
    INFO(r.out);
    CHECK(r.code == 0);
    CHECK_THAT(r.out, ContainsSubstring("add_one (2, 1, 1)x(32, 1, 1)"));
  }
  CHECK_THAT(folder.run("run add.ptx --grid 2y1").out, ContainsSubstring("--grid: '2y1' is not a size"));
}

TEST_CASE("A null pointer is called one", "[first_steps]") {
  const tests::ProgramFolder folder;
  CHECK_THAT(folder.run("run add.ptx --functional --block 32 --arg u64=0 --arg 64").out,
             ContainsSubstring("at 0x0, a null pointer"));
}

TEST_CASE("Text that is not PTX is not parsed as PTX", "[first_steps]") {
  const tests::ProgramFolder folder;
  folder.write("l.yaml", "extends: h200\n");
  for (const char* command : {"occupancy l.yaml", "check l.yaml", "info l.yaml"}) {
    const Outcome r = folder.run(command);
    INFO(command << "\n" << r.out);
    CHECK(r.code == 3);
    CHECK_THAT(r.out, ContainsSubstring("'l.yaml' does not hold PTX: it is YAML or another text"));
  }
}

TEST_CASE("A launch file stands for its module where a command wants kernels", "[first_steps]") {
  const tests::ProgramFolder folder;
  folder.write("l.yaml",
               "ptx: add.ptx\nkernel: add_one\ngrid: 2\nblock: 96\nargs: [0, 0]\ndynamic_shared: 4KiB\n");
  CHECK_THAT(folder.run("check l.yaml").out, ContainsSubstring("add.ptx: no problems"));
  CHECK_THAT(folder.run("info l.yaml").out, ContainsSubstring("entry add_one"));
  const std::string occupancy = folder.run("occupancy l.yaml --no-curves").out;
  CHECK_THAT(occupancy, ContainsSubstring("96 threads") && ContainsSubstring("4096 dynamic"));
  CHECK_THAT(folder.run("occupancy l.yaml --block 64 --no-curves").out, ContainsSubstring("64 threads"));
}

TEST_CASE("Kernels and launch files come from pipes as well", "[first_steps]") {
  const tests::ProgramFolder folder;
  folder.write("l.yaml", "ptx: " + folder.file("add.ptx") +
                             "\nkernel: add_one\ngrid: 1\nblock: 1\nargs: [{u64: 0}, 0]\n");
  CHECK(folder.run("run /dev/stdin -q --functional < l.yaml").code == 0);
  const Outcome pipe =
      folder.run("run /dev/stdin -k add_one --arg 'u32[1]' --arg 1 -q --functional < add.ptx");
  INFO(pipe.out);
  CHECK(pipe.code == 0);
  CHECK(folder.run("check /dev/stdin < add.ptx").code == 0);
}

TEST_CASE("CUDA C++ without a compiler says what to install or type", "[first_steps]") {
  const tests::ProgramFolder folder;
  folder.write("k.cu", "__global__ void k(float* p) { p[threadIdx.x] = 1; }\n");
  const tests::Outcome r = [&] {
    setenv("NVCC", "no_such_compiler", 1);
    const tests::Outcome out = folder.run("run k.cu --arg 'float[32]'");
    unsetenv("NVCC");
    return out;
  }();
  INFO(r.out);
  CHECK(r.code == 2);
  CHECK_THAT(r.out,
             ContainsSubstring("is CUDA C++, and NVCC names 'no_such_compiler', which is not a program") &&
                 ContainsSubstring("scripts/setup --nvcc") &&
                 ContainsSubstring("nvcc -ptx -lineinfo -arch=sm_90a k.cu"));
}

TEST_CASE("Units that were compiled apart run as one program, as PTX files, as sources and linked",
          "[first_steps]") {
  const std::string compiler = working_nvcc();
  if (compiler.empty()) {
    WARN("no nvcc here: not tested");
    return;
  }
  const tests::ProgramFolder folder;
  folder.write("a.cu",
               "extern __device__ float twice(float); extern __device__ float table[4];\n"
               "static __device__ __noinline__ float own(float x) { return x + 1; }\n"
               "__global__ void k(float* p) { p[0] = twice(table[threadIdx.x + 2]) + own(1.0f); }\n"
               "int main() { return 0; }\n");
  folder.write("b.cu",
               "__device__ float table[4] = {1, 2, 3, 4};\n"
               "static __device__ __noinline__ float own(float x) { return 2 * x; }\n"
               "__device__ float twice(float x) { return own(x); }\n");
  const std::string make = "cd '" + folder.file(".") + "' && '" + compiler + "' -rdc=true -arch=sm_80 ";
  REQUIRE(std::system(
              (make + "-ptx a.cu && " + make + "-ptx b.cu && " + make + "-o app a.cu b.cu").c_str()) == 0);
  const std::string args = " --block 1 --functional --json --arg 'float[1]'";
  for (const char* files : {"a.ptx b.ptx", "b.ptx a.ptx", "a.cu b.ptx", "a.cu b.cu", "app"}) {
    const Outcome r = folder.run(std::string("run ") + files + args);
    INFO(files << r.out);
    CHECK(r.code == 0);
    CHECK(first_value(r.out) == "8");
  }
  const Outcome alone = folder.run("run a.ptx" + args);
  CHECK(alone.code == 4);
  CHECK_THAT(alone.out, ContainsSubstring("no loaded module defines 'table'") ||
                            (ContainsSubstring("'_Z5twicef'") && ContainsSubstring("-rdc=true")));
  CHECK_THAT(folder.run("run a.ptx none.ptx" + args).out, ContainsSubstring("cannot read 'none.ptx'"));
}

TEST_CASE("clang compiles a .cu file as well", "[first_steps]") {
  const tests::ProgramFolder folder;
  folder.write("k.cu", "__global__ void k(float* p) { p[threadIdx.x] = powf(2.0f, threadIdx.x + 1.0f); }\n");
  // The newest clang, where one reads the headers of the toolkit that is here.
  if (std::system(
          ("cd '" + folder.file(".") +
           "' && c=$(ls /usr/bin/clang++-* 2>/dev/null | sort -V | tail -1) && test -n \"$c\" && printf %s "
           "\"$c\" > "
           "clang && $c -x cuda --cuda-device-only -S --cuda-gpu-arch=sm_80 -o /dev/null k.cu 2>/dev/null")
              .c_str()) != 0) {
    WARN("no clang here that reads the CUDA toolkit: not tested");
    return;
  }
  setenv("NVCC", sim::read_file(folder.file("clang")).c_str(), 1);
  const Outcome r = folder.run("run k.cu --block 4 --functional --json --arg 'float[4]'");
  unsetenv("NVCC");
  INFO(r.out);
  CHECK(r.code == 0);
  CHECK(first_value(r.out) == "2");
}

TEST_CASE("A .cu file and the executable made of it run", "[first_steps]") {
  const std::string compiler = working_nvcc();
  if (compiler.empty()) {
    WARN("no nvcc here: not tested");
    return;
  }
  const tests::ProgramFolder folder;
  folder.write(
      "k.cu",
      "#ifndef N\n#define N 1\n#endif\n__constant__ float coef[4];\n"
      "template <class T> __global__ void fill(T* p) { p[threadIdx.x] = coef[threadIdx.x % 4] + N; }\n"
      "template __global__ void fill<float>(float*);\nint main() { return 0; }\n");
  const std::string args =
      " -k fill --block 4 --functional --json --arg 'float[4]' --symbol coef=float=1,2,3,4";
  const Outcome source = folder.run("run k.cu" + args + " -- -DN=5");
  INFO(source.out);
  CHECK(source.code == 0);
  CHECK(first_value(source.out) == "6");
  REQUIRE(std::system(("cd '" + folder.file(".") + "' && '" + compiler + "' -arch=sm_90 -o app k.cu && '" +
                       compiler + "' -gencode arch=compute_90,code=sm_90 -o sass k.cu && '" + compiler +
                       "' -cubin -arch=sm_90 -o k.cubin k.cu")
                          .c_str()) == 0);
  CHECK(first_value(folder.run("run app -o out" + args).out) == "2");
  CHECK_THAT(sim::read_file(folder.file("out/module.ptx")),
             ContainsSubstring(".entry"));  // what messages point into
  CHECK_THAT(folder.run("run sass" + args).out, ContainsSubstring("machine code for sm_90 and no PTX"));
  CHECK_THAT(folder.run("run k.cubin" + args).out, ContainsSubstring("a cubin: machine code, and no PTX"));
  folder.write("bad.cu", "__global__ void k( {\n");
  const Outcome bad = folder.run("run bad.cu");
  CHECK(bad.code == 3);
  CHECK_THAT(bad.out,
             ContainsSubstring("'bad.cu' does not compile") && ContainsSubstring("bad.cu(1): error"));
}
