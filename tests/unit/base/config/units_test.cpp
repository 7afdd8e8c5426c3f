// SPDX-License-Identifier: Apache-2.0
#include "base/config/units.h"

#include "tests/catch2.h"

using namespace gpuloom;

TEST_CASE("Whole numbers are read whole or not at all") {
  int64_t value = 0;
  CHECK(parse_integer("-12", value));
  CHECK(value == -12);
  CHECK(parse_integer("0x1F", value));
  CHECK(value == 31);
  for (const char* text : {"", "-", "0x", "0x-1", "1.0", "1e3", "12 ", "9223372036854775808"}) {
    INFO(text);
    CHECK_FALSE(parse_integer(text, value));
  }
}

TEST_CASE("Quantities tell what is wrong with them") {
  using Status = Quantity::Status;
  CHECK(parse_quantity("228 KiB", kSizeUnits).value == 228 * 1024);
  CHECK(parse_quantity("1e3cycles", kCycleUnits).value == 1000);
  CHECK(parse_quantity("4", kCycleUnits).status == Status::kNoUnit);
  CHECK(parse_quantity("4ns", kCycleUnits).status == Status::kWrongUnit);
  CHECK(parse_quantity("fast", kCycleUnits).status == Status::kNotANumber);
  CHECK(parse_quantity("inf", kSizeUnits).status == Status::kNotANumber);
  CHECK(parse_quantity("-inf", kSizeUnits).status == Status::kNotANumber);
}

TEST_CASE("Text that starts like a number must be one") {
  CHECK_FALSE(is_malformed_quantity("h200"));
  CHECK_FALSE(is_malformed_quantity("12"));
  CHECK_FALSE(is_malformed_quantity("0x10"));
  CHECK_FALSE(is_malformed_quantity("1.5ns"));
  CHECK(is_malformed_quantity("33cylces"));
  CHECK(is_malformed_quantity("228K"));
  CHECK(is_malformed_quantity("1.2.3"));
}
