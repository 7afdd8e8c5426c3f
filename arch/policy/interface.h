// SPDX-License-Identifier: Apache-2.0
// What a policy is to the simulator: a class of one of the kinds below, in one file,
// arch/policy/<kind>/<name>.cpp or a shared object that a configuration names (arch/policy/README.md). This
// header is all that a policy needs and all that it may rely on. It includes no other; only plain values and
// the classes below cross the border, so that a shared object does not hang on how the simulator was built.
// kVersion changes with anything that a compiled policy would notice.
//
// A policy is made by its constructor (Parameters&, const Host&): once when a configuration is read, to see
// that its parameters are right, and again for each unit that has one. It must give the same answers to the
// same calls: no clock, no address, no random device. Calls come from one thread at a time, in the order of
// simulated time of that unit.
#pragma once
#include <cstdint>

namespace gpuloom::policy {

inline constexpr uint32_t kVersion = 3;

using Cycle = uint64_t;  // of the SMs' clock
inline constexpr Cycle kNever = UINT64_MAX;
inline constexpr uint32_t kNone = UINT32_MAX;  // no slot, no line, no warp known
inline constexpr uint16_t kNoWarp = UINT16_MAX;

// The policy's own group in the configuration, named as the policy is. A key that is not there or out of
// range is an error of the configuration, and so is one that no policy asks for.
class Parameters {
 public:
  virtual double number(const char* key, double min, double max) = 0;
  virtual uint64_t count(const char* key, uint64_t min, uint64_t max) = 0;  // a whole number

 protected:
  ~Parameters() = default;
};

// ------------------------------------------------------------------------------------------------- scheduler
// Which of a sub-core's warps that can issue does: sm.scheduler.

// What a warp does to memory with an instruction.
enum class Use : uint8_t { kNoMemory, kGlobalLoad, kGlobalStore, kGlobalAtomic, kLocal, kShared, kOther };

struct Instruction {
  uint32_t pc = kNone;  // place of its PTX instruction in the program, as in per-instruction results
  Use use = Use::kNoMemory;
};

// Why a warp waits, as Nsight Compute names it; values of arch/stall_reason.h by name.
struct Wait {
  uint32_t slot = 0, pc = kNone;
  const char* reason = "";  // "long_scoreboard"
  Cycle begin = 0, end = 0;
};

struct Issue {
  uint32_t slot = 0;
  Instruction instruction;
  Cycle cycle = 0;
};

// A look into the L1 for a warp of this sub-core: one line of an access.
struct L1Access {
  uint32_t slot = 0, pc = kNone;
  uint64_t line = 0;                          // address of the 128-byte line
  uint8_t sectors = 0, hit = 0, pending = 0;  // masks: asked for, found, on their way
  bool store = false;
  Cycle cycle = 0;
};

// What a scheduler may ask of its sub-core.
class SubCoreView {
 public:
  virtual Instruction instruction(unsigned slot) const = 0;  // that a warp which can issue would

 protected:
  ~SubCoreView() = default;
};

struct SchedulerHost {
  uint32_t sm = 0, sub_core = 0;
  uint32_t slots = 32;
  const SubCoreView* view = nullptr;  // null while a configuration is read
};

// Events that a scheduler asks for: nothing else is told to it, since telling takes time.
inline constexpr uint32_t kIssues = 1, kWaits = 2, kL1Accesses = 4, kL1Evictions = 8;

class Scheduler {
 public:
  using Host = SchedulerHost;
  virtual ~Scheduler() = default;
  // A warp of a block (its number in the grid) was put into, or left, a slot of the sub-core. Later launches
  // are younger.
  virtual void launched(unsigned slot, uint64_t block) = 0;
  virtual void retired(unsigned slot) = 0;
  // The operation that the slot has issued asks for other warps to go first.
  virtual void yielded(unsigned) {}
  // Picks a slot of `candidates` (not 0, a bit a slot), which issues in this cycle, or kNone: then none does,
  // and the next cycle asks again. Cycles grow from call to call. One that declines for ever never ends:
  // --max-cycles does.
  virtual unsigned pick(uint32_t candidates, Cycle now) = 0;

