// SPDX-License-Identifier: Apache-2.0
// Launches kernels of cubins through the driver API, as the job file that jobs.py writes from cases.json
// says.
//   launcher JOBS [--times N] [--quiet] [--dump FOLDER] [--skip FILE] [CASE...]
// Prints a line a case: name, ok, microseconds, and the FNV-1a-64 of each output. Buffers are filled anew
// before every launch.
#include <cuda.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

std::string current;  // the case at work, for messages

void check(CUresult r, const char* what) {
  if (r == CUDA_SUCCESS) return;
  const char* name = nullptr;
  cuGetErrorName(r, &name);
  std::fprintf(stderr, "FAIL %s: %s: %s\n", current.c_str(), what, name ? name : "?");
  std::exit(3);
}
#define CHECK(x) check((x), #x)

struct Buffer {
  std::string name, type, init;
  uint64_t count = 0, seed = 0, param = 0;
  int output = 0;
  std::vector<uint8_t> start, host;  // as filled, and as read back
  CUdeviceptr device = 0;
};

struct Map {
  int buffer = 0, type = 0, rank = 0, swizzle = 0, promotion = 0, interleave = 0, fill = 0;
  uint64_t offset = 0, dims[5] = {}, strides[5] = {};
  uint32_t box[5] = {}, steps[5] = {1, 1, 1, 1, 1};
};

struct Argument {
  char kind = 0;  // p pointer, m map, b bytes
  int index = 0;
  uint64_t offset = 0;
  std::vector<uint8_t> bytes;
};

struct Patch {  // an address or a map at a place inside of an argument or a buffer
  char into = 0, kind = 0;
  int target = 0, index = 0;
  uint64_t at = 0, offset = 0;
};

struct Case {
  std::string name, cubin, kernel;
  unsigned grid[3] = {}, block[3] = {}, cluster[3] = {}, shared = 0;
  int cooperative = 0;
  std::vector<Buffer> buffers;
  std::vector<Map> maps;
  std::vector<Argument> arguments;
  std::vector<Patch> patches;
};

uint64_t splitmix64(uint64_t x) {
  x += 0x9E3779B97F4A7C15ull;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}

size_t width(const std::string& t) {
  if (t == "u8" || t == "s8") return 1;
  if (t == "f16" || t == "bf16" || t == "u16" || t == "s16") return 2;
  return t == "f64" || t == "u64" || t == "s64" ? 8 : 4;
}

bool is_real(const std::string& t) { return t[0] == 'f' || t == "bf16"; }

uint16_t half_of(double v) {  // to nearest, ties to even
  if (v == 0) return 0;
  int e = 0;
  std::frexp(v, &e);  // |v| in [2^(e - 1), 2^e): the last place is 2^(e - 11), of subnormal numbers 2^-24
  const int place = std::max(e - 11, -24);
  const auto units = uint32_t(std::nearbyint(std::ldexp(std::fabs(v), -place)));
  return uint16_t((v < 0 ? 0x8000 : 0) + (uint32_t(place + 24) << 10) + units);
}

uint16_t bfloat_of(double v) {
  const float f = float(v);
  uint32_t x;
  std::memcpy(&x, &f, 4);
  return uint16_t((x + 0x7fff + ((x >> 16) & 1)) >> 16);
}

void store_real(const std::string& type, double v, uint8_t* to) {
  if (type == "f64") return void(std::memcpy(to, &v, 8));
  const float f = float(v);
  if (type == "f32") return void(std::memcpy(to, &f, 4));
  const uint16_t h = type == "f16" ? half_of(v) : bfloat_of(v);
  std::memcpy(to, &h, 2);
}

double real_of(const Buffer& b, uint64_t u, uint64_t i) {
  const bool wide = width(b.type) >= 4;
  if (b.init == "iota") return double(i);
  if (b.init == "uniform") return wide ? double(u >> 40) * 0x1p-23 - 1 : double(u % 2048) / 1024 - 1;
  return wide ? double(u >> 40) * 0x1p-24 + 0.5 : double(u % 2048) / 2048 + 0.5;
}

