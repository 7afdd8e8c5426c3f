// SPDX-License-Identifier: Apache-2.0
// Accesses that take effect at the memory partition: captured at issue, applied in merge order.
#include <algorithm>

#include "ptx/exec/memory_path.h"
#include "ptx/exec/store_order.h"

namespace gpuloom::ptx {
namespace {

template <unsigned N>
void read_old(void* location, const void*, const void*, void* old) {
  std::memcpy(old, location, N);
}
template <unsigned N>
void replace(void* location, const void* b, const void*, void*) {
  std::memcpy(location, b, N);
}

template <template <unsigned> class F>
AtomicFn by_size(unsigned bytes) {
  switch (bytes) {
    case 1:
      return F<1>::fn;
    case 2:
      return F<2>::fn;
    case 4:
      return F<4>::fn;
    case 8:
      return F<8>::fn;
    case 16:
      return F<16>::fn;
    default:
      return F<32>::fn;
  }
}
template <unsigned N>
struct Read {
  static constexpr AtomicFn fn = read_old<N>;
};
template <unsigned N>
struct Replace {
  static constexpr AtomicFn fn = replace<N>;
};

// Writes one value of `from_bytes` into lane `lane` of a row, extended to its width.
void write_extended(uint8_t* at, unsigned lane, unsigned row_bytes, const uint8_t* value, unsigned from_bytes,
                    bool sign) {
  uint8_t* to = at + lane * row_bytes;
  std::memcpy(to, value, std::min(from_bytes, row_bytes));
  if (row_bytes > from_bytes)
    std::memset(to + from_bytes, sign && (value[from_bytes - 1] & 0x80) ? 0xff : 0, row_bytes - from_bytes);
}

void begin(Warp& w, uint32_t lanes, unsigned bytes) {
  DeferredAtomic& d = *w.deferred;
  d.size = static_cast<uint8_t>(bytes);
  d.has_result = false;
  d.lanes = lanes;
  d.vec = 1;
  d.element_bytes = static_cast<uint8_t>(bytes);
  d.sign_extend = false;
  d.frame_regs = w.simt.frames[w.simt.frame].regs;
  std::copy_n(w.access.address, 32, d.address);
  w.deferred_pending = true;
}

}  // namespace

void capture_load(Warp& w, const Instr& in, uint32_t lanes, unsigned memory_bytes, unsigned row_bytes,
                  bool sign_extend) {
  begin(w, lanes, memory_bytes * in.vec);
  DeferredAtomic& d = *w.deferred;
  d.fn = by_size<Read>(d.size);
  d.has_result = true;
  d.result = in.ops[0];
  d.vec = in.vec;
  d.element_bytes = static_cast<uint8_t>(memory_bytes);
  d.result_bytes = static_cast<uint8_t>(row_bytes);
  d.sign_extend = sign_extend;
}

uint8_t* capture_store(Warp& w, uint32_t lanes, unsigned bytes) {
  begin(w, lanes, bytes);
  w.deferred->fn = by_size<Replace>(bytes);
  return w.deferred->operand_b[0];
}

bool waits_for_late(Warp& w, const Instr& in, uint32_t lanes) {
  lanes &= global_lanes(w);
  if (lanes == 0 || !w.late->touch(w, w.access, lanes)) return false;
  w.late->wait();
  --w.executed;  // counted when it is carried out
  w.access.op = AccessOp::kNone;
  w.pc = static_cast<uint32_t>(&in - w.code);
  block_set(w, Wait::kMemory);
  return true;
}

void apply_deferred(Warp* reader, DeferredAtomic& d, const GlobalMemory& memory) {
  const auto apply = [&](unsigned l) {
    alignas(16) uint8_t old[kOperandBytes];
    d.fn(memory.host(d.address[l]), d.operand_b[l], d.operand_c[l], old);
    if (!reader || !d.has_result) return;
    uint8_t* regs = reader->register_memory.data() + d.frame_regs;
    for (unsigned k = 0; k < d.vec; ++k) {
      const Place at = d.vec == 1 ? d.result : reader->program->extra[static_cast<size_t>(d.result.at) + k];
      if (at.present())
        write_extended(regs + at.at, l, d.result_bytes, old + k * d.element_bytes, d.element_bytes,
                       d.sign_extend);
    }
  };
  if (d.fn == by_size<Replace>(d.size))
    for_storing_lanes(d.lanes, d.size, apply);
  else
    for_lanes(d.lanes, apply);
}

}  // namespace gpuloom::ptx
