// SPDX-License-Identifier: Apache-2.0
// The two ways in which nvcc packs an image.
#include <fmt/core.h>
#include <zstd.h>

#include "base/error.h"
#include "sim/frontend/fatbin.h"

namespace gpuloom::frontend {
namespace {

[[noreturn]] void damaged(const std::string& name, const char* form) {
  throw Error(ErrorKind::kInput, fmt::format("'{}' holds damaged data ({})", name, form));
}

// One LZ4 block: sequences of a token, literals, and a match of what was written before.
class Lz4 {
 public:
  Lz4(std::string_view packed, size_t size, const std::string& name) : in_(packed), name_(name) {
    out_.reserve(size);
  }

  std::string run(size_t size) {
    while (at_ < in_.size()) {
      const unsigned token = next();
      const size_t literals = length(token >> 4);
      if (literals > in_.size() - at_) damaged(name_, "LZ4");
      out_ += in_.substr(at_, literals);
      at_ += literals;
      if (at_ == in_.size()) break;  // the last sequence has no match
      const size_t distance = next() | size_t{next()} << 8;
      const size_t match = length(token & 15) + kLeastMatch;
      if (distance == 0 || distance > out_.size() || match > size - std::min(size, out_.size()))
        damaged(name_, "LZ4");
      for (size_t i = 0; i < match; ++i) out_ += out_[out_.size() - distance];
    }
    if (out_.size() != size) damaged(name_, "LZ4");
    return std::move(out_);
  }

 private:
  static constexpr size_t kLeastMatch = 4;

  unsigned next() {
    if (at_ >= in_.size()) damaged(name_, "LZ4");
    return static_cast<uint8_t>(in_[at_++]);
  }
  size_t length(size_t nibble) {
    size_t n = nibble;
    if (nibble != 15) return n;
    for (unsigned more = 255; more == 255;) n += more = next();
    return n;
  }

  std::string_view in_;
  const std::string& name_;
  size_t at_ = 0;
  std::string out_;
};

}  // namespace

std::string unpack_lz4(std::string_view packed, size_t size, const std::string& name) {
  return Lz4(packed, size, name).run(size);
}

std::string unpack_zstd(std::string_view packed, size_t size, const std::string& name) {
  std::string out(size, '\0');
  const size_t got = ZSTD_decompress(out.data(), out.size(), packed.data(), packed.size());
  if (ZSTD_isError(got) != 0 || got != size) damaged(name, "zstd");
  return out;
}

}  // namespace gpuloom::frontend