void from_file(Buffer& b, const std::string& folder) {
  std::ifstream f(folder + "/" + b.init.substr(5), std::ios::binary);
  f.read(reinterpret_cast<char*>(b.start.data()), std::streamsize(b.start.size()));
  if (!f) std::fprintf(stderr, "FAIL %s: file of %s\n", current.c_str(), b.name.c_str()), std::exit(4);
}

void fill(Buffer& b, const std::string& folder) {
  const size_t w = width(b.type);
  b.start.assign(b.count * w, 0);
  const uint64_t base = b.seed * 0x9E3779B97F4A7C15ull;
  if (b.init == "zero" || b.init == "none") return;
  if (b.init.rfind("file:", 0) == 0) return from_file(b, folder);
  auto* words = reinterpret_cast<uint32_t*>(b.start.data());
  if (b.init == "perm") {
    for (uint64_t i = 0; i < b.count; ++i) words[i] = uint32_t(i);
    for (uint64_t i = b.count; i-- > 1;) std::swap(words[i], words[splitmix64(base + i) % (i + 1)]);
    return;
  }
  uint32_t sum = 0;
  for (uint64_t i = 0; i < b.count; ++i) {
    const uint64_t u = splitmix64(base + i);
    uint64_t k = i;
    if (b.init == "uniform" || b.init == "positive" || (b.init == "iota" && is_real(b.type))) {
      store_real(b.type, real_of(b, u, i), &b.start[i * w]);
      continue;
    }
    if (b.init == "csr_rows")
      k = sum, sum += uint32_t(u % (2 * b.param + 1));
    else if (b.init == "range")
      k = u % b.param;
    else if (b.init == "raw")
      k = w == 8 ? u : w == 4 ? u >> 32 : w == 2 ? u >> 48 : u;
    else if (b.init != "iota")
      std::fprintf(stderr, "FAIL %s: init %s\n", current.c_str(), b.init.c_str()), std::exit(4);
    std::memcpy(&b.start[i * w], &k, w);
  }
}

uint64_t fnv(const std::vector<uint8_t>& data) {
  uint64_t h = 1469598103934665603ull;
  for (const uint8_t byte : data) h = (h ^ byte) * 1099511628211ull;
  return h;
}

std::vector<uint8_t> from_hex(const std::string& s) {
  std::vector<uint8_t> out;
  for (size_t i = 0; i + 1 < s.size(); i += 2)
    out.push_back(uint8_t(std::strtoul(s.substr(i, 2).c_str(), nullptr, 16)));
  return out;
}

void read_line(const std::string& key, std::istringstream& s, std::vector<Case>& cases) {
  if (key == "case") {
    cases.emplace_back();
    s >> cases.back().name >> cases.back().cubin >> cases.back().kernel;
    return;
  }
  Case& c = cases.back();
  if (key == "dims") {
    for (auto* dims : {c.grid, c.block, c.cluster})
      for (int i = 0; i < 3; ++i) s >> dims[i];
    s >> c.shared >> c.cooperative;
  } else if (key == "buffer") {
    Buffer b;
    s >> b.name >> b.type >> b.count >> b.init >> b.seed >> b.param >> b.output;
    c.buffers.push_back(b);
  } else if (key == "map") {
    Map m;
    s >> m.buffer >> m.offset >> m.type >> m.rank;
    for (int i = 0; i < m.rank; ++i) s >> m.dims[i];
    for (int i = 0; i + 1 < m.rank; ++i) s >> m.strides[i];
    for (int i = 0; i < m.rank; ++i) s >> m.box[i];
    for (int i = 0; i < m.rank; ++i) s >> m.steps[i];
    s >> m.interleave >> m.swizzle >> m.promotion >> m.fill;
    c.maps.push_back(m);
  } else if (key == "arg") {
    Argument a;
    std::string hex;
    s >> a.kind;
    if (a.kind == 'b')
      s >> hex, a.bytes = from_hex(hex);
    else
      s >> a.index >> a.offset;
    c.arguments.push_back(a);
  } else if (key == "patch") {
    Patch p;
    s >> p.into >> p.target >> p.at >> p.kind >> p.index >> p.offset;
    c.patches.push_back(p);
  }
}

