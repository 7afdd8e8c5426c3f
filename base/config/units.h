// SPDX-License-Identifier: Apache-2.0
// Numbers with units, as configurations write them.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpuloom {

struct Unit {
  const char* suffix;
  double factor;
};

// The units that a kind of quantity takes. `expected` completes "expected ...", `hint` helps who leaves the
// unit away.
struct UnitTable {
  const char* expected;
  std::span<const Unit> units;
};

extern const UnitTable kSizeUnits;           // bytes
extern const UnitTable kCycleUnits;          // cycles
extern const UnitTable kFrequencyUnits;      // hertz
extern const UnitTable kBandwidthUnits;      // bytes a second
extern const UnitTable kBytesPerCycleUnits;  // bytes a cycle
extern const UnitTable kDurationUnits;       // nanoseconds

struct Quantity {
  enum class Status { kOk, kNotANumber, kNoUnit, kWrongUnit };
  Status status = Status::kOk;
  double number = 0;      // as written
  double value = 0;       // times the unit's factor
  std::string_view unit;  // as written
};

// Reads "33cycles", "228 KiB", "1.98GHz".
Quantity parse_quantity(std::string_view text, const UnitTable& table);

// A plain number: decimal, hexadecimal with 0x for whole ones. False if the text is anything else.
bool parse_integer(std::string_view text, int64_t& value);
bool parse_number(std::string_view text, double& value);

// True for text that starts like a number but is neither a plain number nor one with a unit of any table.
// Version numbers and fractions count as malformed: they are text, and text that starts with a digit wants
// quotes.
bool is_malformed_quantity(std::string_view text);

// All suffixes of a table, for suggestions.
std::vector<std::string> unit_names(const UnitTable& table);

}  // namespace gpuloom
