// SPDX-License-Identifier: Apache-2.0
// Runs cases.txt on a GPU:  probe <folder of the modules, as PTX or cubin> cases.txt results.txt raw.bin
// One result a line: the number of the case, create=<CUDA's error of making the array or object>, error=<of
// the launch>, a hash of the results (of the texels for surface stores). raw.bin has the results themselves.
// A fault ends the CUDA context for good, so a child process runs the cases up to the first, then the next
// one.

#include <algorithm>

#include "../driver.h"
#include "case_file.h"

using namespace texture_cases;

static CUarray_format format_of(const Case& c) {
  static const CUarray_format kFormats[] = {CU_AD_FORMAT_UNSIGNED_INT8,  CU_AD_FORMAT_SIGNED_INT8,
                                            CU_AD_FORMAT_UNSIGNED_INT16, CU_AD_FORMAT_SIGNED_INT16,
                                            CU_AD_FORMAT_UNSIGNED_INT32, CU_AD_FORMAT_SIGNED_INT32,
                                            CU_AD_FORMAT_HALF,           CU_AD_FORMAT_FLOAT};
  return kFormats[index_of(c.text("fmt"), {"u8", "s8", "u16", "s16", "u32", "s32", "f16", "f32"})];
}

struct Resource {
  CUarray array = nullptr;
  CUmipmappedArray mipmapped = nullptr;
  CUdeviceptr memory = 0;
  CUDA_RESOURCE_DESC desc{};
  size_t pitch = 0;
};

static CUresult copy(const Case& c, CUarray array, std::vector<uint8_t>& host, unsigned level, bool to_host) {
  const Shape s = shape_of(c, level);
  CUDA_MEMCPY3D m{};
  const size_t texel = channel_bytes(c.text("fmt")) * static_cast<size_t>(c.number("ch"));
  if (to_host) {
    m.srcMemoryType = CU_MEMORYTYPE_ARRAY, m.srcArray = array;
    m.dstMemoryType = CU_MEMORYTYPE_HOST, m.dstHost = host.data(), m.dstPitch = s.width * texel,
    m.dstHeight = s.height;
  } else {
    m.dstMemoryType = CU_MEMORYTYPE_ARRAY, m.dstArray = array;
    m.srcMemoryType = CU_MEMORYTYPE_HOST, m.srcHost = host.data(), m.srcPitch = s.width * texel,
    m.srcHeight = s.height;
  }
  m.WidthInBytes = s.width * texel, m.Height = s.height, m.Depth = s.slices;
  return cuMemcpy3D(&m);
}

