// SPDX-License-Identifier: Apache-2.0
// NumPy's array file (numpy.lib.format): magic, version, header length, a Python dictionary as text, then the
// data.
#include <fmt/core.h>

#include <charconv>
#include <cstring>

#include "base/error.h"
#include "sim/memory/array_file.h"

namespace gpuloom::sim {
namespace {

constexpr std::string_view kMagic{"\x93NUMPY", 6};

[[noreturn]] void fail(const std::string& path, const std::string& why) {
  throw Error(ErrorKind::kInput, "'" + path + "': " + why);
}

// The text after `'key':` in the header's dictionary.
std::string_view value_of(std::string_view header, std::string_view key, const std::string& path) {
  const size_t at = header.find(fmt::format("'{}'", key));
  const size_t colon = at == std::string_view::npos ? at : header.find(':', at);
  if (colon == std::string_view::npos) fail(path, fmt::format("the .npy header has no '{}'", key));
  header.remove_prefix(colon + 1);
  while (!header.empty() && header.front() == ' ') header.remove_prefix(1);
  return header;
}

ElementType type_of(std::string_view text, const std::string& path) {
  const size_t end = text.size() > 1 && text[0] == '\'' ? text.find('\'', 1) : std::string_view::npos;
  if (end == std::string_view::npos) fail(path, "structured .npy types are not read");
  const std::string_view descr = text.substr(1, end - 1);
  for (unsigned t = 0; t <= static_cast<unsigned>(ElementType::kF64); ++t) {
    const ElementInfo& e = info(static_cast<ElementType>(t));
    if (descr.size() == 3 && descr.substr(1) == e.npy &&
        (descr[0] == '<' || descr[0] == '|' || (descr[0] == '=')))
      return e.type;
  }
  if (descr == "|b1") return ElementType::kU8;
  fail(path, fmt::format("element type '{}' is not read; little-endian integers and floats are", descr));
}

std::vector<uint64_t> shape_of(std::string_view text, const std::string& path) {
  if (text.empty() || text[0] != '(') fail(path, "the .npy header's shape is not a tuple");
  std::vector<uint64_t> shape;
  for (size_t i = 1; i < text.size() && text[i] != ')';) {
    uint64_t n = 0;
    const auto [end, error] = std::from_chars(text.data() + i, text.data() + text.size(), n);
    if (error == std::errc()) {
      shape.push_back(n);
      i = static_cast<size_t>(end - text.data());
    } else if (text[i] == ',' || text[i] == ' ') {
      ++i;
    } else {
      fail(path, "the .npy header's shape is malformed");
    }
  }
  return shape;
}

}  // namespace

uint64_t NpyArray::count() const {
  uint64_t n = 1;
  for (const uint64_t extent : shape) n *= extent;
  return n;
}

NpyArray read_npy(const std::string& path) { return parse_npy(read_file(path), path); }

NpyArray parse_npy(std::string_view data, const std::string& path) {
  if (data.size() < 12 || data.substr(0, 6) != kMagic) fail(path, "not an .npy file");
  const bool wide = data[6] >= 2;  // version 1 has a 16-bit header length
  uint32_t length = 0;
  std::memcpy(&length, data.data() + 8, wide ? 4 : 2);
  const size_t start = (wide ? 12u : 10u) + size_t{length};
  if (start > data.size()) fail(path, "the .npy header is cut off");
  const std::string_view header(data.data() + (wide ? 12 : 10), length);
  NpyArray array;
  array.type = type_of(value_of(header, "descr", path), path);
  array.shape = shape_of(value_of(header, "shape", path), path);
  if (value_of(header, "fortran_order", path).substr(0, 4) == "True" && array.shape.size() > 1)
    fail(path, "Fortran order is not read; save it with numpy.ascontiguousarray");
  const uint64_t bytes = array.count() * bytes_of(array.type);
  if (data.size() - start != bytes)
    fail(path,
         fmt::format("the header announces {} bytes of data, the file has {}", bytes, data.size() - start));
  array.data.assign(data.begin() + static_cast<ptrdiff_t>(start), data.end());
  return array;
}

void write_npy(const std::string& path, ElementType type, std::span<const uint64_t> shape,
               std::span<const uint8_t> data) {
  std::string dims;
  for (const uint64_t extent : shape) dims += fmt::format("{},{}", extent, shape.size() == 1 ? "" : " ");
  if (shape.size() > 1) dims.resize(dims.size() - 2);
  const char order = bytes_of(type) == 1 || type == ElementType::kBf16 ? '|' : '<';
  std::string header = fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': ({}), }}", order,
                                   info(type).npy, dims);
  // The data begins at a multiple of 64; the header ends with a newline.
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  std::string out(kMagic);
  out += '\x01';
  out += '\0';
  const auto length = static_cast<uint16_t>(header.size());
  out.append(reinterpret_cast<const char*>(&length), 2);
  out += header;
  out.append(reinterpret_cast<const char*>(data.data()), data.size());
  write_file(path, out);
}

}  // namespace gpuloom::sim