std::vector<Case> read_jobs(const std::string& path) {
  std::ifstream file(path);
  std::vector<Case> cases;
  std::string line, key;
  while (std::getline(file, line)) {
    std::istringstream s(line);
    if (s >> key) read_line(key, s, cases);
  }
  return cases;
}

CUtensorMap encode(const Case& c, const Map& m) {
  CUtensorMap out;
  void* address = reinterpret_cast<void*>(c.buffers[m.buffer].device + m.offset);
  CHECK(cuTensorMapEncodeTiled(&out, CUtensorMapDataType(m.type), m.rank, address, m.dims, m.strides, m.box,
                               m.steps, CUtensorMapInterleave(m.interleave), CUtensorMapSwizzle(m.swizzle),
                               CUtensorMapL2promotion(m.promotion), CUtensorMapFloatOOBfill(m.fill)));
  return out;
}

// Argument values where the driver reads them: 64 bytes apart at least, since tensor maps must be aligned so.
class Values {
 public:
  void* place(const void* data, size_t size) {
    void* p = std::aligned_alloc(128, (size + 127) / 128 * 128);
    std::memcpy(p, data, size);
    held_.push_back(p);
    return p;
  }
  std::vector<void*>& pointers() { return held_; }
  ~Values() {
    for (void* p : held_) std::free(p);
  }

 private:
  std::vector<void*> held_;
};

void apply_patches(Case& c, const std::vector<CUtensorMap>& maps) {
  for (const Patch& p : c.patches) {
    std::vector<uint8_t>& into = p.into == 'a' ? c.arguments[p.target].bytes : c.buffers[p.target].start;
    const uint64_t address = p.kind == 'p' ? c.buffers[p.index].device + p.offset : 0;
    if (p.kind == 'p')
      std::memcpy(&into[p.at], &address, 8);
    else
      std::memcpy(&into[p.at], &maps[p.index], 128);
  }
}

void make_arguments(const Case& c, const std::vector<CUtensorMap>& maps, Values& values) {
  for (const Argument& a : c.arguments) {
    const uint64_t address = a.kind == 'p' ? c.buffers[a.index].device + a.offset : 0;
    if (a.kind == 'p')
      values.place(&address, 8);
    else if (a.kind == 'm')
      values.place(&maps[a.index], 128);
    else
      values.place(a.bytes.data(), a.bytes.size());
  }
}

float launch(const Case& c, CUfunction f, Values& values) {
  CUlaunchConfig config{};
  config.gridDimX = c.grid[0], config.gridDimY = c.grid[1], config.gridDimZ = c.grid[2];
  config.blockDimX = c.block[0], config.blockDimY = c.block[1], config.blockDimZ = c.block[2];
  config.sharedMemBytes = c.shared;
  CUlaunchAttribute attributes[2];
  unsigned n = 0;
  if (c.cluster[0] != 0) {
    attributes[n].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    attributes[n].value.clusterDim.x = c.cluster[0];
    attributes[n].value.clusterDim.y = std::max(c.cluster[1], 1u);
    attributes[n++].value.clusterDim.z = std::max(c.cluster[2], 1u);
  }
  if (c.cooperative != 0) {
    attributes[n].id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
    attributes[n++].value.cooperative = 1;
  }
  config.attrs = attributes;
  config.numAttrs = n;
  CUevent from, to;
  CHECK(cuEventCreate(&from, 0));
  CHECK(cuEventCreate(&to, 0));
  CHECK(cuEventRecord(from, nullptr));
  CHECK(cuLaunchKernelEx(&config, f, values.pointers().data(), nullptr));
  CHECK(cuEventRecord(to, nullptr));
  CHECK(cuCtxSynchronize());
  float ms = 0;
  CHECK(cuEventElapsedTime(&ms, from, to));
  cuEventDestroy(from);
  cuEventDestroy(to);
  return ms * 1000;
}

