// SPDX-License-Identifier: Apache-2.0
#include "base/config/units.h"

#include <charconv>
#include <cmath>

#include "base/text.h"

namespace gpuloom {
namespace {

constexpr double kKi = 1024.0;
constexpr Unit kSizes[] = {{"B", 1},
                           {"KiB", kKi},
                           {"MiB", kKi* kKi},
                           {"GiB", kKi* kKi* kKi},
                           {"TiB", kKi* kKi* kKi* kKi},
                           {"KB", 1e3},
                           {"MB", 1e6},
                           {"GB", 1e9},
                           {"TB", 1e12}};
constexpr Unit kCycles[] = {{"cycles", 1}, {"cycle", 1}};
constexpr Unit kFrequencies[] = {{"Hz", 1}, {"kHz", 1e3}, {"MHz", 1e6}, {"GHz", 1e9}};
constexpr Unit kBandwidths[] = {{"B/s", 1},
                                {"KB/s", 1e3},
                                {"MB/s", 1e6},
                                {"GB/s", 1e9},
                                {"TB/s", 1e12},
                                {"KiB/s", kKi},
                                {"MiB/s", kKi* kKi},
                                {"GiB/s", kKi* kKi* kKi},
                                {"TiB/s", kKi* kKi* kKi* kKi}};
constexpr Unit kPerCycle[] = {{"B/cycle", 1}, {"KiB/cycle", kKi}};
constexpr Unit kDurations[] = {{"ps", 1e-3}, {"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};

// Length of the number that the text starts with; 0 if it starts with none.
size_t number_length(std::string_view text, double& value) {
  std::string_view digits = text;
  if (!digits.empty() && digits[0] == '+') digits.remove_prefix(1);
  const bool starts = !digits.empty() && (std::isdigit(static_cast<unsigned char>(digits[0])) != 0 ||
                                          digits[0] == '-' || digits[0] == '.');
  if (!starts) return 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || !std::isfinite(value)) return 0;
  return static_cast<size_t>(end - text.data());
}

}  // namespace

const UnitTable kSizeUnits{"a size such as 228KiB", kSizes};
const UnitTable kCycleUnits{"a time such as 33cycles", kCycles};
const UnitTable kFrequencyUnits{"a frequency such as 1980MHz", kFrequencies};
const UnitTable kBandwidthUnits{"a bandwidth such as 4.8TB/s", kBandwidths};
const UnitTable kBytesPerCycleUnits{"a rate such as 64B/cycle", kPerCycle};
const UnitTable kDurationUnits{"a time such as 14ns", kDurations};

Quantity parse_quantity(std::string_view text, const UnitTable& table) {
  Quantity result;
  text = trim(text);
  const size_t digits = number_length(text, result.number);
  if (digits == 0) {
    result.status = Quantity::Status::kNotANumber;
    return result;
  }
  result.unit = trim(text.substr(digits));
  if (result.unit.empty()) {
    result.status = Quantity::Status::kNoUnit;
    return result;
  }
  for (const Unit& unit : table.units) {
    if (result.unit == unit.suffix) {
      result.value = result.number * unit.factor;
      return result;
    }
  }
  result.status = Quantity::Status::kWrongUnit;
  return result;
}

bool parse_integer(std::string_view text, int64_t& value) {
  std::string_view digits = text;
  int base = 10;
  if (digits.starts_with("0x") || digits.starts_with("0X")) {
    digits.remove_prefix(2);
    base = 16;
    if (digits.starts_with("-")) return false;
  }
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  return error == std::errc{} && end == digits.data() + digits.size() && !digits.empty();
}

bool parse_number(std::string_view text, double& value) {
  return !text.empty() && number_length(text, value) == text.size();
}

bool is_malformed_quantity(std::string_view text) {
  int64_t whole = 0;
  double number = 0;
  if (parse_integer(text, whole) || number_length(text, number) == 0) return false;
  if (parse_number(text, number)) return false;
  for (const UnitTable* table : {&kSizeUnits, &kCycleUnits, &kFrequencyUnits, &kBandwidthUnits,
                                 &kBytesPerCycleUnits, &kDurationUnits}) {
    if (parse_quantity(text, *table).status == Quantity::Status::kOk) return false;
  }
  return true;
}

std::vector<std::string> unit_names(const UnitTable& table) {
  std::vector<std::string> names;
  for (const Unit& unit : table.units) names.emplace_back(unit.suffix);
  return names;
}

}  // namespace gpuloom
