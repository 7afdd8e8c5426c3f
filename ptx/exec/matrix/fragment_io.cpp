// SPDX-License-Identifier: Apache-2.0
#include "ptx/exec/matrix/fragment_io.h"

#include "ptx/exec/matrix/multiply.h"

namespace gpuloom::ptx {
namespace {

// Four words, by hand: GCC 12 leaves these loops scalar.
using Four = uint32_t __attribute__((vector_size(16)));
inline Four four(const uint32_t* at) {
  Four v;
  std::memcpy(&v, at, sizeof v);
  return v;
}

template <class Code>
void interleave(const Code* even, const Code* odd, Code* out) {
  if constexpr (sizeof(Code) == 4) {
    const Four e = four(even), o = four(odd);
    const Four low = __builtin_shufflevector(e, o, 0, 4, 1, 5),
               high = __builtin_shufflevector(e, o, 2, 6, 3, 7);
    std::memcpy(out, &low, sizeof low);
    std::memcpy(out + 4, &high, sizeof high);
  } else {
    for (int t = 0; t < 4; ++t) {
      out[2 * t] = even[t];
      out[2 * t + 1] = odd[t];
    }
  }
}

template <class Code>
void part(const Code* cells, Code* even, Code* odd) {
  if constexpr (sizeof(Code) == 4) {
    const Four low = four(cells), high = four(cells + 4);
    const Four e = __builtin_shufflevector(low, high, 0, 2, 4, 6),
               o = __builtin_shufflevector(low, high, 1, 3, 5, 7);
    std::memcpy(even, &e, sizeof e);
    std::memcpy(odd, &o, sizeof o);
  } else {
    for (int t = 0; t < 4; ++t) {
      even[t] = cells[2 * t];
      odd[t] = cells[2 * t + 1];
    }
  }
}

// The pairs of C and D: cell(rb, nb) is the first of eight rows of eight columns.
template <class Code>
void gather_pairs(const Warp& w, Place list, int m, int n, Code* out) {
  for (int nb = 0; nb < n / 8; ++nb)
    for (int rb = 0; rb < m / 8; ++rb) {
      const int pair = 2 * (nb * (m / 8) + rb);
      const Code* even = list_source<Code>(w, list, pair);
      const Code* odd = list_source<Code>(w, list, pair + 1);
      for (int g = 0; g < 8; ++g) interleave(even + g * 4, odd + g * 4, &out[(rb * 8 + g) * n + nb * 8]);
    }
}

template <class Code>
void scatter_pairs(Warp& w, Place list, int m, int n, const Code* d) {
  for (int nb = 0; nb < n / 8; ++nb)
    for (int rb = 0; rb < m / 8; ++rb) {
      const int pair = 2 * (nb * (m / 8) + rb);
      Code* even = list_row<Code>(w, list, pair);
      Code* odd = list_row<Code>(w, list, pair + 1);
      for (int g = 0; g < 8; ++g) part(&d[(rb * 8 + g) * n + nb * 8], even + g * 4, odd + g * 4);
    }
}

}  // namespace

using Half [[gnu::may_alias]] = uint16_t;

void gather_a(const Warp& w, Place list, const OperandShape2D& s, uint32_t* out) {
  if (s.element_bits == 32) return gather_a_words(w, list, s, out);
  uint32_t words[kMaxElements / 2];
  gather_a_words(w, list, s, words);
  const int count = s.outer * s.depth;
  if (s.element_bits == 16) {  // two a word, the lower half first
    const auto* halves = reinterpret_cast<const Half*>(words);
    for (int i = 0; i < count; ++i) out[i] = halves[i];
    return;
  }
  const auto* bytes = reinterpret_cast<const uint8_t*>(words);
  if (s.element_bits == 8) {
    for (int i = 0; i < count; ++i) out[i] = bytes[i];
    return;
  }
  for (int i = 0; i < count; i += 2) {
    out[i] = bytes[i / 2] & 15u;
    out[i + 1] = static_cast<uint32_t>(bytes[i / 2] >> 4);
  }
}

namespace {

// Words [kw][column] to elements [kw * p + i][column].
template <int kBits>
void split_columns(const uint32_t* words, int rows, int columns, uint32_t* out) {
  constexpr int kPacked = 32 / kBits;
  constexpr uint32_t kMask = (1u << kBits) - 1;
  for (int kw = 0; kw < rows; ++kw)
    for (int block = 0; block < columns; block += 8) {
      const uint32_t* from = words + kw * columns + block;
      for (int i = 0; i < kPacked; ++i) {
        uint32_t* to = out + (kw * kPacked + i) * columns + block;
        for (int n = 0; n < 8; ++n) to[n] = from[n] >> (i * kBits) & kMask;
      }
    }
}

}  // namespace

void gather_b(const Warp& w, Place list, const OperandShape2D& s, uint32_t* out) {
  if (s.element_bits == 32) return gather_b_words(w, list, s, out);
  uint32_t words[kMaxElements / 2];
  gather_b_words(w, list, s, words);
  if (s.element_bits == 16) return split_columns<16>(words, s.words(), s.outer, out);
  if (s.element_bits == 8) return split_columns<8>(words, s.words(), s.outer, out);
  split_columns<4>(words, s.words(), s.outer, out);
}

void gather_c(const Warp& w, Place list, int m, int n, int element_bits, uint32_t* out) {
  if (element_bits == 32) return gather_pairs(w, list, m, n, out);
  for (int nb = 0; nb < n / 8; ++nb)
    for (int rb = 0; rb < m / 8; ++rb) {
      const auto* from = list_source<uint32_t>(w, list, nb * (m / 8) + rb);
      for (int g = 0; g < 8; ++g)
        for (int t = 0; t < 4; ++t) {
          uint32_t* cell = &out[(rb * 8 + g) * n + nb * 8 + 2 * t];
          cell[0] = from[g * 4 + t] & 0xffffu;
          cell[1] = from[g * 4 + t] >> 16;
        }
    }
}

void gather_c(const Warp& w, Place list, int m, int n, uint64_t* out) { gather_pairs(w, list, m, n, out); }

void scatter_d(Warp& w, Place list, int m, int n, int element_bits, const uint32_t* d) {
  if (element_bits == 32) return scatter_pairs(w, list, m, n, d);
  for (int nb = 0; nb < n / 8; ++nb)
    for (int rb = 0; rb < m / 8; ++rb) {
      auto* to = list_row<uint32_t>(w, list, nb * (m / 8) + rb);
      for (int g = 0; g < 8; ++g)
        for (int t = 0; t < 4; ++t) {
          const uint32_t* cell = &d[(rb * 8 + g) * n + nb * 8 + 2 * t];
          to[g * 4 + t] = (cell[0] & 0xffffu) | cell[1] << 16;
        }
    }
}

void scatter_d(Warp& w, Place list, int m, int n, const uint64_t* d) { scatter_pairs(w, list, m, n, d); }

}  // namespace gpuloom::ptx