struct Options {
  std::string folder = ".", dump;
  int times = 1;
  bool quiet = false;
};

void report(Case& c, float us, const Options& o) {
  if (o.quiet) return;
  std::printf("%s ok us=%.2f", c.name.c_str(), us);
  for (Buffer& b : c.buffers) {
    if (b.output == 0) continue;
    b.host.resize(b.start.size());
    CHECK(cuMemcpyDtoH(b.host.data(), b.device, b.host.size()));
    std::printf(" %s=%016llx", b.name.c_str(), static_cast<unsigned long long>(fnv(b.host)));
    if (!o.dump.empty())
      std::ofstream(o.dump + "/" + c.name + "." + b.name, std::ios::binary)
          .write(reinterpret_cast<const char*>(b.host.data()), std::streamsize(b.host.size()));
  }
  std::printf("\n");
  std::fflush(stdout);
}

void run(Case& c, const Options& o) {
  current = c.name;
  if (!o.quiet) std::fprintf(stderr, "%s\n", c.name.c_str());
  std::ifstream file(o.folder + "/" + c.cubin, std::ios::binary);
  const std::string image((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  CUmodule module;
  CUfunction f;
  CHECK(cuModuleLoadData(&module, image.data()));
  CHECK(cuModuleGetFunction(&f, module, c.kernel.c_str()));
  for (Buffer& b : c.buffers) {
    fill(b, o.folder);
    CHECK(cuMemAlloc(&b.device, std::max<size_t>(b.start.size(), 16)));
  }
  std::vector<CUtensorMap> maps;
  for (const Map& m : c.maps) maps.push_back(encode(c, m));
  apply_patches(c, maps);
  Values values;
  make_arguments(c, maps, values);
  if (c.shared > 48 * 1024)
    CHECK(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, int(c.shared)));
  if (c.cluster[0] * std::max(c.cluster[1], 1u) * std::max(c.cluster[2], 1u) > 8)
    CHECK(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1));
  for (int k = 0; k < o.times; ++k) {
    for (const Buffer& b : c.buffers) CHECK(cuMemcpyHtoD(b.device, b.start.data(), b.start.size()));
    const float us = launch(c, f, values);
    report(c, us, o);
  }
  for (Buffer& b : c.buffers) CHECK(cuMemFree(b.device));
  CHECK(cuModuleUnload(module));
}

}  // namespace

int main(int argc, char** argv) {
  Options o;
  std::set<std::string> wanted, skipped;
  if (argc < 2)
    return std::fprintf(stderr,
                        "launcher JOBS [--times N] [--quiet] [--dump FOLDER] [--skip FILE] [CASE...]\n"),
           2;
  const std::string jobs = argv[1];
  if (jobs.rfind('/') != std::string::npos) o.folder = jobs.substr(0, jobs.rfind('/'));
  for (int i = 2; i < argc; ++i) {
    const std::string a = argv[i];
    if (a == "--times" && i + 1 < argc)
      o.times = std::atoi(argv[++i]);
    else if (a == "--dump" && i + 1 < argc)
      o.dump = argv[++i];
    else if (a == "--quiet")
      o.quiet = true;
    else if (a == "--skip" && i + 1 < argc) {
      std::ifstream names(argv[++i]);
      for (std::string name; names >> name;) skipped.insert(name);
    } else
      wanted.insert(a);
  }
  CUdevice device;
  CUcontext context;
  CHECK(cuInit(0));
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));
  for (Case& c : read_jobs(jobs))
    if ((wanted.empty() || wanted.count(c.name) != 0) && skipped.count(c.name) == 0) run(c, o);
  return 0;
}
