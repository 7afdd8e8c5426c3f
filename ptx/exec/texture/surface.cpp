// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "ptx/exec/atomic_ops.h"
#include "ptx/exec/fault.h"
#include "ptx/exec/memory_path.h"
#include "ptx/exec/texture/fetch.h"
#include "ptx/exec/texture/texel_access.h"
#include "ptx/numeric/half.h"

namespace gpuloom::ptx {
namespace {

const Place* list(const Warp& w, Place place) { return &w.program->extra[static_cast<size_t>(place.at)]; }

// Where a lane's access is: in the surface, or dropped.
struct SurfaceSpot {
  uint8_t* host = nullptr;  // nullptr: out of bounds, dropped
  uint64_t address = 0;
};

// Resolves the accesses of a warp. `texels`: x counts texels instead of bytes.
class SurfaceAccess {
 public:
  SurfaceAccess(Warp& w, const Instr& in, Place place, AccessOp access, bool texels)
      : w_(w),
        in_(in),
        op_(SurfaceOperation::unpack(in.target)),
        places_(list(w, place)),
        texels_(texels),
        access_(w, access) {}

  const SurfaceOperation& op() const { return op_; }
  const TextureState& state() const { return *state_; }

  ChannelFormat format_of(unsigned lane) {
    resolve(lane);
    return state_->format;
  }

  // `bytes` that the lane moves; 0: a texel.
  SurfaceSpot spot(unsigned lane, unsigned bytes) {
    resolve(lane);
    const unsigned size = bytes == 0 ? state_->texel_bytes() : bytes;
    const TextureLevel level = level_of(*state_, 0);
    unsigned k = 1;
    const auto next = [&] { return int64_t{source<int32_t>(w_, places_[k++])[lane]}; };
    int64_t layer = 0;
    if (is_layered(op_.shape)) layer = int64_t{static_cast<uint32_t>(next())};
    int64_t x = next();
    if (texels_) x *= size;
    int64_t at[3] = {x, op_.shape == TextureShape::k1d || op_.shape == TextureShape::k1dLayered ? 0 : next(),
                     0};
    if (op_.shape == TextureShape::k3d) at[2] = next();
    if (is_layered(op_.shape)) at[2] = layer;
    const int64_t row = int64_t{level.width} * state_->texel_bytes();
    const int64_t extents[3] = {row, level.height, level.depth};
    if (x % size != 0)
      fault(w_, in_, lane, FaultKind::kMisaligned,
            std::string(verb()) + " byte " + std::to_string(x) + " of a surface's row in units of " +
                std::to_string(size) + " bytes");
    bool outside = false;
    for (unsigned d = 0; d < 3; ++d) {
      const int64_t last = extents[d] - (d == 0 ? size : 1);
      if (at[d] >= 0 && at[d] <= last) continue;
      outside = true;
      at[d] = std::clamp<int64_t>(at[d], 0, std::max<int64_t>(last, 0));
    }
    if (outside && op_.bounds == SurfaceBounds::kTrap)
      fault(w_, in_, lane, FaultKind::kOutOfBounds, std::string(verb()) + " outside of a surface");
    if (outside && op_.bounds == SurfaceBounds::kZero) return {};
    const uint64_t offset = offset_in(*state_, level, static_cast<uint64_t>(at[0]),
                                      static_cast<uint64_t>(at[1]), static_cast<uint64_t>(at[2]));
    access_.touch(lane, state_->address + offset);
    access_.at_least(std::min(size, 16u));
    return {texels_of_ + offset, state_->address + offset};
  }

 private:
  const char* verb() const {
    return w_.access.op == AccessOp::kLoad    ? "reads"
           : w_.access.op == AccessOp::kStore ? "writes"
                                              : "updates";
  }

  void resolve(unsigned lane) {
    const uint64_t handle = source<uint64_t>(w_, places_[0])[lane];
    if (state_ != nullptr && handle == handle_) return;
    state_ = &texture_state_at(w_, in_, lane, handle, TextureUse::kSurface);
    require_shape(w_, in_, lane, *state_, op_.shape);
    texels_of_ = ptx::texels_of(w_, in_, lane, *state_);
    handle_ = handle;
  }

