// SPDX-License-Identifier: Apache-2.0
#include "ptx/exec/cache_policy.h"
#include "ptx/exec/memory_path.h"
#include "tests/unit/ptx/exec/run_ptx.h"

using namespace gpuloom;
using namespace gpuloom::test;

TEST_CASE("An access beyond an allocation names kernel, line, thread, address and the allocation") {
  const std::string text =
      fault_of("mul.wide.u32 %w1, %tid, 256; add.u64 %w1, %scratch, %w1;\nld.global.u32 %r0, [%w1];");
  CHECK(contains(text, "test.ptx:13:"));
  CHECK(contains(text, "kernel 'k': thread (16,0,0) of block (0,0,0) reads 4 bytes at 0x7000"));
  CHECK(contains(text, "'scratch' (4096 bytes"));
}

TEST_CASE("A misaligned access is a fault") {
  CHECK(contains(fault_of("ld.global.u32 %r0, [%scratch+2];"), "not a multiple of 4"));
  CHECK(contains(fault_of("st.global.v2.u32 [%scratch+4], {%r0, %r0};"), "writes 8 bytes"));
  CHECK(contains(fault_of(".shared .b32 a[4]; mov.u32 %r1, a; ld.shared.u32 %r0, [%r1+1];"),
                 "shared address 0x1"));
}

TEST_CASE("Shared and local memory have ends") {
  CHECK(contains(fault_of(".shared .b32 a[4]; ld.shared.u32 %r0, [a+16];"), "has 16 bytes of shared memory"));
  CHECK(
      contains(fault_of(".local .b32 a[4]; mov.u64 %w1, a; st.local.u32 [%w1+64], %r0;"), "of local memory"));
}

TEST_CASE("A 32-bit address below zero comes back by its offset") {
  const PtxRun run(R"(
    .shared .b32 a[4]; st.shared.u32 [a+12], 7;
    mov.u32 %r1, a; mul.lo.u32 %r2, %lane, 4; sub.u32 %r2, %r1, %r2; sub.u32 %r1, %r1, 64;
    ld.shared.u32 %r0, [%r1+76]; setp.gt.u32 %p1, %lane, 2; @%p1 bra DONE;
    ld.shared.u32 %r4, [%r2+12]; add.u32 %r0, %r0, %r4;
    DONE:)");
  CHECK(run[0] == 14);
  CHECK(run[1] == 7);
  CHECK(run[31] == 7);
}

TEST_CASE("A generic access may hit a different space in every lane") {
  const PtxRun run(R"(
    .shared .b32 s; .local .b32 l;
    st.shared.u32 [s], 11; st.local.u32 [l], 22; st.global.u32 [%scratch], 33;
    bar.warp.sync -1;
    mov.u64 %w1, s; cvta.shared.u64 %w1, %w1; mov.u64 %w2, l; cvta.local.u64 %w2, %w2; mov.u64 %w3, %scratch;
    rem.u32 %r1, %lane, 3; setp.eq.u32 %p1, %r1, 0; setp.eq.u32 %p2, %r1, 1;
    @%p1 mov.u64 %w3, %w1; @%p2 mov.u64 %w3, %w2;
    ld.u32 %r0, [%w3];)");
  for (unsigned l = 0; l < 32; ++l) CHECK(run[l] == 11 * (l % 3 + 1));
}

TEST_CASE("Local memory holds values wider than a word") {
  const PtxRun run(R"(
    .local .align 16 .b8 a[32];
    cvt.u64.u32 %w1, %lane; mov.u64 %w2, 7;
    st.local.v2.u64 [a+16], {%w1, %w2};
    ld.local.u64 %w3, [a+16]; ld.local.u32 %r1, [a+24];
    cvt.u32.u64 %r0, %w3; add.u32 %r0, %r0, %r1;)");
  for (unsigned l = 0; l < 32; ++l) CHECK(run[l] == l + 7);
}

TEST_CASE("Loads extend to wider registers by the sign of their type") {
  const PtxRun run(R"(
    st.global.u8 [%scratch], 0x80;
    ld.global.s8 %r1, [%scratch]; ld.global.u8 %r2, [%scratch]; sub.u32 %r0, %r2, %r1;)");
  CHECK(run[0] == 256);
}

TEST_CASE("Contended atomics serve every lane once, in lane order") {
  const PtxRun run("atom.global.add.u32 %r0, [%scratch], 1;");
  for (unsigned l = 0; l < 32; ++l) CHECK(run[l] == l);
}

TEST_CASE("Captured atomics and ordered loads write their results when they are applied") {
  // What the timed engine does, by hand: memory stays as it is until apply_deferred.
  ptx::DeferredAtomic d;
  alignas(64) uint32_t cell = 5;
  d.fn = [](void* at, const void* b, const void*, void* old) {
    std::memcpy(old, at, 4);
    uint32_t sum;
    std::memcpy(&sum, b, 4);
    sum += ptx::load_as<uint32_t>(old);
    std::memcpy(at, &sum, 4);
  };
  struct OneCell final : ptx::GlobalMemory {
    explicit OneCell(void* at) { base_ = static_cast<uint8_t*>(at); }
    bool locate(uint64_t, uint64_t, uint64_t&, uint64_t&) const override { return true; }
  } memory(&cell);
  ptx::Program program;
  ptx::Warp w;
  w.program = &program;
  w.register_memory.assign(256, 0);
  d.size = d.element_bytes = 4;
  d.has_result = true;
  d.result = ptx::Place::reg(128);
  d.result_bytes = 4;
  d.lanes = 0b101;
  for (uint64_t& a : d.address) a = ptx::kGlobalBase;
  const uint32_t one = 1;
  for (auto& b : d.operand_b) std::memcpy(b, &one, 4);
  ptx::apply_deferred(&w, d, memory);
  CHECK(cell == 7);
  const uint32_t* row = reinterpret_cast<const uint32_t*>(w.register_memory.data() + 128);
  CHECK(row[0] == 5);
  CHECK(row[1] == 0);
  CHECK(row[2] == 6);
}