static CUresult create(const Case& c, Resource& r) {
  const std::string kind = c.text("kind"), place = c.get("place", "array");
  const auto channels = static_cast<unsigned>(c.number("ch"));
  const unsigned levels = static_cast<unsigned>(c.number("levels"));
  if (place == "linear" || place == "pitch") {
    std::vector<uint8_t> host = texels_of(c, 0);
    CHECK(cuMemAlloc(&r.memory, 1 << 22));
    CHECK(cuMemsetD8(r.memory, 0xa5, 1 << 22));
    const Shape s = shape_of(c, 0);
    const size_t row = s.width * channel_bytes(c.text("fmt")) * channels;
    if (place == "linear") {
      CHECK(cuMemcpyHtoD(r.memory, host.data(), host.size()));
      r.desc.resType = CU_RESOURCE_TYPE_LINEAR;
      r.desc.res.linear = {r.memory, format_of(c), channels, host.size()};
      return CUDA_SUCCESS;
    }
    r.pitch = (row + 31) / 32 * 32;
    for (size_t y = 0; y < s.height; ++y) CHECK(cuMemcpyHtoD(r.memory + y * r.pitch, &host[y * row], row));
    r.desc.resType = CU_RESOURCE_TYPE_PITCH2D;
    r.desc.res.pitch2D = {r.memory, format_of(c), channels, s.width, s.height, r.pitch};
    return CUDA_SUCCESS;
  }
  CUDA_ARRAY3D_DESCRIPTOR d{};
  d.Width = static_cast<size_t>(c.number("w")), d.Height = static_cast<size_t>(c.number("h")),
  d.Depth = static_cast<size_t>(c.number("d"));
  d.Format = format_of(c), d.NumChannels = channels;
  if (kind[0] == 'a') d.Flags |= CUDA_ARRAY3D_LAYERED;
  if (kind == "cube" || kind == "acube") d.Flags |= CUDA_ARRAY3D_CUBEMAP;
  if (is_surface(c.text("kernel"))) d.Flags |= CUDA_ARRAY3D_SURFACE_LDST;
  // Only plain 2D arrays may have it; the others are gathered from without.
  if (c.text("kernel").rfind("tld4", 0) == 0 && kind == "2d") d.Flags |= CUDA_ARRAY3D_TEXTURE_GATHER;
  if (levels != 0) {
    if (const CUresult e = cuMipmappedArrayCreate(&r.mipmapped, &d, levels); e != CUDA_SUCCESS) return e;
    for (unsigned l = 0; l < levels; ++l) {
      CUarray level = nullptr;
      CHECK(cuMipmappedArrayGetLevel(&level, r.mipmapped, l));
      std::vector<uint8_t> host = texels_of(c, l);
      CHECK(copy(c, level, host, l, false));
    }
    r.desc.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
    r.desc.res.mipmap.hMipmappedArray = r.mipmapped;
    return CUDA_SUCCESS;
  }
  if (const CUresult e = cuArray3DCreate(&r.array, &d); e != CUDA_SUCCESS) return e;
  std::vector<uint8_t> host = texels_of(c, 0);
  CHECK(copy(c, r.array, host, 0, false));
  r.desc.resType = CU_RESOURCE_TYPE_ARRAY;
  r.desc.res.array.hArray = r.array;
  return CUDA_SUCCESS;
}

static CUresult object(const Case& c, const Resource& r, unsigned long long& handle) {
  if (is_surface(c.text("kernel"))) return cuSurfObjectCreate(&handle, &r.desc);
  CUDA_TEXTURE_DESC t{};
  const std::vector<std::string> modes = split(c.get("addr", "clamp,clamp,clamp"), ',');
  for (int i = 0; i < 3; ++i)
    t.addressMode[i] = static_cast<CUaddress_mode>(
        index_of(modes[static_cast<size_t>(i)], {"wrap", "clamp", "mirror", "border"}));
  t.filterMode = static_cast<CUfilter_mode>(c.number("linear"));
  t.mipmapFilterMode = static_cast<CUfilter_mode>(c.number("miplinear"));
  if (c.number("read_int") != 0) t.flags |= CU_TRSF_READ_AS_INTEGER;
  if (c.number("norm") != 0) t.flags |= CU_TRSF_NORMALIZED_COORDINATES;
  if (c.number("srgb") != 0) t.flags |= CU_TRSF_SRGB;
  if (c.number("notri") != 0) t.flags |= CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION;
  if (c.number("seamless") != 0) t.flags |= CU_TRSF_SEAMLESS_CUBEMAP;
  t.maxAnisotropy = static_cast<unsigned>(c.number("aniso"));
  t.mipmapLevelBias = static_cast<float>(c.real("bias"));
  t.minMipmapLevelClamp = static_cast<float>(c.real("minlod"));
  t.maxMipmapLevelClamp = static_cast<float>(c.real("maxlod", 0));
  for (int i = 0; i < 4; ++i)
    t.borderColor[i] = static_cast<float>(c.real(("b" + std::to_string(i)).c_str()));
  return cuTexObjectCreate(&handle, &r.desc, &t, nullptr);
}

static void release(Resource& r) {
  if (r.array != nullptr) CHECK(cuArrayDestroy(r.array));
  if (r.mipmapped != nullptr) CHECK(cuMipmappedArrayDestroy(r.mipmapped));
  if (r.memory != 0) CHECK(cuMemFree(r.memory));
}