  virtual uint32_t events() const { return 0; }  // kIssues | ...
  virtual void issued(const Issue&) {}
  virtual void waited(const Wait&) {}        // a wait that has ended
  virtual void accessed(const L1Access&) {}  // by a warp of this sub-core
  virtual void evicted(uint64_t, Cycle) {}   // a line has left the SM's L1, whichever warp has brought it
};

// ---------------------------------------------------------------------------------------------- replacement
// Which line of a set goes for a new one: sm.l1.replacement, l2.replacement.

enum class AccessKind : uint8_t { kRead, kWrite, kAtomic, kPrefetch };

struct CacheAccess {
  uint64_t line = 0;  // address of the 128-byte line
  Cycle cycle = 0;
  uint32_t pc = kNone;
  uint16_t sm = 0, warp = kNoWarp;  // warp: its number in the SM
  AccessKind kind = AccessKind::kRead;
  uint8_t sectors = 0;  // mask
};

struct CacheHost {
  const char* cache = "";                 // "l1", "l2"
  uint32_t unit = 0, sets = 1, ways = 1;  // unit: SM or slice
};

// Each set keeps its lines in an order, from the oldest to the newest.
enum class Place : uint8_t { kNewest, kOldest, kStays };

// The lines of a set that may go, the oldest first. Lines with data on the way may not; of L2's, only those
// of the eviction class that goes first.
class Lines {
 public:
  struct Line {
    uint32_t index = kNone;
    uint32_t* state = nullptr;
    bool dirty = false;  // holds what the memory below has not got; false in L1, which writes through
  };
  virtual bool next(Line& line) = 0;  // false: there is no other

