// SPDX-License-Identifier: Apache-2.0
#include "ptx/exec/matrix/tile_access.h"

#include <algorithm>
#include <cstring>

#include "ptx/exec/fault.h"
#include "ptx/exec/lane_loop.h"
#include "ptx/exec/matrix/fragment_io.h"
#include "ptx/exec/memory_path.h"

namespace gpuloom::ptx {
namespace {

// Element offsets to byte offsets; elements may be smaller than a byte.
struct Layout {
  int64_t outer_step, depth_step;
  int element_bits;
  int64_t at(int64_t outer, int64_t depth) const {
    return (outer * outer_step + depth * depth_step) * element_bits / 8;
  }
};

void add_piece(TileAccess& access, int64_t offset, int reg, int byte = 0) {
  if (access.pieces >= kMaxPieces) throw Error(ErrorKind::kInternal, "a fragment of more than 16 pieces");
  access.piece_offset[access.pieces] = offset;
  access.piece_register[access.pieces] = static_cast<uint8_t>(reg);
  access.piece_byte[access.pieces++] = static_cast<uint8_t>(byte);
}

template <class F>
void fill_lanes(TileAccess& access, F offset_of) {
  for (int l = 0; l < 32; ++l) access.lane_offset[l] = offset_of(l / 4, l % 4);
}

TileAccess operand_access(const Tile& tile, const Layout& at) {
  const OperandShape2D& s = tile.shape;
  const int p = packed_elements(s.element_bits), blocks = s.outer / 8, words = s.word_blocks();
  TileAccess access;
  access.transposed = !tile.along_depth && s.element_bits == 16;
  const bool by_byte = !tile.along_depth && s.element_bits == 8;
  access.bytes = by_byte ? 1 : s.element_bits == 64 ? 8 : 4;
  if (access.transposed)
    fill_lanes(access, [&](int g, int t) { return at.at(2 * t, g); });
  else
    fill_lanes(access, [&](int g, int t) { return at.at(g, t * p); });
  access.register_bytes = s.element_bits == 64 ? 8 : 4;
  access.registers = s.registers();
  for (int r = 0; r < s.registers(); ++r) {
    const int block = tile.row_blocks ? r % blocks : r / words,
              word = tile.row_blocks ? r / blocks : r % words;
    for (int i = 0; i < (by_byte ? 4 : 1); ++i) add_piece(access, at.at(block * 8, word * 4 * p + i), r, i);
  }
  return access;
}

TileAccess accumulator_access(const Tile& tile, const Layout& at) {
  const OperandShape2D& s = tile.shape;
  const int row_blocks = s.outer / 8, size = s.element_bits / 8;
  TileAccess access;
  access.transposed = !tile.along_depth && size == 2;
  access.bytes = tile.along_depth || access.transposed ? 2 * size : size;
  if (access.transposed)
    fill_lanes(access, [&](int g, int t) { return at.at(2 * t, g); });
  else
    fill_lanes(access, [&](int g, int t) { return at.at(g, 2 * t); });
  const int registers = size == 2 ? 1 : 2;  // of a pair
  access.register_bytes = size == 8 ? 8 : 4;
  access.registers = s.outer * s.depth / 64 * registers;
  for (int pair = 0; pair < row_blocks * (s.depth / 8); ++pair) {
    const int64_t block = at.at(pair % row_blocks * 8, pair / row_blocks * 8);
    add_piece(access, block, pair * registers);
    if (access.bytes == size) add_piece(access, block + at.at(0, 1), pair * registers + 1);
  }
  return access;
}

// Host addresses of one piece, by lane. Fills access.address the first time.
struct Pieces {
  Warp& w;
  const Instr& in;
  const TileAccess& tile;
  AccessOp op;
  uint32_t lanes;
  uintptr_t array = 0;  // find_array

  void begin(Place base) {
    MemoryAccess& access = w.access;
    const MemoryFlags flags = MemoryFlags::unpack(in.target);
    lane_addresses(w, in, base, lanes, 1);
    access.op = op;
    access.space = in.space;
    access.mixed_spaces = false;
    access.uniform_address = false;
    access.lane_bytes = static_cast<uint8_t>(tile.bytes);
    access.cache = flags.cache;
    access.ordering = flags.ordering;
    access.scope = flags.scope;
    access.l1_eviction = flags.l1_eviction;
    access.l2_eviction = flags.l2_eviction;
    access.l2_prefetch = flags.l2_prefetch;
    access.lanes = lanes;
    access.pieces = static_cast<uint8_t>(tile.pieces);
    if (in.space == Space::kGeneric) {
      // All lanes name the same matrix (PTX ISA 9.7.14.4.3): one space for all.
      uint64_t probe = access.address[0];
      access.space = space_of_generic(probe);
      const uint64_t window = access.address[0] - probe;
      for (uint64_t& address : access.address) address -= window;
    }
    for (int l = 0; l < 32; ++l) access.address[l] += static_cast<uint64_t>(tile.lane_offset[l]);
    for (int k = 0; k < tile.pieces; ++k) access.piece_offset[k] = tile.piece_offset[k];
    find_array();
  }

