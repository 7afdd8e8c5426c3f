// SPDX-License-Identifier: Apache-2.0
// Launch files: what to run, on which data, in YAML; the reference suite's cases.json is the same in JSON
// with everything in one map.
//
//   ptx: vecadd.ptx
//   config: h200
//   buffers:
//     a: {type: f32, count: 65536, init: uniform, seed: 1}
//     c: {type: f32, shape: [256, 256], init: zero, save: c.npy, output: true}
//   launches:
//     - {kernel: vecadd, grid: [256], block: [256], args: [a, a, c, 65536]}
//   verify:
//     - {buffer: c, against: expected.npy, rtol: 1e-6}
//
// Relative paths start at the launch file's folder. sim/runtime/README.md lists every key.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "arch/policy_window.h"
#include "base/config/config_node.h"
#include "base/error.h"
#include "ptx/exec/cta.h"
#include "sim/memory/generator.h"
#include "sim/runtime/launch_patch.h"
#include "sim/runtime/program_file.h"
#include "sim/runtime/tensor_map.h"
#include "sim/runtime/texture_file.h"

namespace gpuloom {
class Config;
class ConfigView;
}  // namespace gpuloom

namespace gpuloom::sim {

// A buffer of a program may have a side on the host, which `to_device` and `to_host` copy from and to.
enum class HostSide : uint8_t { kNone, kPinned, kPageable };

struct BufferSpec {
  std::string name;
  ElementType type = ElementType::kF32;
  std::vector<uint64_t> shape;
  FillSpec fill;
  std::vector<std::string> values;  // element by element; replace `fill`
  std::string file;                 // an array file (sim/memory/array_file.h), or raw bytes; replaces `fill`
  std::string save;                 // .npy, or raw bytes; written after the last launch
  bool output = false;              // its hash goes into the result
  bool initialised =
      false;  // `init` or `file` is given; otherwise the bytes are zero, and `--check init` reports reads
  std::optional<uint64_t> address;  // where it has to lie, as in the program that it was taken from
  HostSide host = HostSide::kNone;
  unsigned device = 0;  // of a program with several
  FilePosition where;
  uint64_t count() const;
  uint64_t bytes() const { return count() * bytes_of(type); }
};

// A __constant__ or __device__ variable: what it is set to before the first launch, and whether it is read
// back after the last. `data` without a type or shape takes what the variable has.
struct SymbolSpec {
  BufferSpec data;
  bool typed = false, set = false;
  uint64_t offset = 0;           // bytes into the variable
  std::optional<size_t> buffer;  // set to this buffer's address, plus `buffer_offset`
  int64_t buffer_offset = 0;
};

// A tensor map of a buffer; `map.address` counts from the buffer's begin until it is encoded.
struct NamedTensorMap {
  std::string name;
  size_t buffer = 0;
  TensorMapSpec map;
  FilePosition where;
};

struct ArgSpec {
  enum class Kind : uint8_t { kBuffer, kScalar, kBytes, kTensorMap, kTexture, kStruct };
  Kind kind = Kind::kScalar;
  size_t buffer = 0;            // index into LaunchFile::buffers, tensor_maps or textures
  int64_t offset = 0;           // added to the buffer's address
  bool part = false;            // and the begin of the part that a repetition's turn has
  std::string type;             // of a scalar, "" for "as the parameter says"
  std::string text;             // of a scalar
  std::vector<uint8_t> bytes;   // of a structure, given whole
  std::vector<ArgSpec> fields;  // of a structure: in order, aligned as C does
  FilePosition where;
};

struct LaunchSpec {
  std::string kernel;
  ptx::Dim3 grid, block;
  std::optional<ptx::Dim3> cluster;
  uint32_t dynamic_shared_bytes = 0;
  std::optional<uint32_t> max_dynamic_shared_bytes;  // cudaFuncAttributeMaxDynamicSharedMemorySize
  bool nonportable_cluster = true;                   // cudaFuncAttributeNonPortableClusterSizeAllowed
  std::optional<uint32_t> carveout_pct;              // cudaFuncAttributePreferredSharedMemoryCarveout
  bool cooperative = false;
  bool dependent = false;              // programmatic dependent launch, in a program
  uint32_t repeat = 1;                 // back to back on the same buffers; the last one is reported
  std::optional<PolicyWindow> window;  // from the begin of a buffer
  size_t window_buffer = 0;            // its index into LaunchFile::buffers
  std::vector<ArgSpec> args;
  std::vector<PatchSpec> patches;  // of arguments
  std::string argument_hint;       // how arguments are written there where they were given, for messages
  FilePosition where;
};

struct VerifySpec {
  size_t buffer = 0;              // index into LaunchFile::buffers, or
  bool symbol = false;            // into symbols
  std::string against;            // .npy or raw bytes
  double rtol = 0, atol = 0;      // |got - expected| <= atol + rtol * |expected|
  std::optional<uint64_t> fnv1a;  // hash of all bytes
  FilePosition where;
};

struct LaunchFile {
  std::string path;    // as given
  std::string folder;  // that relative paths start from, "" or ending with '/'
  std::string name, ptx, config;
  std::optional<bool>
      contract;  // of this module: whether mul + add become fma (-fmad); without it, the device's
  std::vector<std::string> compiler_arguments;  // for a `ptx` that is CUDA C++
  std::vector<std::string> link;                // files with what `ptx` declares .extern
  std::vector<BufferSpec> buffers;
  std::vector<SymbolSpec> symbols;
  std::vector<NamedTensorMap> tensor_maps;
  std::vector<PatchSpec> patches;      // of buffers
  std::vector<NamedTexture> textures;  // and surfaces
  std::vector<LaunchSpec> launches;    // one after another, or those of the program's steps
  ProgramSpec program;                 // empty: `launches` are all that there is
  unsigned devices = 1;                // GPUs of the configuration that the program has
  std::vector<VerifySpec> verify;
  std::optional<uint64_t> stack_limit, heap_limit;  // bytes: limits of cudaDeviceSetLimit
  ConfigNode tree;  // what it was read from, for those who write it again (launch_record.h)
};

// Throws Error (kInput) with every problem of the file, each with its position.
LaunchFile read_launch_file(const std::string& path);
LaunchFile parse_launch_file(std::string_view text, const std::string& path);
// The same from what a program has put together; `path` gives the folder that relative paths start at.
LaunchFile launch_file_of(const Config& config, const std::string& path);

}  // namespace gpuloom::sim
