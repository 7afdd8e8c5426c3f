// SPDX-License-Identifier: Apache-2.0
// Which ready warps of a sub-core find their pipes free, without the sub-core.
#include "arch/sm/ready_warps.h"

#include "tests/unit/arch/sm/around_unit.h"

using namespace gpuloom::arch;

namespace {

struct Ready {
  GpuConfig gpu = tiny_gpu();
  ReadyWarps warps{gpu.sm};
  ReadyWarps::PipeTimes free{};
  void insert(unsigned s, Pipe pipe, Pipe also = Pipe::kNone, bool queued = false) {
    OpInfo op;
    op.pipe = pipe;
    op.also = also;
    op.queued = queued;
    warps.insert(s, op);
  }
  void busy_until(Pipe pipe, Cycle cycle) { free[static_cast<size_t>(pipe)] = cycle; }
};

}  // namespace

TEST_CASE("A warp can issue when the pipe that it wants is free", "[arch][ready]") {
  Ready r;
  r.insert(3, Pipe::kAlu);
  r.insert(5, Pipe::kXu);
  r.busy_until(Pipe::kXu, 14);
  CHECK(r.warps.issuable(r.free, false, 10) == 0b001000);
  CHECK(r.warps.issuable(r.free, false, 14) == 0b101000);
}

TEST_CASE("Another pipe that would do is as good", "[arch][ready]") {
  Ready r;
  r.insert(0, Pipe::kFmaHeavy, Pipe::kFmaLite);
  r.insert(1, Pipe::kFmaHeavy);
  r.busy_until(Pipe::kFmaHeavy, 20);
  CHECK(r.warps.issuable(r.free, false, 10) == 0b01);
  r.busy_until(Pipe::kFmaLite, 15);
  CHECK(r.warps.issuable(r.free, false, 10) == 0);
  CHECK(r.warps.earliest(r.free, false, 11) == 15);
}

TEST_CASE("The pipe that would do for one warp does not serve another's", "[arch][ready]") {
  Ready r;
  r.insert(0, Pipe::kXu);
  r.insert(1, Pipe::kFmaHeavy, Pipe::kFmaLite);
  r.busy_until(Pipe::kXu, 30);
  r.busy_until(Pipe::kFmaHeavy, 40);
  r.busy_until(Pipe::kFmaLite, 50);
  CHECK(r.warps.issuable(r.free, false, 10) == 0);
  CHECK(r.warps.earliest(r.free, false, 11) == 30);
  r.warps.erase(0);
  CHECK(r.warps.earliest(r.free, false, 11) == 40);
}

TEST_CASE("Where the queue is full, what goes through it waits, and nothing else", "[arch][ready]") {
  Ready r;
  r.insert(0, Pipe::kLsu, Pipe::kNone, true);
  CHECK(r.warps.issuable(r.free, true, 10) == 0);
  CHECK(r.warps.earliest(r.free, true, 11) == kNever);
  CHECK(r.warps.issuable(r.free, false, 10) == 0b01);
  r.insert(1, Pipe::kLsu);
  CHECK(r.warps.issuable(r.free, true, 10) == 0b10);
  CHECK(r.warps.earliest(r.free, true, 11) == 11);
}

TEST_CASE("A warp that is put in again wants what its new operation wants, and what left wants nothing",
          "[arch][ready]") {
  Ready r;
  r.insert(2, Pipe::kXu);
  r.insert(2, Pipe::kAlu);
  r.busy_until(Pipe::kAlu, 25);
  CHECK(r.warps.issuable(r.free, false, 10) == 0);
  CHECK(r.warps.earliest(r.free, false, 11) == 25);
  r.warps.erase(2);
  CHECK(r.warps.none());
  CHECK(r.warps.earliest(r.free, false, 11) == kNever);
}