  // Where all lanes' pieces lie in one array of the host, aligned, they need no look each.
  void find_array() {
    uint64_t low = UINT64_MAX, high = 0, bits = 0;
    for (const uint64_t address : w.access.address) {
      low = std::min(low, address);
      high = std::max(high, address);
      bits |= address;
    }
    int64_t least = 0, most = 0;
    for (int k = 0; k < tile.pieces; ++k) {
      least = std::min(least, tile.piece_offset[k]);
      most = std::max(most, tile.piece_offset[k]);
      bits |= static_cast<uint64_t>(tile.piece_offset[k]);
    }
    const auto size = static_cast<uint64_t>(tile.bytes);
    const uint64_t begin = low + static_cast<uint64_t>(least),
                   end = high + static_cast<uint64_t>(most) + size;
    if ((bits & (size - 1)) != 0 || begin > low || end < high) return;
    const Space space = w.access.space;
    if (space == Space::kGlobal && begin >= w.global_low && end <= w.global_high) array = w.global_base;
    if (space == Space::kShared && end <= w.shared_bytes) array = reinterpret_cast<uintptr_t>(w.shared);
  }

  uint8_t* host(unsigned lane, int piece) const {
    const uint64_t address = w.access.address[lane] + static_cast<uint64_t>(tile.piece_offset[piece]);
    if (array != 0) return reinterpret_cast<uint8_t*>(array + address);
    const auto size = static_cast<uint64_t>(tile.bytes);
    if ((address & (size - 1)) != 0)
      fault_address(w, in, lane, FaultKind::kMisaligned, op == AccessOp::kLoad ? "reads" : "writes",
                    w.access.space, address, size);
    if (w.access.space == Space::kGlobal && address >= w.global_low && address + size <= w.global_high)
      return reinterpret_cast<uint8_t*>(w.global_base + address);
    return host_of(w, in, lane, w.access.space, address, size, op);
  }
};

}  // namespace

TileAccess tile_access(const Tile& tile, int64_t stride) {
  const Layout at{tile.along_depth ? stride : 1, tile.along_depth ? 1 : stride, tile.shape.element_bits};
  return tile.accumulator ? accumulator_access(tile, at) : operand_access(tile, at);
}

void transpose_8x8(const uint32_t from[32], uint32_t to[32]) {
  using Row = uint16_t __attribute__((vector_size(16)));
  Row rows[8], next[8];
  std::memcpy(rows, from, sizeof rows);
  // Three times rows i and i + 4 are interleaved into rows 2i and 2i + 1.
  for (int step = 0; step < 3; ++step) {
    for (int i = 0; i < 4; ++i) {
      next[2 * i] = __builtin_shufflevector(rows[i], rows[i + 4], 0, 8, 1, 9, 2, 10, 3, 11);
      next[2 * i + 1] = __builtin_shufflevector(rows[i], rows[i + 4], 4, 12, 5, 13, 6, 14, 7, 15);
    }
    std::memcpy(rows, next, sizeof rows);
  }
  std::memcpy(to, rows, sizeof rows);
}

namespace {

// A fragment out of its registers: by register, then lane.
struct Fragment {
  alignas(64) uint8_t bytes[kMaxPieces * 32 * 8];
  int register_bytes;
  explicit Fragment(const TileAccess& tile) : register_bytes(tile.register_bytes) {}
  uint8_t* at(int reg, unsigned lane = 0) {
    return &bytes[(reg * 32 + static_cast<int>(lane)) * register_bytes];
  }

