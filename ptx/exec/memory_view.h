// SPDX-License-Identifier: Apache-2.0
// How running instructions see device memory, without knowing who owns it.
#pragma once
#include <cstdint>
#include <string>

namespace gpuloom::ptx {

// Address windows of the generic address space. Our choice: NVIDIA does not document its own (PTX ISA 5.1
// only says that they exist). Global memory lies above 4 GiB * 1024; shared and local windows below, so that
// one compare tells them apart.
constexpr uint64_t kSharedWindowBase = 0x0000'0100'0000'0000;  // + shared address
constexpr uint64_t kSharedWindowSize = 0x0000'0000'4000'0000;  // 63 ranks of 16 MiB
// Shared addresses, 32 bits suffice: offset + (cluster rank + 1) << 24 as `mapa` gives them; 0 in those bits
// is the executing block, so that a symbol's address means its own block in .shared::cta and .shared::cluster
// alike.
constexpr unsigned kSharedRankShift = 24;
constexpr uint64_t kLocalWindowBase = 0x0000'0110'0000'0000;
constexpr uint64_t kLocalWindowSize = 0x0000'0000'1000'0000;
constexpr uint64_t kParamWindowBase =
    0x0000'0120'0000'0000;  // generic addresses of kernel parameters (cvta.param)
constexpr uint64_t kParamWindowSize = 0x0000'0000'0001'0000;
constexpr uint64_t kConstWindowBase = 0x0000'0130'0000'0000;  // + offset into the bank of .const variables
constexpr uint64_t kConstWindowSize = 0x0000'0000'0100'0000;
constexpr uint64_t kFunctionBase =
    0x0000'0140'0000'0000;  // addresses of device functions: base + 16 * index into Module::functions
#ifdef GPULOOM_GLOBAL_BASE  // the thread sanitizer's build
constexpr uint64_t kGlobalBase = GPULOOM_GLOBAL_BASE;
#else
constexpr uint64_t kGlobalBase = 0x0000'7000'0000'0000;  // first address of global memory
#endif

// A fault that an access runs into; the engine adds kernel, line, block and thread.
enum class FaultKind : uint8_t {
  kOutOfBounds,
  kMisaligned,
  kWrongSpace,
  kReadOnly,
  kFreed,
  kStack,
  kTrap,
  kAssert,
  kBarrier,  // wrong participation in a barrier, or a bad mbarrier
  kIllegal,  // an operand value that the manual forbids
  kDeadlock,
  kLimit,  // instruction or cycle limit
};

// Global memory as one host reservation: host address = base + (device address - kGlobalBase), valid for
// addresses that check() accepts. The fast path compares against the allocation hit last; the slow path is a
// search.
class GlobalMemory {
 public:
  virtual ~GlobalMemory() = default;
  // Finds the allocation that holds [address, address + bytes) and remembers it in [low, high). False: no
  // such allocation.
  virtual bool locate(uint64_t address, uint64_t bytes, uint64_t& low, uint64_t& high) const = 0;
  // For messages about an access that locate() refused: kFreed or kOutOfBounds, and where it points in words
  // ("8 bytes past the end of 'c' (4096 bytes at 0x700000000000)"); "" if nothing is known.
  virtual FaultKind fault_kind(uint64_t) const { return FaultKind::kOutOfBounds; }
  virtual std::string describe(uint64_t, uint64_t) const { return {}; }
  uint8_t* host(uint64_t address) const { return base_ + (address - kGlobalBase); }

 protected:
  uint8_t* base_ = nullptr;
};

}  // namespace gpuloom::ptx