 protected:
  ~Lines() = default;
};

class Replacement {
 public:
  using Host = CacheHost;
  virtual ~Replacement() = default;
  // A line that is here was asked for, or has just been put here, and takes this place in the order. `state`
  // is a word of the line's for the policy, 0 when the line comes.
  virtual Place hit(uint32_t& state, const CacheAccess& access) = 0;
  virtual Place inserted(uint32_t& state, const CacheAccess& access) = 0;
  // The index of one of the lines; kNone where there is none.
  virtual uint32_t victim(Lines& lines, const CacheAccess& access) = 0;
};

// -------------------------------------------------------------------------------------------------- l2_hash
// Which slice and which set an address has, and where slices stand, as it numbers them: l2.hash.

struct L2Host {
  uint32_t slices = 1, partitions = 1, sets = 1;
  uint32_t partition_bytes = 128, slice_bytes = 128;  // l2.partition_interleave, l2.slice_interleave
};

struct L2Place {
  uint32_t partition = 0, index = 0;  // index: of the slice in its partition
};

// Of `count` places that stand evenly along a line of length 1, the middle of the one at `index`.
inline double middle_of_place(uint32_t index, uint32_t count) { return (index + 0.5) / count; }

class AddressHash {
 public:
  using Host = L2Host;
  virtual ~AddressHash() = default;
  virtual L2Place place(uint64_t line) const = 0;
  virtual uint32_t set(uint64_t line) const = 0;  // of the slice
  // Where the slice of that index stands along its partition's line, from 0 to 1 (noc.distance_span).
  virtual double along(uint32_t index) const = 0;
};

// ----------------------------------------------------------------------------------------------------- page
// When a bank of device memory closes its row: dram.page_policy.

struct DramHost {
  uint32_t channel = 0, banks = 1;
  double cycles_per_ns = 1;
};

struct RowAccess {
  uint32_t bank = 0;
  uint64_t row = 0;
  Cycle cycle = 0;  // of the column command
  bool hit = false, write = false;
};

class PagePolicy {
 public:
  using Host = DramHost;
  virtual ~PagePolicy() = default;
  // Until when the row stays open if nothing else is asked of the bank: kNever for as long as possible,
  // access.cycle for not at all.
  virtual Cycle open_until(const RowAccess& access) = 0;
};

// ---------------------------------------------------------------------------------------------- block_order
// Which SM gets which block next: gpc.order. Blocks of clusters go where their cluster has room, in the order
// of their number, whatever the policy.

struct SmPlace {
  uint32_t sm = 0, gpc = 0;
  uint32_t tpc = 0, in_tpc = 0;  // of the TPC in its group of TPCs, and of the SM in the TPC
  bool lone_tpc = false;         // the TPC is a group of its own
  uint32_t blocks = 0;           // on the SM now
};

struct GridShape {
  uint32_t x = 1, y = 1, z = 1;
};

struct BlockHost {
  const SmPlace* sms = nullptr;  // all SMs by number
  uint32_t count = 0;
};

class BlockOrder {
 public:
  using Host = BlockHost;
  virtual ~BlockOrder() = default;
  virtual void start(const GridShape&) {}
  // The number in the grid of the block that is handed out as the n-th; each number once.
  virtual uint64_t block(uint64_t n) { return n; }
  // The SMs that get a block each now, in order: at most `left` of those that have less than `per_sm`,
  // written to `chosen`, which has room for all SMs. Returns how many; 0 while none is to get one. Asked
  // again until it says 0.
  virtual uint32_t wave(const SmPlace* sms, uint32_t count, uint32_t per_sm, uint64_t left,
                        uint32_t* chosen) = 0;
};

// ------------------------------------------------------------------------------------------------ grid_order
// Whose blocks come next where several grids have some left: gpc.grids.

struct GridPlace {
  uint32_t index = 0;    // the distributor's
  int32_t priority = 0;  // less goes first
  uint64_t arrival = 0;  // grows with each grid
  uint64_t left = 0;     // blocks that have no place yet
  bool fits = true;      // false: this time no place was found for its next ones
};

struct GridHost {};

class GridOrder {
 public:
  using Host = GridHost;
  virtual ~GridOrder() = default;
  // Which of the grids, counted from 0, gets the places of its next wave or cluster; kNone: none does until a
  // block ends. Asked again until then, or until no grid has blocks left.
  virtual uint32_t next(const GridPlace* grids, uint32_t count) = 0;
};

// ---------------------------------------------------------------------------------------------- l2_prefetch
// What a slice of L2 fetches that nobody has asked for: l2.prefetch.

struct SliceHost {
  uint32_t slice = 0;
};

class Prefetcher {
 public:
  using Host = SliceHost;
  static constexpr uint32_t kMost = 16;
  virtual ~Prefetcher() = default;
  // After an access of an SM to a line of this slice, `hit` where all sectors were here: addresses of lines
  // to fetch into the slices that they belong to. Returns how many were written, at most kMost.
  virtual uint32_t fetch(const CacheAccess& access, bool hit, uint64_t* lines) = 0;
};

// ------------------------------------------------------------------------------------------------- the entry

namespace kinds {  // names as folders and configurations have them
using scheduler = Scheduler;
using replacement = Replacement;
using l2_hash = AddressHash;
using page = PagePolicy;
using block_order = BlockOrder;
using grid_order = GridOrder;
using l2_prefetch = Prefetcher;
}  // namespace kinds

struct Entry {
  uint32_t version;  // first, and so in every version
  const char* kind;
  const char* name;
  void* (*make)(Parameters& parameters, const void* host);  // a new object of the kind's class
};

}  // namespace gpuloom::policy

// At the end of the file, outside namespaces: GPULOOM_POLICY(scheduler, lrr, LooseRoundRobin).
#define GPULOOM_POLICY_MAKE(kind, Class)                                                     \
  [](gpuloom::policy::Parameters& parameters, const void* host) -> void* {                   \
    using Kind = gpuloom::policy::kinds::kind;                                               \
    return static_cast<Kind*>(new Class(parameters, *static_cast<const Kind::Host*>(host))); \
  }
#ifdef GPULOOM_POLICY_BUILT_IN
#define GPULOOM_POLICY(kind, name, Class)                                                       \
  extern const gpuloom::policy::Entry gpuloom_##kind##_##name;                                  \
  const gpuloom::policy::Entry gpuloom_##kind##_##name{gpuloom::policy::kVersion, #kind, #name, \
                                                       GPULOOM_POLICY_MAKE(kind, Class)};
#else
#define GPULOOM_POLICY(kind, name, Class)                                                           \
  extern "C" __attribute__((visibility("default"))) const gpuloom::policy::Entry* gpuloom_policy(); \
  const gpuloom::policy::Entry* gpuloom_policy() {                                                  \
    static const gpuloom::policy::Entry entry{gpuloom::policy::kVersion, #kind, #name,              \
                                              GPULOOM_POLICY_MAKE(kind, Class)};                    \
    return &entry;                                                                                  \
  }
#endif