  void transpose(int registers) {
    for (int r = 0; r < registers; ++r) {
      auto* words = reinterpret_cast<uint32_t*>(at(r));
      transpose_8x8(words, words);
    }
  }
};

// A part has 1, 2, 4 or 8 bytes, for which a call of the library takes longer than the copy.
inline void copy_part(uint8_t* to, const uint8_t* from, int bytes) {
  switch (bytes) {
    case 1:
      *to = *from;
      return;
    case 4:
      std::memcpy(to, from, 4);
      return;
    case 8:
      std::memcpy(to, from, 8);
      return;
    default:
      std::memcpy(to, from, static_cast<size_t>(bytes));
  }
}

// Calls f(lane, piece, bytes that go to one register) for all pieces.
template <class F>
void for_parts(const TileAccess& tile, uint32_t lanes, F f) {
  const int bytes = tile.bytes < tile.register_bytes ? tile.bytes : tile.register_bytes;
  for (int piece = 0; piece < tile.pieces; ++piece)
    for_lanes(lanes, [&](unsigned lane) { f(lane, piece, bytes); });
}

// A part of each of four lanes beside each other, which lie in one row of the matrix.
template <int kRegisters>
void load_four(const uint8_t* from, uint32_t* first, uint32_t* second) {
  uint32_t words[4 * kRegisters];
  std::memcpy(words, from, sizeof words);
  for (int t = 0; t < 4; ++t) first[t] = words[kRegisters * t];
  if constexpr (kRegisters == 2)
    for (int t = 0; t < 4; ++t) second[t] = words[2 * t + 1];
}

// A piece of all lanes out of one array of the host: a word of each, or two words for two registers.
template <int kRegisters>
void load_piece(const uint8_t* array, const uint64_t* addresses, bool fours, uint32_t* first,
                uint32_t* second) {
  if (fours) {
    for (int l = 0; l < 32; l += 4) load_four<kRegisters>(array + addresses[l], first + l, second + l);
    return;
  }
  for (int l = 0; l < 32; ++l) {
    uint32_t words[kRegisters];
    std::memcpy(words, array + addresses[l], sizeof words);
    first[l] = words[0];
    if constexpr (kRegisters == 2) second[l] = words[1];
  }
}

// A fragment of words whose parts all lie in one array: nothing can go wrong there, so they go to the
// registers at once. False: it is not one.
bool load_words(Warp& w, Pieces& pieces, const TileAccess& tile, Place list, int registers) {
  const bool two = tile.bytes == 8;
  if (pieces.lanes != kAllLanes || tile.register_bytes != 4 || (tile.bytes != 4 && !two)) return false;
  if (pieces.array == 0 && w.access.space == Space::kGlobal) {
    pieces.host(0, 0);  // after it the warp knows the allocation
    pieces.find_array();
  }
  if (pieces.array == 0) return false;
  const uint64_t* addresses = w.access.address;
  bool fours = true;
  for (unsigned l = 0; l < 32; ++l)
    fours &= addresses[l] == addresses[l & ~3u] + (l & 3u) * static_cast<uint64_t>(tile.bytes);
  for (int piece = 0; piece < tile.pieces; ++piece) {
    const auto* array =
        reinterpret_cast<const uint8_t*>(pieces.array + static_cast<uint64_t>(tile.piece_offset[piece]));
    const int reg = tile.piece_register[piece];
    auto* first = list_row<uint32_t>(w, list, reg);
    if (two)
      load_piece<2>(array, addresses, fours, first, list_row<uint32_t>(w, list, reg + 1));
    else
      load_piece<1>(array, addresses, fours, first, first);
  }
  for (int r = 0; tile.transposed && r < tile.registers; ++r) {
    auto* words = list_row<uint32_t>(w, list, r);
    transpose_8x8(words, words);
  }
  for (int r = tile.registers; r < registers; ++r)
    std::memcpy(list_row<uint32_t>(w, list, r), list_source<uint32_t>(w, list, r % tile.registers), 128);
  return true;
}

}  // namespace

void load_tile(Warp& w, const Instr& in, uint32_t lanes, Place base, const TileAccess& tile, Place list,
               int registers) {
  Pieces pieces{w, in, tile, AccessOp::kLoad, lanes};
  pieces.begin(base);
  if (load_words(w, pieces, tile, list, registers)) return;
  Fragment fragment(tile);
  for_parts(tile, lanes, [&](unsigned lane, int piece, int bytes) {
    const uint8_t* from = pieces.host(lane, piece);
    const int reg = tile.piece_register[piece];
    copy_part(fragment.at(reg, lane) + tile.piece_byte[piece], from, bytes);
    if (tile.bytes > bytes) copy_part(fragment.at(reg + 1, lane), from + bytes, bytes);
  });
  if (tile.transposed) fragment.transpose(tile.registers);
  const auto size = static_cast<size_t>(tile.register_bytes) * 32;
  for (int r = 0; r < registers; ++r)
    std::memcpy(list_row<uint8_t>(w, list, r), fragment.at(r % tile.registers), size);
}

void store_tile(Warp& w, const Instr& in, uint32_t lanes, Place base, const TileAccess& tile, Place list) {
  Pieces pieces{w, in, tile, AccessOp::kStore, lanes};
  pieces.begin(base);
  Fragment fragment(tile);
  const auto size = static_cast<size_t>(tile.register_bytes) * 32;
  for (int r = 0; r < tile.registers; ++r)
    std::memcpy(fragment.at(r), list_source<uint8_t>(w, list, r), size);
  if (tile.transposed) fragment.transpose(tile.registers);
  for_parts(tile, lanes, [&](unsigned lane, int piece, int bytes) {
    uint8_t* to = pieces.host(lane, piece);
    const int reg = tile.piece_register[piece];
    copy_part(to, fragment.at(reg, lane) + tile.piece_byte[piece], bytes);
    if (tile.bytes > bytes) copy_part(to + bytes, fragment.at(reg + 1, lane), bytes);
  });
}

}  // namespace gpuloom::ptx
