// SPDX-License-Identifier: Apache-2.0
#include "sim/frontend/fatbin.h"

#include <fmt/core.h>

#include <cstring>

#include "base/error.h"

namespace gpuloom::frontend {
namespace {

constexpr uint32_t kMagic = 0xBA55ED50;
constexpr size_t kHeaderBytes = 16, kEntryBytes = 64;
constexpr uint16_t kKindPtx = 1;
// Flags of an entry.
constexpr uint64_t kLz4 = 0x2000, kZstd = 0x8000, kArchSpecific = 0x100000, kFamilySpecific = 0x200000;
// No PTX of a module is longer; a damaged size must not ask for all memory.
constexpr uint64_t kMostBytes = uint64_t{1} << 32;

[[noreturn]] void damaged(const std::string& name, const std::string& why) {
  throw Error(ErrorKind::kInput, fmt::format("the fatbin in '{}' {}", name, why));
}

template <class T>
T at(std::string_view data, size_t offset) {
  T value{};
  std::memcpy(&value, data.data() + offset, sizeof value);
  return value;
}

std::string unpacked(std::string_view payload, uint64_t flags, uint64_t size, const std::string& name) {
  if (size > kMostBytes) damaged(name, fmt::format("announces {} bytes of code", size));
  std::string text;
  if ((flags & kZstd) != 0) {
    text = unpack_zstd(payload, size, name);
  } else if ((flags & kLz4) != 0) {
    text = unpack_lz4(payload, size, name);
  } else {
    text = payload;
  }
  return text;
}

FatbinImage image_of(std::string_view entry, std::string_view payload, const std::string& name, Texts texts) {
  FatbinImage image;
  image.ptx = at<uint16_t>(entry, 0) == kKindPtx;
  image.arch = at<uint32_t>(entry, 28);
  const uint64_t flags = at<uint64_t>(entry, 40), plain = at<uint64_t>(entry, 56);
  image.suffix = (flags & kArchSpecific) != 0 ? "a" : (flags & kFamilySpecific) != 0 ? "f" : "";
  if (texts == Texts::kLeftOut || (!image.ptx && texts != Texts::kCode)) return image;
  if (const uint32_t packed = at<uint32_t>(entry, 16); packed != 0) {
    if (packed > payload.size()) damaged(name, "is cut off");
    payload = payload.substr(0, packed);
  }
  image.text = unpacked(payload, flags, plain, name);
  while (image.ptx && !image.text.empty() && image.text.back() == '\0') image.text.pop_back();
  return image;
}

Fatbin container(std::string_view data, const std::string& name, Texts texts) {
  Fatbin images;
  for (size_t offset = 0; offset + kEntryBytes <= data.size();) {
    const std::string_view entry = data.substr(offset);
    const uint32_t header = at<uint32_t>(entry, 4);
    const uint64_t padded = at<uint64_t>(entry, 8);
    if (header < kEntryBytes || header > entry.size() || padded > entry.size() - header)
      damaged(name, "is cut off");
    images.push_back(image_of(entry, entry.substr(header, padded), name, texts));
    offset += header + padded;
  }
  return images;
}

}  // namespace

bool is_fatbin(std::string_view data) {
  return data.size() >= kHeaderBytes && at<uint32_t>(data, 0) == kMagic;
}

size_t fatbin_bytes(const char* data) {
  const std::string_view header(data, kHeaderBytes);
  return is_fatbin(header) ? at<uint16_t>(header, 6) + at<uint64_t>(header, 8) : 0;
}

std::vector<Fatbin> read_fatbins(std::string_view data, const std::string& name, Texts texts) {
  std::vector<Fatbin> all;
  for (size_t offset = 0; offset + kHeaderBytes <= data.size();) {
    const std::string_view here = data.substr(offset);
    if (!is_fatbin(here)) {  // padding: containers begin at multiples of 8
      offset += 8;
      continue;
    }
    const uint16_t header = at<uint16_t>(here, 6);
    const uint64_t bytes = at<uint64_t>(here, 8);
    if (header < kHeaderBytes || header > here.size() || bytes > here.size() - header)
      damaged(name, "is cut off");
    all.push_back(container(here.substr(header, bytes), name, texts));
    offset += (header + bytes + 7) / 8 * 8;
  }
  return all;
}

}  // namespace gpuloom::frontend
