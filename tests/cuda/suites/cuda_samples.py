# SPDX-License-Identifier: Apache-2.0
"""NVIDIA cuda-samples: programs, flags and libraries as each sample's CMakeLists.txt names them."""
import json
import re

from program import Program

ADDRESS = "https://github.com/NVIDIA/cuda-samples"
FOLDERS = ("0_", "2_", "3_", "4_", "5_", "6_")
# Graphics, other machines, other vendors.
PACKAGES = {"OpenGL", "GLUT", "EGL", "X11", "Vulkan", "FreeImage", "MPI", "NVSCI", "LLVM"}
LIBRARIES = {"cublas": "cuBLAS", "cufft": "cuFFT", "cufft_static": "cuFFT", "curand": "cuRAND", "cusolver": "cuSOLVER", "cusparse": "cuSPARSE",
             "nvjpeg": "nvJPEG", "nvJitLink": "nvJitLink"}
DRIVER = {"cuda_driver": ["-lcuda"], "nvrtc": ["-lnvrtc", "-lcuda"]}


def reason_to_skip(text, folder):
    if "D3D" in folder.name or re.search(r"\bWIN32\b.*\n?.*add_executable", text) and "D3D" in text:
        return "needs Direct3D"
    for package in re.findall(r"find_package\((\w+)", text):
        if package in PACKAGES:
            return f"needs {package}"
    if "nvJitLink" in text:
        return "needs nvJitLink"
    for library in re.findall(r"CUDA::(\w+)", text):
        if library in LIBRARIES:
            return f"needs {LIBRARIES[library]}"
        if library.startswith("npp"):
            return "needs NPP"
    return ""


def flags_of(text, root):
    own = re.search(r"target_include_directories\(([^)]*)\)", text)
    folders = re.findall(r"\$\{CMAKE_CURRENT_SOURCE_DIR\}/(\S+)|(?:PRIVATE|PUBLIC)\s+([\w./]+)", own.group(1)) if own else []
    flags = ["-I" + (a or b) for a, b in folders]
    flags += ["-std=c++17", "--extended-lambda", f"-I{root / 'Common'}", "-lineinfo"]
    if "CUDA_SEPARABLE_COMPILATION ON" in text:
        flags.append("-rdc=true")
    if "OpenMP" in text:
        flags += ["-Xcompiler", "-fopenmp"]
    for library in set(re.findall(r"CUDA::(\w+)", text)):
        flags += DRIVER.get(library, [])
    if "--default-stream per-thread" in text or "--default-stream=per-thread" in text:
        flags += ["-default-stream", "per-thread"]
    return flags


def module_commands(text, folder):
    """Modules that a sample's build compiles for it to load: CUDA_FATBIN_FILE or CUDA_PTX_FILE from CUDA_KERNEL_SOURCE."""
    kernel = re.search(r"set\(CUDA_KERNEL_SOURCE\s+\"?(?:\$\{\w+\}/)?([\w.]+\.cu)", text)
    source = kernel.group(1) if kernel else next((f.name for f in sorted(folder.glob("*kernel*.cu"))), "")
    commands = []
    for kind, name in re.findall(r"set\(CUDA_(FATBIN|PTX)_FILE\s+\"?\$\{\w+\}/([^\"\s)]+)", text):
        if source:
            commands.append(["{nvcc}", "-" + kind.lower(), "-arch=compute_90", "-I../../../Common", "-o",
                             name.replace("${PROJECT_NAME}", folder.name), source])
    return commands


def arguments_of(facts):
    run = facts.get("runs", [facts])[0]
    return run.get("args", [])


def programs(root):
    known = json.loads((root / "test_args.json").read_text())
    for listing in sorted((root / "Samples").glob("*/*/CMakeLists.txt")):
        if not listing.parent.parent.name.startswith(FOLDERS):
            continue
        text = re.sub(r"#.*", "", listing.read_text())
        made = re.search(r"add_executable\(\s*(\S+)\s+([^)]*)\)", text)
        name = made.group(1).replace("${PROJECT_NAME}", listing.parent.name) if made else listing.parent.name
        p = Program(name, listing.parent, flags=flags_of(text, root))
        p.skip = reason_to_skip(text, listing.parent) if made else "builds nothing here"
        if made:
            p.sources = [s for s in made.group(2).split() if s.endswith((".cu", ".cpp", ".c", ".cc"))]
        p.make_before = module_commands(text, listing.parent)
        p.arguments = arguments_of(known.get(name, {}))
        yield p
