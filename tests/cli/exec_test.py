#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`gpuloom exec`: what it says of programs that it cannot serve, and what its options do: exec_test.py GPULOOM STUB SOURCES.

STUB is the program of tests/cuda/stub, which launches `scale` twice, three times in a graph, and a kernel that faults.
"""
import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

GPULOOM, STUB, SOURCES = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
FATBIN = SOURCES / "tests/cuda/stub/kernels.fatbin"
UNSUPPORTED, USAGE, INPUT = 4, 2, 3


def exec_(*arguments, environment=None):
    return subprocess.run([GPULOOM, "exec", *map(str, arguments)], capture_output=True, text=True, timeout=1800,
                          env={**os.environ, **(environment or {})})


class Folder(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def compiled(self, name, text="int main() { return 0; }", *flags):
        source = self.folder / (name + ".c")
        source.write_text(text)
        subprocess.run(["cc", "-o", self.folder / name, source, *flags], check=True)
        return self.folder / name

    def refused(self, run, code, *words):
        self.assertEqual(run.returncode, code, run.stderr)
        for word in words:
            self.assertIn(word, run.stderr)


class ChecksBeforehand(Folder):
    def test_a_program_that_is_not_there(self):
        self.refused(exec_(self.folder / "nothing"), INPUT, "cannot find the program")
        self.refused(exec_("no-such-program-in-path"), INPUT, "in PATH")

    def test_a_file_that_cannot_be_run(self):
        (self.folder / "text").write_text("hello")
        self.refused(exec_(self.folder / "text"), INPUT, "not a program that can be run")

    def test_two_dashes_may_stand_before_the_program(self):
        for words in (["--"], ["-q", "--"], ["-c", "h200", "--"]):
            self.assertEqual(exec_(*words, "echo", "-q", "--", "--timed").stdout, "-q -- --timed\n")

    def test_an_option_that_is_not_there(self):
        self.refused(exec_("--unknown", STUB), USAGE, "unknown option '--unknown'", "put -- before a program")
        self.refused(exec_("-q", "--kernels=scale", STUB), USAGE, "unknown option '--kernels'", "did you mean '--kernel'?")

    def test_a_program_whose_name_begins_with_a_dash(self):
        program = self.compiled("app")
        program.rename(self.folder / "--app")
        self.assertEqual(exec_("--", "--app", environment={"PATH": str(self.folder)}).returncode, 0)

    def test_setuid(self):
        program = self.compiled("app")
        program.chmod(0o4755)
        self.refused(exec_(program), UNSUPPORTED, "setuid", "run a copy")

    def test_32_bits(self):
        program = self.compiled("app")
        data = bytearray(program.read_bytes())
        data[4] = 1  # EI_CLASS: ELFCLASS32
        program.write_bytes(data)
        self.refused(exec_(program), UNSUPPORTED, "32-bit program")

    def test_a_runtime_of_another_version(self):
        self.compiled("libcudart.so.11.0", "int cudaFree(void* p) { return 0; }", "-shared", "-fPIC", "-Wl,-soname,libcudart.so.11.0")
        program = self.compiled("app", "int cudaFree(void*); int main() { return cudaFree(0); }", self.folder / "libcudart.so.11.0")
        self.refused(exec_(program), UNSUPPORTED, "libcudart.so.11.0", "nvcc 13")

    def test_a_program_of_cuda_12(self):
        text = """
          extern int cudaRuntimeGetVersion(int*), cudaGetDeviceProperties_v2(void*, int), cudaMallocManaged(void**, unsigned long, unsigned),
              cudaDeviceGetAttribute(int*, int, int),
              cudaMemPrefetchAsync(const void*, unsigned long, int, void*), cudaThreadSynchronize(void);
          #include <stdio.h>
          int main() {
            int version = 0, properties[258 + 2];
            void* p = 0;
            properties[258] = 77;
            cudaRuntimeGetVersion(&version);
            int code = cudaGetDeviceProperties_v2(properties, 0);
            code |= cudaMallocManaged(&p, 4096, 1) | cudaMemPrefetchAsync(p, 4096, -1, 0) | cudaThreadSynchronize();
            /* multiProcessorCount, clockRate, major, the end of the structure (cuda_runtime_api.h of 12.9). */
            printf("%d %d %s %d %d %d\\n", version, code, (char*)properties, properties[388 / 4], properties[348 / 4] > 0, properties[258]);
            /* Where each is in the structure, and its cudaDeviceAttr. */
            static const int places[][2] = {{308, 10}, {320, 1}, {352, 9}, {360, 75}, {364, 76}, {368, 14}, {376, 51}, {384, 15}, {388, 16}, {392, 17},
                {396, 18}, {400, 19}, {404, 20}, {408, 21}, {576, 31}, {580, 32}, {604, 41}, {608, 36}, {612, 37}, {616, 38}, {620, 108}, {624, 39},
                {628, 78}, {632, 79}, {636, 80}, {640, 81}, {648, 82}, {652, 83}, {664, 86}, {668, 87}, {672, 88}, {688, 95}, {692, 96}, {696, 97},
                {712, 106}, {720, 111}, {728, 99}, {744, 115}, {772, 120}};
            for (unsigned k = 0; k < sizeof places / sizeof places[0]; ++k) {
              int value = -1, bad = cudaDeviceGetAttribute(&value, places[k][1], 0);
              if (bad || value != properties[places[k][0] / 4]) printf("%d: %d, not %d\\n", places[k][0], properties[places[k][0] / 4], value);
            }
          }"""
        calls = ("cudaDeviceGetAttribute", "cudaRuntimeGetVersion", "cudaGetDeviceProperties_v2", "cudaMallocManaged", "cudaMemPrefetchAsync", "cudaThreadSynchronize")
        (self.folder / "map").write_text("libcudart.so.12 { global: cuda*; local: *; };")
        self.compiled("libcudart.so.12", "\n".join(f"int {name}() {{ return 0; }}" for name in calls), "-shared", "-fPIC",
                      "-Wl,-soname,libcudart.so.12", f"-Wl,--version-script={self.folder / 'map'}")
        for more in ([], ["-Wl,--disable-new-dtags", f"-Wl,-rpath,{self.folder}"]):
            run = exec_("-q", self.compiled("app", text, self.folder / "libcudart.so.12", *more))
            self.assertEqual(run.stdout, "12090 0 NVIDIA H200 SXM 132 1 77\n", run.stderr)

    def with_kernels(self, fatbin):
        program = self.compiled("app")
        (self.folder / "fatbin").write_bytes(fatbin)
        subprocess.run(["objcopy", "--add-section", f".nv_fatbin={self.folder / 'fatbin'}", program], check=True)
        return program

    def test_the_static_runtime(self):
        run = exec_(self.with_kernels(FATBIN.read_bytes()))
        self.refused(run, UNSUPPORTED, "static cudart", "-cudart shared", "NVCC_APPEND_FLAGS")

    def test_machine_code_without_ptx(self):
        # A container of one entry of kind 2 (machine code) for 9.0.
        entry = struct.pack("<HHIQIIHHIIIQQQ", 2, 0x101, 64, 8, 0, 0, 8, 1, 90, 0, 0, 0x11, 0, 0) + bytes(8)
        fatbin = struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(entry)) + entry
        self.compiled("libcudart.so.13", "int x;", "-shared", "-fPIC", "-Wl,-soname,libcudart.so.13")
        program = self.compiled("app", "int main() { return 0; }", "-Wl,--no-as-needed", self.folder / "libcudart.so.13")
        (self.folder / "fatbin").write_bytes(fatbin)
        subprocess.run(["objcopy", "--add-section", f".nv_fatbin={self.folder / 'fatbin'}", program], check=True)
        self.refused(exec_(program), UNSUPPORTED, "no PTX", "-arch=sm_90")

    def test_a_search_path_of_the_programs_own_does_not_win(self):
        self.compiled("libcudart.so.13", "int cudaRuntimeGetVersion(int* v) { *v = 1; return 0; }", "-shared", "-fPIC",
                      "-Wl,-soname,libcudart.so.13")
        text = "#include <stdio.h>\nint cudaRuntimeGetVersion(int*);\nint main() { int v = 0; cudaRuntimeGetVersion(&v); printf(\"%d\\n\", v); }"
        for tags in ("--disable-new-dtags", "--enable-new-dtags"):
            program = self.compiled("app", text, self.folder / "libcudart.so.13", f"-Wl,{tags},-rpath,{self.folder}")
            self.assertEqual(subprocess.run([program], capture_output=True, text=True).stdout, "1\n")
            self.assertEqual(exec_("-q", program).stdout, "13000\n", tags)

    def test_options_that_contradict(self):
        self.refused(exec_("--functional", "--timed", STUB), USAGE, "--functional")
        self.refused(exec_("--trace", "perfetto", "--timed", STUB), USAGE, "-o")
        self.refused(exec_("--trace", "perfetto", "-o", self.folder / "out", STUB), USAGE, "--timed")
        self.refused(exec_(), USAGE, "which program?")


class Extraction(Folder):
    def extracted(self, *options, program=(STUB,)):
        run = subprocess.run([GPULOOM, "extract", "-q", "-o", str(self.folder / "out"), "-c", "tiny", *options, *map(str, program)],
                             capture_output=True, text=True, timeout=1800)
        self.assertEqual((run.returncode, run.stdout), (0, "PASS\n"), run.stderr)
        return sorted((self.folder / "out").glob("*.yaml")), run.stderr

    def rerun(self, file, *options):
        run = subprocess.run([GPULOOM, "run", str(file), "-o", str(self.folder / file.stem), *options], capture_output=True, text=True, timeout=1800)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)  # 1: other outputs
        return json.loads((self.folder / file.stem / "result.json").read_text())

    def test_launches_alone_do_what_they_do_in_their_program(self):
        exec_("-q", "-o", self.folder / "program", "-c", "tiny", STUB)
        records = json.loads((self.folder / "program/result.json").read_text())["launches"]
        files, _ = self.extracted("-k", "scale", "--launch-count", "5")
        self.assertEqual([f.stem for f in files], [f"launch_{r['launch']}" for r in records])
        for file, record in zip(files, records):
            result = self.rerun(file, "--functional")
            self.assertTrue(result["checks"] and all(check["passed"] for check in result["checks"]))
            self.assertEqual(result["kernels"][0]["metrics"]["sim__ptx_inst_executed.sum"]["value"], record["warp_instructions"])

    def test_a_launch_alone_runs_in_time(self):
        files, _ = self.extracted("-k", "regex:^sc", "--launch-skip", "1")
        self.assertEqual([f.stem for f in files], ["launch_1"])
        self.assertIn("sm__cycles_elapsed.max", json.dumps(self.rerun(files[0])))

    def test_a_launch_that_faults_faults_alone(self):
        files, _ = self.extracted("-k", "stray")
        run = subprocess.run([GPULOOM, "run", "--functional", str(files[0])], capture_output=True, text=True, timeout=1800)
        self.assertEqual(run.returncode, 5, run.stderr)

    def test_it_says_that_nothing_was_chosen(self):
        files, said = self.extracted("-k", "nothing")
        self.assertEqual(files, [])
        self.assertEqual(said.count("no launch was extracted"), 1)


class Options(Folder):
    def launches(self, *options):
        run = exec_("-q", "-o", self.folder / "out", "-c", "tiny", *options, STUB)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(run.stdout, "PASS\n")
        return json.loads((self.folder / "out/result.json").read_text())

    def timed(self, *options):
        return [launch["launch"] for launch in self.launches(*options)["launches"] if launch["mode"] == "timed"]

    def test_a_record_a_launch_and_a_summary_by_kernel(self):
        result = self.launches()
        self.assertEqual([launch["name"] for launch in result["launches"]], ["scale"] * 5)
        self.assertEqual([launch["launch"] for launch in result["launches"]], list(range(5)))
        self.assertEqual([(row["name"], row["launches"], row["timed"], row.get("faulted")) for row in result["summary"]], [("scale", 5, 0, None), ("stray", 1, 0, 1)])
        self.assertEqual(result["launches"][0]["grid"], [4, 1, 1])
        self.assertEqual(sorted(path.name for path in (self.folder / "out").iterdir()), ["result.json", "timeline.json"])

    def test_the_summary_counts_a_launch_that_ends_in_a_fault(self):
        for mode in ("--functional", "--timed"):
            run = exec_(mode, "-c", "tiny", "-o", self.folder / mode, STUB)
            self.assertEqual((run.returncode, run.stdout), (0, "PASS\n"), run.stderr)
            self.assertRegex(run.stderr, r"(?m)^gpuloom: 6 launches of 2 kernels in \S+ us of simulated time; 1 ended in a fault$")
            self.assertRegex(run.stderr, r"(?m)^ +1 +0 +0\.00 +0\.00 +0\.00 +0  stray \(1 ended in a fault\)$")
            self.assertRegex(run.stderr, r"(?m)^ +5 +[05] .*  scale$")
            result = json.loads((self.folder / mode / "result.json").read_text())
            rows = {row["name"]: (row["launches"], row.get("faulted", 0), row["least_ns"]) for row in result["summary"]}
            self.assertEqual((rows["stray"], rows["scale"][:2]), ((1, 1, 0), (5, 0)))
            self.assertEqual([launch["name"] for launch in result["launches"]], ["scale"] * 5)  # no time of the other is known

    def test_grids_that_kernels_launch_have_records_both_ways(self):
        text = (SOURCES / "tests/cuda/stub/nested.ptx").read_text().replace("\n", "\\n").replace('"', '\\"')
        program = self.compiled("app", f'const char ptx[] = "{text}";\n' + """
          #include <stddef.h>
          #include <stdio.h>
          int cuInit(unsigned), cuDevicePrimaryCtxRetain(void**, int), cuCtxSetCurrent(void*), cuModuleLoadData(void**, const void*);
          int cuModuleGetFunction(void**, void*, const char*), cuMemAlloc_v2(unsigned long long*, size_t), cuCtxSynchronize(void);
          int cuLaunchKernel(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, void**);
          int cuMemsetD32_v2(unsigned long long, unsigned, size_t), cuMemcpyDtoH_v2(void*, unsigned long long, size_t);
          int main() {
            void *context, *module, *f; unsigned long long to; unsigned sum = 0;
            int bad = cuInit(0) | cuDevicePrimaryCtxRetain(&context, 0) | cuCtxSetCurrent(context) | cuModuleLoadData(&module, ptx);
            bad |= cuModuleGetFunction(&f, module, "outer") | cuMemAlloc_v2(&to, 4) | cuMemsetD32_v2(to, 0, 1);
            void* arguments[] = {&to};
            bad |= cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL) | cuCtxSynchronize() | cuMemcpyDtoH_v2(&sum, to, 4);
            printf("%d %u\\n", bad, sum);
          }""", pathlib.Path(GPULOOM).resolve().parent / "cuda/libcudart.so.13")
        kernels = {}
        for mode in ("--functional", "--timed"):
            run = exec_(mode, "-q", "-c", "tiny", "-o", self.folder / mode, program)
            self.assertEqual((run.returncode, run.stdout), (0, "0 64\n"), run.stderr)
            launches = json.loads((self.folder / mode / "result.json").read_text())["launches"]
            kernels[mode] = sorted((one["name"], one["grid"][0], one["block"][0], one["warp_instructions"]) for one in launches)
            starts = {one["name"]: one["start_ns"] for one in launches}
            self.assertLess(starts["outer"], starts["middle"])
            self.assertLess(starts["middle"], starts["inner"])
        self.assertEqual([name for name, *_ in kernels["--functional"]], ["inner", "middle", "outer"])
        self.assertEqual([one[:3] for one in kernels["--functional"]], [one[:3] for one in kernels["--timed"]])
        self.assertTrue(all(one[3] > 0 for one in kernels["--functional"]))

    def test_which_launches_are_timed(self):
        self.assertEqual(self.timed("--timed"), [0, 1, 2, 3, 4])
        self.assertEqual(self.timed("-k", "scale"), [0, 1, 2, 3, 4])
        self.assertEqual(self.timed("-k", "regex:^sc.*e$"), [0, 1, 2, 3, 4])
        self.assertEqual(self.timed("-k", "other"), [])
        self.assertEqual(self.timed("--launch-skip", "1", "--launch-count", "2"), [1, 2])
        self.assertEqual(self.timed("-k", "scale", "--launch-skip", "4"), [4])

    def test_an_override_and_a_configuration_act(self):
        def cycles(*options):
            return self.launches("--timed", *options)["launches"][0]["end_ns"]
        self.assertNotEqual(cycles(), cycles("-s", "launch.overhead_cycles=50000cycles"))
        self.refused(exec_("-s", "no.such.key=1", STUB), USAGE, "no.such.key")

    def test_lowered_kernels_are_kept_for_the_next_run(self):
        cache = self.folder / "cache"

        def run(*options):
            run = exec_("-q", "--timed", "-c", "tiny", "-o", self.folder / "out", *options, STUB, environment={"XDG_CACHE_HOME": str(cache)})
            self.assertEqual((run.returncode, run.stdout), (0, "PASS\n"), run.stderr)
            return json.loads((self.folder / "out/result.json").read_text())["launches"]

        without = run("--no-cache")
        self.assertFalse(cache.exists())
        self.assertEqual(run(), without)
        kept = {path: path.read_bytes() for path in (cache / "gpuloom").iterdir()}
        self.assertTrue(kept)
        self.assertEqual(run(), without)
        self.assertEqual({path: path.read_bytes() for path in (cache / "gpuloom").iterdir()}, kept)

    def test_a_trace_of_each_timed_launch(self):
        self.launches("-k", "scale", "--launch-count", "2", "--trace", "perfetto")
        traces = sorted(path.name for path in (self.folder / "out").iterdir() if path.name not in ("result.json", "timeline.json"))
        self.assertEqual([name.split(".")[0] for name in traces], ["launch_0", "launch_1"])

    def test_cuda_visible_devices_hides_the_device_and_says_so(self):
        self.compiled("libcudart.so.13", "int cudaGetDeviceCount(int* n) { return 0; } int cudaFree(void* p) { return 0; }", "-shared", "-fPIC",
                      "-Wl,-soname,libcudart.so.13")
        text = """
          #include <dlfcn.h>
          #include <stdio.h>
          int cudaGetDeviceCount(int*), cudaFree(void*);
          int main() {
            int devices = -1, code = cudaGetDeviceCount(&devices);
            int (*init)(unsigned) = (int (*)(unsigned))dlsym(dlopen("libcuda.so.1", RTLD_NOW), "cuInit");
            printf("%d %d %d %d\\n", code, devices, cudaFree(0), init(0));
          }"""
        program = self.compiled("app", text, self.folder / "libcudart.so.13", "-ldl")

        def said(visible):
            run = exec_("-q", "-c", "tiny", program, environment={} if visible is None else {"CUDA_VISIBLE_DEVICES": visible})
            self.assertEqual(run.returncode, 0, run.stderr)
            return run.stdout, run.stderr

        for visible in (None, "0", "0,1", "0,-1"):
            self.assertEqual(said(visible), ("0 1 0 0\n", ""), visible)
        for visible in ("", "-1", "1", "1,0", "GPU-00"):
            out, err = said(visible)
            self.assertEqual(out, "100 0 100 100\n", visible)
            self.assertEqual(err.count("CUDA_VISIBLE_DEVICES"), 1, err)

    def test_the_programs_own_exit_code_and_output_stay(self):
        program = self.compiled("app", "#include <stdio.h>\nint main() { puts(\"mine\"); return 7; }")
        run = exec_(program)
        self.assertEqual((run.returncode, run.stdout), (7, "mine\n"))


if __name__ == "__main__":
    for tool in ("cc", "objcopy"):
        if shutil.which(tool) is None:
            sys.exit(77)
    unittest.main(argv=sys.argv[:1])
