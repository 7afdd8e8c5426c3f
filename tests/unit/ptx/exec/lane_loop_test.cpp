// SPDX-License-Identifier: Apache-2.0
#include "ptx/exec/lane_loop.h"

#include "ptx/exec/row_conversion.h"
#include "tests/catch2.h"

using namespace gpuloom::ptx;

namespace {

struct Rows {
  alignas(64) uint8_t memory[2048] = {};
  Warp warp;
  Instr in;
  Rows() {
    warp.regs = memory;
    for (uint32_t k = 0; k < kInstrPlaces; ++k) in.ops[k] = Place::reg(k * 256);
  }
  template <class T>
  T* at(unsigned k) {
    return row<T>(warp, in.ops[k]);
  }
};

}  // namespace

TEST_CASE("A lane loop writes the lanes of its mask and no others") {
  for (const uint32_t lanes : {~0u, 1u, 0x80000000u, 0x0ff000f1u}) {
    Rows r;
    for (unsigned l = 0; l < kLanes; ++l)
      r.at<uint64_t>(0)[l] = 99, r.at<uint64_t>(1)[l] = l, r.at<uint64_t>(2)[l] = 100;
    per_lane([](uint64_t a, uint64_t b) { return a + b; })(r.warp, r.in, lanes);
    for (unsigned l = 0; l < kLanes; ++l)
      CHECK(r.at<uint64_t>(0)[l] == ((lanes >> l & 1) != 0 ? l + 100 : 99));
  }
}

TEST_CASE("A lane loop may write the row that it reads") {
  Rows r;
  r.in.ops[0] = r.in.ops[1];
  for (unsigned l = 0; l < kLanes; ++l) r.at<uint16_t>(1)[l] = static_cast<uint16_t>(l);
  const LaneFn twice = per_lane([](uint16_t a) -> uint16_t { return static_cast<uint16_t>(2 * a); });
  twice(r.warp, r.in, kAllLanes);
  twice(r.warp, r.in, 2);
  CHECK(r.at<uint16_t>(1)[1] == 4);
  CHECK(r.at<uint16_t>(1)[31] == 62);
}

TEST_CASE("Predicates are bits of a mask, as results and as sources") {
  Rows r;
  for (unsigned l = 0; l < kLanes; ++l) r.at<double>(1)[l] = l, r.at<double>(2)[l] = 7.5;
  *r.at<uint32_t>(0) = 0xffff0000;
  per_lane([](double a, double b) { return a < b; })(r.warp, r.in, 0x0000ffff);
  CHECK(*r.at<uint32_t>(0) == 0xffff00ff);

  *r.at<uint32_t>(3) = 0x80000001;
  per_lane([](double a, double b, bool c) { return c ? a : b; })(r.warp, r.in, kAllLanes);
  CHECK(r.at<double>(0)[31] == 31);
  CHECK(r.at<double>(0)[30] == 7.5);
}

TEST_CASE("Functions that may not run for idle lanes do not") {
  static int calls = 0;
  calls = 0;
  Rows r;
  per_active_lane([](uint32_t a) {
    ++calls;
    return a + 1;
  })(r.warp, r.in, 0x101);
  CHECK(calls == 2);
  CHECK(r.at<uint32_t>(0)[8] == 1);
  CHECK(r.at<uint32_t>(0)[9] == 0);
}

TEST_CASE("A conversion truncates and extends where registers are wider than types") {
  Rows r;
  ConversionWidths widths;
  widths.source = 1, widths.source_register = 4, widths.destination = 2, widths.destination_register = 8;
  widths.destination_signed = true;
  encode_conversion(r.in, row_conversion([](uint8_t a) -> int16_t { return static_cast<int16_t>(a - 200); }),
                    widths);
  for (unsigned l = 0; l < kLanes; ++l) r.at<uint32_t>(1)[l] = 0xabcd00 + l;
  conversion_loop(widths)(r.warp, r.in, 0xff);
  CHECK(r.at<int64_t>(0)[7] == -193);
  CHECK(r.at<int64_t>(0)[8] == 0);
}
