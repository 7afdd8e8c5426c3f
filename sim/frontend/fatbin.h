// SPDX-License-Identifier: Apache-2.0
// Fatbins: what nvcc puts kernels into, PTX and machine code for several targets, one container a
// translation unit. The layout is not documented; these are the fields that every file of nvcc 11 to 13
// had where we looked, and readers of other projects (ZLUDA, cuobjdump's output) agree.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpuloom::frontend {

struct FatbinImage {
  bool ptx = false;    // else machine code or another intermediate form
  unsigned arch = 0;   // 90
  std::string suffix;  // "a" or "f" of sm_90a, sm_100f
  std::string text;    // of PTX, unpacked; of machine code, a cubin
  std::string target() const { return "sm_" + std::to_string(arch) + suffix; }
};

// Images of one container, in the file's order.
using Fatbin = std::vector<FatbinImage>;

bool is_fatbin(std::string_view data);

// Bytes of the container in memory that begins at `data`, header included; 0 where none does.
size_t fatbin_bytes(const char* data);

// Whether PTX is unpacked: who only asks what there is need not wait for that. kCode unpacks machine code
// too.
enum class Texts : uint8_t { kUnpacked, kLeftOut, kCode };

// Every container that stands in `data`, one after the other with padding between them. Throws Error
// (kInput) with `name` where one is cut off or packed in a way that is not known.
std::vector<Fatbin> read_fatbins(std::string_view data, const std::string& name,
                                 Texts texts = Texts::kUnpacked);

// A raw LZ4 block (LZ4 block format 1.6), and a zstd frame; `size` is what comes out. Throw Error (kInput).
std::string unpack_lz4(std::string_view packed, size_t size, const std::string& name);
std::string unpack_zstd(std::string_view packed, size_t size, const std::string& name);

}  // namespace gpuloom::frontend
