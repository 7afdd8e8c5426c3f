// SPDX-License-Identifier: Apache-2.0
// What a memory instruction did: filled by its lane function, read by the timing model (coalescer, bank rule)
// and the analyses.
#pragma once
#include <cstdint>
#include <memory>

#include "ptx/ir/program.h"

namespace gpuloom::ptx {

enum class AccessOp : uint8_t {
  kNone,
  kLoad,
  kStore,
  kAtomic,
  kReduce,
  kAsyncCopy,
  kMatrixLoad,
  kMatrixStore,
  kPrefetch
};

// Cache operators and eviction hints (PTX ISA 9.7.9.1, 9.7.9.2); kept apart from the op so that policies can
// use them.
enum class CacheOp : uint8_t { kDefault, kCa, kCg, kCs, kLu, kCv, kWb, kWt, kNonCoherent };

enum class Ordering : uint8_t { kWeak, kVolatile, kRelaxed, kAcquire, kRelease, kAcqRel, kMmio };
enum class Scope : uint8_t { kNone, kCta, kCluster, kGpu, kSys };
// Eviction priorities of L1 and L2 (PTX ISA 9.7.9.2); kPolicy: as MemoryAccess::policy says (createpolicy).
enum class Eviction : uint8_t { kNormal, kUnchanged, kFirst, kLast, kNoAllocate, kPolicy };

// One atomic operation on one location. Applied at issue, or by the memory partition in merge order
// (README.md, "Time"). `old` receives the previous value; `size` in bytes is the instruction's width.
// Pointers are to host memory of the location.
using AtomicFn = void (*)(void* location, const void* operand_b, const void* operand_c, void* old);

struct MemoryAccess {
  AccessOp op = AccessOp::kNone;
  Space space =
      Space::kGlobal;         // resolved: a generic access names the space that its first lane hit; see mixed
  bool mixed_spaces = false;  // a generic access whose lanes hit different spaces; space_of tells each
  bool uniform_address = false;
  bool sums = false;       // of an atomic: it adds floating-point numbers
  uint8_t lane_bytes = 0;  // bytes a lane moves: 1 2 4 8 16 (32)
  CacheOp cache = CacheOp::kDefault;
  Ordering ordering = Ordering::kWeak;
  Scope scope = Scope::kNone;
  Eviction l1_eviction = Eviction::kNormal, l2_eviction = Eviction::kNormal;
  uint16_t l2_prefetch = 0;  // .level::prefetch_size: 0, 64, 128, 256 bytes
  uint64_t policy = 0;       // where l2_eviction is kPolicy: see exec/cache_policy.h
  uint32_t lanes = 0;        // lanes that take part
  uint64_t address[32];  // global: device address; shared: offset in the CTA's window (shared::cluster: rank
                         // + 1 in the bits from kSharedRankShift on); local: byte offset in the lane's
                         // memory; const and param: offset from the window
  Space space_of[32];    // valid only where mixed_spaces
  // kAsyncCopy: source address[] is global; destination offsets in shared memory.
  uint32_t shared_offset[32];
  uint8_t source_bytes[32];  // kAsyncCopy: bytes read (the rest is zero-filled)
  // kMatrixLoad/kMatrixStore: address[] holds the row addresses, rows is 8, 16 or 32.
  uint8_t rows = 0;
  // wmma.load and wmma.store are several machine instructions of lane_bytes a lane each: piece k is at
  // address[lane] + piece_offset[k]. 1 for everything else; piece_offset is valid only where it is more.
  uint8_t pieces = 1;
  int64_t piece_offset[16];
};

// An atomic that takes effect at the memory partition: operands captured at issue.
struct DeferredAtomic {
  AtomicFn fn = nullptr;
  uint8_t size = 0;  // bytes of the location
  bool has_result = false;
  Place result;  // register row that receives the old value; an index into Program::extra where vec > 1
  uint32_t frame_regs = 0;  // Frame::regs of the activation that `result` belongs to
  uint8_t vec = 1;
  uint8_t result_bytes = 0;  // width of a lane in the result row
  bool sign_extend = false;
  uint32_t lanes = 0;
  uint64_t address[32];
  uint8_t element_bytes = 0;  // of the results of a vector: vec elements make up `size`
  alignas(16) uint8_t operand_b[32][32];
  alignas(16) uint8_t operand_c[32][32];
};

class GlobalMemory;
struct TensorTransfer;  // exec/tensor_map.h
// Carries out what was captured, lane by lane, and writes the result rows of `reader`. Without one nobody
// reads a result, and the warp may have ended.
void apply_deferred(Warp* reader, DeferredAtomic& atomic, const GlobalMemory& memory);

// An asynchronous operation captured at issue (Warp::async), carried out by complete_async when the engine
// says that it is done. One entry is one copy: bulk operations append one a lane, cp.async one a lane too.
enum class AsyncKind : uint8_t {
  kCopy,            // cp.async: global to shared, `bytes` written, source_bytes read
  kArriveOnCopies,  // cp.async.mbarrier.arrive: when all earlier cp.async of the lane are done
  kBulkCopy,        // cp.async.bulk, any direction; cp.async.bulk.tensor
  kBulkReduce,      // cp.reduce.async.bulk
  kBulkPrefetch,    // cp.async.bulk.prefetch: no effect on data
  kStore,           // st.async
  kReduce,          // red.async
};

struct AsyncOperation {
  AsyncKind kind = AsyncKind::kCopy;
  uint8_t lane = 0;
  uint32_t instruction = 0;  // index in Program::code
  bool bulk_group = false;   // belongs to the lane's current bulk async-group
  bool noinc = false;        // kArriveOnCopies: does not add to the pending count
  Space source_space = Space::kGlobal, target_space = Space::kShared;
  uint64_t source = 0, target = 0;  // addresses as MemoryAccess gives them; rank + 1 in shared::cluster ones
  uint64_t mbarrier = 0;            // shared::cluster address of the mbarrier that counts the bytes
  bool has_mbarrier = false;
  uint16_t multicast = 0;                // ranks that receive the copy at the same offsets; 0: no multicast
  uint32_t bytes = 0, source_bytes = 0;  // the rest of `bytes` is zero-filled
  uint16_t byte_mask = 0xffff;           // .cp_mask: which bytes of each 16 are written
  AtomicFn fn = nullptr;                 // reductions: for one element
  uint8_t element_bytes = 0;
  alignas(16) uint8_t value[16] = {};  // st.async and red.async
  uint64_t policy = 0;
  bool has_policy = false;
  // Tensor copies: the bytes in global memory, which source or target (the tensor's address) only name.
  // Shared by the copies of an operation that engines make.
  std::shared_ptr<const TensorTransfer> tensor;
};
// Moves the bytes and counts them at the mbarrier. `w` is the warp that issued it.
void complete_async(Warp& w, const AsyncOperation& operation);

}  // namespace gpuloom::ptx