TEST_CASE("Memory flags survive packing") {
  ptx::MemoryFlags f;
  f.base_bits = 64;
  f.cache = ptx::CacheOp::kNonCoherent;
  f.ordering = ptx::Ordering::kMmio;
  f.scope = ptx::Scope::kSys;
  f.l1_eviction = ptx::Eviction::kNoAllocate;
  f.l2_eviction = ptx::Eviction::kPolicy;
  f.l2_prefetch = 256;
  f.noinc = true;
  const ptx::MemoryFlags g = ptx::MemoryFlags::unpack(f.pack());
  CHECK(g.base_bits == 64);
  CHECK(g.cache == f.cache);
  CHECK(g.ordering == f.ordering);
  CHECK(g.scope == f.scope);
  CHECK(g.l1_eviction == f.l1_eviction);
  CHECK(g.l2_eviction == f.l2_eviction);
  CHECK(g.l2_prefetch == 256);
  CHECK(g.noinc);
}

TEST_CASE("Cache policies survive encoding") {
  ptx::CachePolicy p;
  p.primary = ptx::Eviction::kLast;
  p.secondary = ptx::Eviction::kFirst;
  p.fraction = 0.25;
  ptx::CachePolicy q = ptx::CachePolicy::decode(p.encode());
  CHECK(q.primary == p.primary);
  CHECK(q.secondary == p.secondary);
  CHECK(q.fraction == 0.25);
  p.range = true;
  p.first = ptx::kGlobalBase + 3 * ptx::CachePolicy::kUnit;
  p.primary_bytes = 2 * ptx::CachePolicy::kUnit;
  p.bytes = 5 * ptx::CachePolicy::kUnit;
  q = ptx::CachePolicy::decode(p.encode());
  CHECK(q.first == p.first);
  CHECK(q.primary_bytes == p.primary_bytes);
  CHECK(q.bytes == p.bytes);
}

TEST_CASE("A trap and a failed assertion stop the kernel") {
  CHECK(contains(fault_of("setp.eq.u32 %p1, %lane, 4; @%p1 trap;"),
                 "thread (4,0,0) of block (0,0,0) executes trap"));
}

TEST_CASE("An endless loop meets the instruction limit") {
  Shape s;
  s.options.max_warp_instructions = 100'000;
  CHECK(contains(fault_of("L: add.u32 %r0, %r0, 1; bra L;", s), "more than 100000 warp instructions"));
}

TEST_CASE("Executions are counted for each instruction") {
  Shape s;
  s.options.per_instruction = true;
  const PtxRun run("L: add.u32 %r0, %r0, 1; setp.lt.u32 %p1, %r0, %lane; @%p1 bra L;", s);
  uint64_t most = 0, sum = 0;
  for (size_t k = 0; k < run.result.executed.size(); ++k) {
    most = std::max(most, run.result.executed[k]);
    // Meeting points are counted for the machine program; they are not PTX instructions.
    if (run.program->code[k].kind != ptx::InstrKind::kReconverge) sum += run.result.executed[k];
  }
  CHECK(most == 31);
  CHECK(sum == run.result.warp_instructions);
}

TEST_CASE("Of lanes that store to one place the lowest one's value stays") {
  const PtxRun run(R"(
    .shared .b32 s; st.shared.u32 [s], %lane; bar.warp.sync -1; ld.shared.u32 %r0, [s];
    setp.gt.u32 %p1, %lane, 4; @%p1 st.global.u32 [%scratch], %lane; ld.global.u32 %r2, [%scratch];
    mad.lo.u32 %r0, %r2, 100, %r0;)");
  for (unsigned l = 0; l < 32; ++l) CHECK(run[l] == 500);
}

TEST_CASE(
    "Stores of 8 and 16 bytes a lane land by halves and quarters of the warp, the last one's lowest lane "
    "stays") {
  const PtxRun run(R"(
    .shared .align 16 .b8 s[16];
    st.shared.v2.u32 [s], {%lane, %lane}; bar.warp.sync -1; ld.shared.u32 %r0, [s];
    st.shared.v4.u32 [s], {%lane, %lane, %lane, %lane}; bar.warp.sync -1; ld.shared.u32 %r2, [s+12];
    mad.lo.u32 %r0, %r2, 100, %r0;
    setp.lt.u32 %p1, %lane, 21; @%p1 st.global.v4.u32 [%scratch], {%lane, %lane, %lane, %lane};
    ld.global.u32 %r2, [%scratch+4]; mad.lo.u32 %r0, %r2, 10000, %r0;)");
  CHECK(run[0] == 16 * 10000 + 24 * 100 + 16);
}
