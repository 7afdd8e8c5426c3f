// SPDX-License-Identifier: Apache-2.0
// Lane functions of texture and surface instructions, and the states behind their handles.
#pragma once
#include "ptx/exec/texture/operation.h"
#include "ptx/exec/texture/texel.h"
#include "ptx/exec/warp.h"

namespace gpuloom::ptx {

enum class TextureUse : uint8_t { kTexture, kSampler, kSurface, kAnything };

// The state at a handle, checked: throws a Fault that names the thread where the handle is none, is not
// bound, or may not be used so.
const TextureState& texture_state_at(Warp& w, const Instr& in, unsigned lane, uint64_t handle,
                                     TextureUse use);
// The memory of its texels. Throws Fault where it has been freed.
uint8_t* texels_of(Warp& w, const Instr& in, unsigned lane, const TextureState& state);
// Whether an instruction of `shape` may use a resource; faults otherwise.
void require_shape(Warp& w, const Instr& in, unsigned lane, const TextureState& state, TextureShape shape);

// Operands: d, its predicate, [texture{, sampler}, coordinates], level or two derivatives, offsets.
// Instr::target: TextureOperation.
void texture_fetch(Warp& w, const Instr& in, uint32_t lanes);
// d, its predicate, [texture{, sampler}, coordinates], offsets.
void texture_gather(Warp& w, const Instr& in, uint32_t lanes);

// Surfaces. Instr::target: SurfaceOperation. A load has d, [surface, coordinates]; the others [surface,
// coordinates], c.
void surface_load(Warp& w, const Instr& in, uint32_t lanes);
void surface_store(Warp& w, const Instr& in, uint32_t lanes);
// sust.p: x counts texels, values are converted to the format.
void surface_store_formatted(Warp& w, const Instr& in, uint32_t lanes);
// Instr::aux: index of the operation (exec/atomic_ops.h).
void surface_reduce(Warp& w, const Instr& in, uint32_t lanes);
void surface_reduce_formatted(Warp& w, const Instr& in, uint32_t lanes);

}  // namespace gpuloom::ptx
