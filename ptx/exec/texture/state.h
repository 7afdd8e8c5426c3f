// SPDX-License-Identifier: Apache-2.0
// Textures, samplers and surfaces: what an object says, and where the texels of a resource lie.
//
// A handle (the u64 that CUDA calls cudaTextureObject_t or cudaSurfaceObject_t) is, in gpuloom, the device
// address of a TextureState; the address of a .texref, .samplerref or .surfref variable is one too, for the
// variable's memory holds the state once it is bound. NVIDIA documents no layout, so this one is ours:
// sim/runtime/texture.h makes it, with a magic number, and a handle that points elsewhere is a fault.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

namespace gpuloom::ptx {

// Shape of a resource. kBuffer is linear memory (tex1Dfetch); a 2D texture in pitched memory is k2d with a
// pitch.
enum class TextureShape : uint8_t { k1d, k2d, k3d, k1dLayered, k2dLayered, kCube, kCubeLayered, kBuffer };
enum class ChannelFormat : uint8_t { kU8, kS8, kU16, kS16, kU32, kS32, kF16, kF32 };
// In the order of CUaddress_mode and CUfilter_mode.
enum class AddressMode : uint8_t { kWrap, kClamp, kMirror, kBorder };
enum class TextureFilter : uint8_t { kPoint, kLinear };

unsigned bytes_of(ChannelFormat format);
bool is_float(ChannelFormat format);
bool is_signed(ChannelFormat format);  // floats too

constexpr uint64_t kTextureMagic = 0x0178'6574'6d6f'6f6c;  // "loomtex", layout 1
constexpr unsigned kMostLevels = 17;

struct SamplerState {
  AddressMode address[3] = {AddressMode::kClamp, AddressMode::kClamp, AddressMode::kClamp};
  TextureFilter filter = TextureFilter::kPoint;
  TextureFilter mip_filter = TextureFilter::kPoint;
  uint8_t normalized = 0;    // coordinates in [0, 1)
  uint8_t read_integer = 0;  // integers are read as they are, not as [0, 1] or [-1, 1]
  uint8_t srgb = 0;          // u8 channels are sRGB; they become linear when read as float
  uint8_t seamless = 0;      // cube maps: filters across edges
  uint8_t trilinear_optimization =
      1;  // the driver's default: fractions near 0 and 1 of a level count as 0 and 1
  uint8_t max_anisotropy = 0;
  uint8_t reserved = 0;
  float level_bias = 0, min_level = 0, max_level = 0;
  float border[4] = {};
};

// What memory at a handle holds. `texture`, `surface` and `sampler` say what the handle may be used for: a
// texture object is a texture and a sampler.
struct alignas(8) TextureState {
  uint64_t magic = kTextureMagic;
  uint8_t texture = 0, sampler_bound = 0, surface = 0;
  TextureShape shape = TextureShape::k2d;
  ChannelFormat format = ChannelFormat::kF32;
  uint8_t channels = 1;  // 1, 2, 4
  uint8_t levels = 1;
  uint8_t mipmapped = 0;  // made from a mipmapped array, though it may have one level
  uint64_t address = 0;   // of the texels
  uint64_t bytes = 0;     // that they take
  uint32_t width = 1, height = 1;
  uint32_t depth = 1;  // of level 0; layers (cube maps: six a cube)
  uint32_t pitch = 0;  // bytes from row to row in pitched memory; 0: an array, in blocks
  SamplerState sampler;
  uint8_t unused[168] = {};

  unsigned texel_bytes() const { return bytes_of(format) * channels; }
};
static_assert(sizeof(TextureState) == 256);

bool is_layered(TextureShape shape);
bool is_cube(TextureShape shape);

// One level of a resource, as it lies in memory. Arrays lie in blocks of 512 bytes, 64 bytes by 8 rows, in
// each of which a sector of 32 bytes is 16 bytes of two rows: the block-linear layout that NVIDIA publishes
// for its display and video engines (open-gpu-doc and the Tegra TRM, "generic memory layout").
// One-dimensional arrays are rows.
struct TextureLevel {
  uint32_t width = 1, height = 1, depth = 1;
  uint64_t begin = 0;        // bytes, from TextureState::address
  uint64_t row_bytes = 0;    // of a row of blocks, or of a row
  uint64_t slice_bytes = 0;  // of one layer or depth slice
};
TextureLevel level_of(const TextureState& state, unsigned level);
// Bytes from the begin of the resource to byte `x` of row `y` of slice `z`.
uint64_t offset_in(const TextureState& state, const TextureLevel& level, uint64_t x, uint64_t y, uint64_t z);
uint64_t array_bytes(const TextureState& state);

// What is wrong with a state's fields, in words; "" if nothing.
std::string texture_state_problem(const TextureState& state);

}  // namespace gpuloom::ptx