  Warp& w_;
  const Instr& in_;
  SurfaceOperation op_;
  const Place* places_;
  bool texels_;
  TexelAccess access_;
  const TextureState* state_ = nullptr;
  uint8_t* texels_of_ = nullptr;
  uint64_t handle_ = 0;
};

// Bytes from one row of registers to the next lane: sust and suld of .b8 take wider registers.
unsigned stride_of(const Instr& in) { return in.aux; }

// Bytes of lane `l`'s element `k` of a vector, or of a plain register.
uint8_t* cell(Warp& w, const Instr& in, const Place* elements, unsigned k, unsigned lane) {
  return row<uint8_t>(w, elements[k]) + lane * stride_of(in);
}
const uint8_t* source_cell(const Warp& w, const Instr& in, const Place* elements, unsigned k, unsigned lane) {
  return source<uint8_t>(w, elements[k]) + lane * stride_of(in);
}

// A value of sust.p as a channel of the format.
uint32_t formatted(ChannelFormat format, uint32_t bits) {
  switch (format) {
    case ChannelFormat::kF16: {  // rounds to zero
      const auto value = std::bit_cast<float>(bits);
      if (std::isnan(value)) return (bits >> 16 & 0x8000) | 0x7fff;
      return numeric::float_to_half<numeric::Rounding::kZero>(value);
    }
    case ChannelFormat::kU8:
      return std::min(bits, 255u);
    case ChannelFormat::kU16:
      return std::min(bits, 65535u);
    case ChannelFormat::kS8:
      return static_cast<uint32_t>(std::clamp(static_cast<int32_t>(bits), -128, 127));
    case ChannelFormat::kS16:
      return static_cast<uint32_t>(std::clamp(static_cast<int32_t>(bits), -32768, 32767));
    default:
      return bits;
  }
}

void reduce(Warp& w, const Instr& in, uint32_t lanes, bool texels) {
  SurfaceAccess access(w, in, in.ops[0], AccessOp::kReduce, texels);
  unsigned operation = in.aux;
  // The type of sured.p is the surface's: its sign decides min and max.
  if (texels && access.format_of(static_cast<unsigned>(std::countr_zero(lanes))) == ChannelFormat::kS32)
    operation = access.op().signed_reduction;
  const AtomicEntry& entry = atomic_entry(static_cast<uint8_t>(operation));
  const unsigned bytes = entry.element_bytes;
  const uint8_t* values = source<uint8_t>(w, access.op().plain ? in.ops[1] : list(w, in.ops[1])[0]);
  SurfaceSpot spots[32];
  for_lanes(lanes, [&](unsigned l) { spots[l] = access.spot(l, bytes); });
  const uint32_t hit = w.access.lanes;
  if (w.deferred != nullptr && hit != 0) {
    DeferredAtomic& d = *w.deferred;
    d.fn = entry.global_fn;
    d.size = d.element_bytes = d.result_bytes = static_cast<uint8_t>(bytes);
    d.has_result = d.sign_extend = false;
    d.vec = 1;
    d.lanes = hit;
    d.frame_regs = w.simt.frames[w.simt.frame].regs;
    std::copy_n(w.access.address, 32, d.address);
    for_lanes(hit, [&](unsigned l) { std::memcpy(d.operand_b[l], values + l * bytes, bytes); });
    w.deferred_pending = true;
    return;
  }
  for_lanes(hit, [&](unsigned l) {
    alignas(16) uint8_t b[16] = {}, old[16];
    std::memcpy(b, values + l * bytes, bytes);
    entry.global_fn(spots[l].host, b, nullptr, old);
  });
}

}  // namespace

void surface_load(Warp& w, const Instr& in, uint32_t lanes) {
  SurfaceAccess access(w, in, in.ops[1], AccessOp::kLoad, false);
  const unsigned bytes = access.op().element_bytes;
  const Place* to = access.op().plain ? &in.ops[0] : list(w, in.ops[0]);
  for_lanes(lanes, [&](unsigned l) {
    const SurfaceSpot spot = access.spot(l, bytes * in.vec);
    for (unsigned k = 0; k < in.vec; ++k) {
      uint8_t value[8] = {};
      if (spot.host != nullptr) std::memcpy(value, spot.host + k * bytes, bytes);
      std::memcpy(cell(w, in, to, k, l), value, stride_of(in));
    }
  });
}

void surface_store(Warp& w, const Instr& in, uint32_t lanes) {
  SurfaceAccess access(w, in, in.ops[0], AccessOp::kStore, false);
  const unsigned bytes = access.op().element_bytes;
  const Place* from = access.op().plain ? &in.ops[1] : list(w, in.ops[1]);
  for_lanes(lanes, [&](unsigned l) {
    const SurfaceSpot spot = access.spot(l, bytes * in.vec);
    if (spot.host == nullptr) return;
    for (unsigned k = 0; k < in.vec; ++k)
      std::memcpy(spot.host + k * bytes, source_cell(w, in, from, k, l), bytes);
  });
}

void surface_store_formatted(Warp& w, const Instr& in, uint32_t lanes) {
  SurfaceAccess access(w, in, in.ops[0], AccessOp::kStore, true);
  const Place* from = access.op().plain ? &in.ops[1] : list(w, in.ops[1]);
  for_lanes(lanes, [&](unsigned l) {
    const SurfaceSpot spot = access.spot(l, 0);
    if (spot.host == nullptr) return;
    const ChannelFormat format = access.state().format;
    const unsigned bytes = bytes_of(format);
    for (unsigned k = 0; k < access.state().channels; ++k) {
      uint32_t bits = 0;
      if (k < in.vec) std::memcpy(&bits, source_cell(w, in, from, k, l), 4);
      const uint32_t value = formatted(format, bits);
      std::memcpy(spot.host + k * bytes, &value, bytes);
    }
  });
}

void surface_reduce(Warp& w, const Instr& in, uint32_t lanes) { reduce(w, in, lanes, false); }
void surface_reduce_formatted(Warp& w, const Instr& in, uint32_t lanes) { reduce(w, in, lanes, true); }

}  // namespace gpuloom::ptx
