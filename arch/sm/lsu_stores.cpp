// SPDX-License-Identifier: Apache-2.0
// The load/store unit's stores: through the tags into the buffer of writes, and from there to L2.
#include <algorithm>
#include <bit>

#include "arch/sm/lsu.h"
#include "arch/sm/lsu_latency.h"

namespace gpuloom::arch {

// Adds a line to the writes that wait, or to the one of the line. True: a write of its own, which will be
// sent and answered.
bool Lsu::write_line_of(const MemoryOp& op, const LineAccess& a, Cycle at) {
  const Cycle open_until = at + join_time(op);
  if (WriteBuffer::Write* write = writes_.find(a.line, at, port_free_)) {
    sim::MemoryRequest& r = write->message.request;
    r.sectors |= a.sectors;
    r.whole |= a.full ? a.sectors : a.whole;
    const int sectors = std::popcount(r.sectors);
    r.bytes = static_cast<uint16_t>(std::min(r.bytes + a.bytes, sectors * static_cast<int>(kSectorBytes)));
    r.full_sectors = r.whole == r.sectors;
    write->touched = std::max(write->touched, at);
    write->open_until = std::max(write->open_until, open_until);
    writes_.widen(*write, port_time(r));
    return false;
  }
  OutMessage m;
  m.request.line = a.line;
  m.request.op = sim::RequestOp::kWrite;
  m.request.sectors = a.sectors;
  m.request.bytes = a.bytes;
  m.request.full_sectors = a.full;
  m.request.whole = a.full ? a.sectors : a.whole;
  m.request.evict = evict_hint(op.l2, a.line);
  asked_by(m.request, op);
  m.reply = Reply::kStore;
  m.warp = op.warp;
  m.grid = op.grid;
  writes_.push(m, at, open_until, port_time(m.request));
  return true;
}

// Those whose time has come and for which the way out has room, in order.
void Lsu::send_writes(Cycle now) {
  while (std::max(write_due(), port_free_) <= now && writes_out_ < noc_.sm_writes) {
    WriteBuffer& next = ordered_.due() < writes_.due() ? ordered_ : writes_;
    WriteBuffer::Write& write = next.oldest();
    OutMessage& m = write.message;
    writes_out_ += m.held_sectors();
    send(m, std::max(now, write.touched), write.port);
    if (m.warp != kNoWarp) store_sent(m.warp, now + kTaken, now);
    next.pop();
  }
}

// What a warp must outlive has its place on the way out at `at`.
void Lsu::store_sent(unsigned warp, Cycle at, Cycle now) {
  if (ports_.writes[warp].sent(at)) ports_.clients.all_sent(warp, now);
}

bool Lsu::accept_store(const MemoryOp& op, Cycle now) {
  SmStats& s = ports_.stats;
  const Cycle start = std::max(after_texture_stage(op, now), tag_free_);
  const unsigned tags = tag_stage(op);
  tag_free_ = start + tags;
  const unsigned passes = std::max(tags, op.lines.passes);
  const Cycle data_start = data_.take(start, passes * pass_time_);
  s.wavefronts += passes;
  unsigned hit = 0, writes = 0;
  Cycle at = now;
  for (unsigned i = 0; i < op.lines.lines; ++i) {
    const LineAccess& a = op.lines.line[i];
    // Written through. The tag is kept, and a store to a tag that is here counts as found whatever its
    // sectors hold (H200: transpose_naive, copy_u8).
    const policy::CacheAccess access = l1_access(op, a, policy::AccessKind::kWrite, start);
    const L1Cache::Lookup found = l1_.lookup(access);
    if (tells_accesses_) tell_access(op, access, found);
    if (found.tagged) hit += static_cast<unsigned>(std::popcount(a.sectors));
    const int32_t entry = found.entry >= 0 ? found.entry : l1_.allocate(access);
    if (tells_evictions_ && found.entry < 0) tell_eviction(start);
    if (entry >= 0) l1_.written(entry, op.local || a.full ? a.sectors : a.whole);
    at = data_start + i + before_miss(op.latency);
    writes += write_line_of(op, a, at);
  }
  const unsigned sectors = op.lines.sectors;
  if (op.local) {
    s.sectors_local_st += sectors;
  } else if (op.pipe != Pipe::kTex) {  // the counters are those of the load-store pipe
    ++s.requests_st;
    s.sectors_st += sectors;
  }
  count_sectors(op, hit);
  // One was counted at issue; each write is sent and answered by itself, and one that others' writes carry
  // is so with them.
  if (writes != 0) {
    ports_.writes[op.warp].leaves_by(writes);
    ports_.writes[op.warp].answered_by(writes);
    ports_.grids[op.grid].stores_in_flight += writes - 1;
  } else {
    ports_.events.push(at + join_time(op), {EventKind::kStoreDone, op.grid, op.warp, 0});
    store_sent(op.warp, at + kTaken, now);
  }
  return true;
}

}  // namespace gpuloom::arch