// Runs cases from `first` on until one faults; returns the number of the next case.
static size_t run(const std::vector<std::string>& lines, size_t first, const std::string& folder,
                  FILE* results, FILE* raw) {
  open_device();
  std::map<std::string, CUmodule> modules;
  CUdeviceptr in, out;
  constexpr size_t kMost = 1 << 17;
  CHECK(cuMemAlloc(&in, kMost * kWords * 4));
  CHECK(cuMemAlloc(&out, kMost * kResults * 4));
  for (size_t i = first; i < lines.size(); ++i) {
    const Case c = parse_case(lines[i]);
    const std::string name = c.text("module");
    if (!modules.count(name)) {
      std::string image = text_of(folder + "/" + name + ".cubin");
      if (image.empty()) image = text_of(folder + "/" + name + ".ptx");
      const CUresult loaded = cuModuleLoadData(&modules[name], image.c_str());
      if (loaded != CUDA_SUCCESS) {
        std::fprintf(stderr, "%s: not loaded, error %d\n", name.c_str(), static_cast<int>(loaded));
        modules[name] = nullptr;
      }
    }
    CUmodule module = modules[name];
    if (module == nullptr) {
      std::fprintf(results, "%zu create=801 error=0 hash=0\n", i);
      continue;
    }
    Resource r;
    unsigned long long handle = 0;
    CUresult made = create(c, r);
    if (made == CUDA_SUCCESS) made = object(c, r, handle);
    if (made != CUDA_SUCCESS) {
      std::fprintf(results, "%zu create=%d error=0 hash=0\n", i, static_cast<int>(made));
      release(r);
      continue;
    }
    auto n = static_cast<unsigned>(c.number("n"));
    const std::vector<uint32_t> words = inputs_of(c);
    CHECK(cuMemcpyHtoD(in, words.data(), words.size() * 4));
    CHECK(cuMemsetD32(out, 0xdeadbeef, size_t{n} * kResults));
    void* args[] = {&handle, &in, &out, &n};
    CUfunction function;
    if (const CUresult e = cuModuleGetFunction(&function, module, c.text("kernel").c_str());
        e != CUDA_SUCCESS) {
      std::fprintf(results, "%zu create=%d error=0 hash=0\n", i, static_cast<int>(e));
      release(r);
      continue;
    }
    CUresult error = cuLaunchKernel(function, (n + 127) / 128, 1, 1, 128, 1, 1, 0, nullptr, args, nullptr);
    if (error == CUDA_SUCCESS) error = cuCtxSynchronize();
    if (error != CUDA_SUCCESS) {
      std::fprintf(results, "%zu create=0 error=%d hash=0\n", i, static_cast<int>(error));
      return i + 1;
    }
    std::vector<uint8_t> after(size_t{n} * kResults * 4);
    CHECK(cuMemcpyDtoH(after.data(), out, after.size()));
    if (writes_surface(c.text("kernel"))) {
      after = texels_of(c, 0);
      CHECK(copy(c, r.array, after, 0, true));
    }
    if (is_surface(c.text("kernel"))) {
      CHECK(cuSurfObjectDestroy(handle));
    } else {
      CHECK(cuTexObjectDestroy(handle));
    }
    release(r);
    std::fprintf(results, "%zu create=0 error=0 hash=%016llx\n", i,
                 static_cast<unsigned long long>(fnv1a(after.data(), after.size())));
    const uint32_t head[2] = {static_cast<uint32_t>(i), static_cast<uint32_t>(after.size())};
    std::fwrite(head, 1, 8, raw);
    std::fwrite(after.data(), 1, after.size(), raw);
  }
  return lines.size();
}

int main(int, char** argv) {
  return run_cases(argv[2], argv[3], argv[4],
                   [&](const std::vector<std::string>& lines, size_t first, FILE* results, FILE* raw) {
                     return run(lines, first, argv[1], results, raw);
                   });
}
