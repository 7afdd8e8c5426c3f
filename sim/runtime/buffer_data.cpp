// SPDX-License-Identifier: Apache-2.0
#include "sim/runtime/buffer_data.h"

#include <fmt/core.h>

#include <cmath>

#include "base/error.h"
#include "base/hash.h"
#include "sim/memory/array_file.h"
#include "sim/runtime/arguments.h"

namespace gpuloom::sim {
namespace {

std::vector<uint8_t> listed_values(const BufferSpec& spec) {
  std::vector<uint8_t> data;
  for (const std::string& value : spec.values) {
    ArgSpec scalar;
    scalar.type = info(spec.type).name;
    scalar.text = value;
    scalar.where = spec.where;
    const std::vector<uint8_t> bytes = scalar_bytes(scalar, {});
    data.insert(data.end(), bytes.begin(), bytes.end());
  }
  return data;
}

}  // namespace

std::vector<uint8_t> bytes_of_file(const std::string& path) {
  if (is_array_file(path)) return read_array(path).data;
  const std::string data = read_file(path);
  return {data.begin(), data.end()};
}

std::vector<uint8_t> initial_bytes(const BufferSpec& spec) {
  const uint64_t bytes = spec.bytes();
  std::vector<uint8_t> data;
  if (!spec.file.empty()) {
    data = bytes_of_file(spec.file);
  } else if (!spec.values.empty()) {
    data = listed_values(spec);
  } else {
    data.resize(bytes);
    if (spec.fill.kind != Fill::kZero && bytes != 0) generate(spec.fill, spec.type, {data.data(), bytes});
  }
  if (data.size() != bytes)
    throw Error(ErrorKind::kInput,
                fmt::format("{} {} bytes, buffer '{}' {}",
                            spec.file.empty() ? "the values have" : "'" + spec.file + "' has", data.size(),
                            spec.name, bytes),
                spec.where);
  return data;
}

ReportBuffer report_buffer(const BufferSpec& spec, std::span<const uint8_t> data) {
  ReportBuffer out{
      spec.name, std::string(info(spec.type).name), spec.count(), fnv1a64(data.data(), data.size()), {}};
  for (uint64_t k = 0; spec.count() <= 4 && k < spec.count(); ++k)
    out.values.push_back(element_value(spec.type, data.data() + k * bytes_of(spec.type)));
  return out;
}

void save_buffer(const BufferSpec& spec, const std::string& path, std::span<const uint8_t> data) {
  if (path.ends_with(".npy")) return write_npy(path, spec.type, spec.shape, data);
  if (is_array_file(path))
    throw Error(ErrorKind::kInput, fmt::format("'{}': a buffer cannot be saved in this format", path),
                spec.where, "use .npy, or another ending for raw bytes");
  write_file(path, {reinterpret_cast<const char*>(data.data()), data.size()});
}

ReportCheck verify_buffer(const VerifySpec& spec, const BufferSpec& buffer, std::span<const uint8_t> data) {
  ReportCheck check;
  check.buffer = buffer.name;
  check.count = buffer.count();
  if (spec.fnv1a) {
    const uint64_t hash = fnv1a64(data.data(), data.size());
    check.against = fmt::format("hash {:016x}", *spec.fnv1a);
    check.passed = hash == *spec.fnv1a;
    check.mismatches = check.passed ? 0 : 1;
    if (!check.passed) check.first = fmt::format("the hash is {:016x}", hash);
    return check;
  }
  check.against = spec.against;
  const std::vector<uint8_t> expected = bytes_of_file(spec.against);
  if (expected.size() != data.size())
    throw Error(ErrorKind::kInput,
                fmt::format("'{}' has {} bytes of data, buffer '{}' {}", spec.against, expected.size(),
                            buffer.name, data.size()),
                spec.where);
  const size_t size = bytes_of(buffer.type);
  for (uint64_t i = 0; i < check.count; ++i) {
    const double got = element_value(buffer.type, data.data() + i * size),
                 want = element_value(buffer.type, expected.data() + i * size);
    const bool same = std::equal(data.begin() + static_cast<ptrdiff_t>(i * size),
                                 data.begin() + static_cast<ptrdiff_t>((i + 1) * size),
                                 expected.begin() + static_cast<ptrdiff_t>(i * size));
    if (same || (std::isnan(got) && std::isnan(want)) ||
        std::fabs(got - want) <= spec.atol + spec.rtol * std::fabs(want))
      continue;
    if (check.mismatches++ == 0) check.first = fmt::format("element {} is {}, expected {}", i, got, want);
  }
  check.passed = check.mismatches == 0;
  return check;
}

}  // namespace gpuloom::sim
