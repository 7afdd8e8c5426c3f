// SPDX-License-Identifier: Apache-2.0
#include "ptx/exec/row_conversion.h"

namespace gpuloom::ptx {
namespace {

// Calls pick with a value of the unsigned type of `bytes` bytes.
template <class Pick>
auto by_bytes(unsigned bytes, Pick pick) {
  switch (bytes) {
    case 1:
      return pick(uint8_t{});
    case 2:
      return pick(uint16_t{});
    case 4:
      return pick(uint32_t{});
    default:
      return pick(uint64_t{});
  }
}

// Takes the low part K of a register R, extends it as K's sign says to a register D.
template <class D, class K, class R>
constexpr RowConversion kExtend = row_conversion([](R a) -> D { return static_cast<D>(static_cast<K>(a)); });
template <class D, class K, class R>
constexpr LaneFn kExtendLanes = per_lane([](R a) -> D { return static_cast<D>(static_cast<K>(a)); });

struct Encoded {  // Instr::extra
  uint8_t source : 4, source_register : 4;
  uint8_t destination : 4, destination_register : 4;
  uint8_t destination_signed;
  uint8_t unused;
};
static_assert(sizeof(Encoded) == sizeof(Instr::extra));

RowConversion conversion_of(const Instr& in) { return reinterpret_cast<RowConversion>(in.imm); }

// Registers as wide as the types.
template <class D>
void convert(Warp& w, const Instr& in, uint32_t lanes) {
  D* d = row<D>(w, in.ops[0]);
  alignas(64) D partial[kLanes];
  conversion_of(in)(lanes == kAllLanes ? d : partial, source<uint8_t>(w, in.ops[1]));
  if (lanes != kAllLanes) lane::merge(d, partial, lanes);
}

void truncate(void* out, unsigned out_bytes, const void* from, unsigned from_bytes) {
  by_bytes(from_bytes, [&]<class R>(R) {
    by_bytes(out_bytes, [&]<class K>(K) {
      if constexpr (sizeof(K) <= sizeof(R)) kExtend<K, K, R>(out, from);
    });
  });
}

void extend(void* out, unsigned out_bytes, const void* from, unsigned from_bytes, bool is_signed_type) {
  by_bytes(out_bytes, [&]<class D>(D) {
    by_bytes(from_bytes, [&]<class K>(K) {
      if constexpr (sizeof(K) <= sizeof(D)) {
        using S = std::make_signed_t<K>;
        is_signed_type ? kExtend<D, S, S>(out, from) : kExtend<D, K, K>(out, from);
      }
    });
  });
}

// Some register is wider than its type.
void convert_wide(Warp& w, const Instr& in, uint32_t lanes) {
  const auto e = std::bit_cast<Encoded>(in.extra);
  alignas(64) uint8_t value[kLanes * 8], result[kLanes * 8], extended[kLanes * 8];
  const uint8_t* a = source<uint8_t>(w, in.ops[1]);
  if (e.source != e.source_register) {
    truncate(value, e.source, a, e.source_register);
    a = value;
  }
  conversion_of(in)(result, a);
  extend(extended, e.destination_register, result, e.destination, e.destination_signed != 0);
  by_bytes(e.destination_register, [&]<class D>(D) {
    lane::merge(row<D>(w, in.ops[0]), reinterpret_cast<const D*>(extended), lanes);
  });
}

}  // namespace

LaneFn conversion_loop(const ConversionWidths& widths) {
  if (!widths.plain()) return convert_wide;
  return by_bytes(widths.destination, []<class D>(D) -> LaneFn { return convert<D>; });
}

bool applies_conversion(LaneFn fn) {
  if (fn == convert_wide) return true;
  for (const uint8_t bytes : {uint8_t{1}, uint8_t{2}, uint8_t{4}, uint8_t{8}})
    if (fn == conversion_loop({bytes, bytes, bytes, bytes, false})) return true;
  return false;
}

void encode_conversion(Instr& in, RowConversion conversion, const ConversionWidths& widths) {
  in.imm = reinterpret_cast<int64_t>(conversion);
  const Encoded e{static_cast<uint8_t>(widths.source & 15u),
                  static_cast<uint8_t>(widths.source_register & 15u),
                  static_cast<uint8_t>(widths.destination & 15u),
                  static_cast<uint8_t>(widths.destination_register & 15u),
                  static_cast<uint8_t>(widths.destination_signed),
                  0};
  in.extra = std::bit_cast<uint32_t>(e);
}

LaneFn extension_loop(unsigned source_register, unsigned kept, bool kept_signed,
                      unsigned destination_register) {
  return by_bytes(destination_register, [&]<class D>(D) {
    return by_bytes(source_register, [&]<class R>(R) {
      return by_bytes(kept, [&]<class K>(K) -> LaneFn {
        if constexpr (sizeof(K) > sizeof(R)) {
          return nullptr;
        } else if constexpr (sizeof(K) >= sizeof(D)) {
          return kExtendLanes<D, D, R>;  // nothing to extend
        } else {
          return kept_signed ? kExtendLanes<D, std::make_signed_t<K>, R> : kExtendLanes<D, K, R>;
        }
      });
    });
  });
}

}  // namespace gpuloom::ptx
