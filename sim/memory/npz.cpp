// SPDX-License-Identifier: Apache-2.0
// NumPy's .npz: a ZIP archive of .npy files, stored or deflated (APPNOTE.TXT 4.3 and 4.4).
#include <fmt/core.h>
#include <zlib.h>

#include <cstring>

#include "base/error.h"
#include "base/text.h"
#include "sim/memory/array_file.h"

namespace gpuloom::sim {
namespace {

constexpr uint32_t kEndMagic = 0x06054b50, kEntryMagic = 0x02014b50, kLocalMagic = 0x04034b50;
constexpr size_t kEndBytes = 22, kEntryBytes = 46, kLocalBytes = 30;
constexpr uint16_t kStored = 0, kDeflated = 8;
constexpr uint16_t kZip64 = 1;  // the extra field with 64-bit sizes
constexpr uint32_t kInExtra = 0xffffffff;

[[noreturn]] void damaged(const std::string& path) {
  throw Error(ErrorKind::kInput, "'" + path + "' is a damaged or truncated .npz file");
}

struct Member {
  std::string name;
  uint16_t method = 0;
  uint64_t packed = 0, size = 0, offset = 0;
};

class Zip {
 public:
  Zip(std::string_view data, const std::string& path) : data_(data), path_(path) {}

  std::vector<Member> members() const {
    size_t end = data_.size() < kEndBytes ? std::string_view::npos : data_.size() - kEndBytes;
    while (end != std::string_view::npos && at<uint32_t>(end) != kEndMagic)
      end = end == 0 ? std::string_view::npos : end - 1;
    if (end == std::string_view::npos) damaged(path_);
    std::vector<Member> list;
    size_t offset = at<uint32_t>(end + 16);
    for (unsigned i = 0; i < at<uint16_t>(end + 10); ++i) list.push_back(member(offset));
    return list;
  }

  std::string contents(const Member& m) const {
    if (at<uint32_t>(m.offset) != kLocalMagic) damaged(path_);
    const uint64_t begin = m.offset + kLocalBytes + at<uint16_t>(m.offset + 26) + at<uint16_t>(m.offset + 28);
    if (begin > data_.size() || m.packed > data_.size() - begin) damaged(path_);
    const std::string_view packed = data_.substr(begin, m.packed);
    if (m.method == kStored) return std::string(packed);
    if (m.method != kDeflated)
      throw Error(ErrorKind::kInput, fmt::format("'{}': compression method {} is not read", path_, m.method),
                  {}, "numpy.savez and savez_compressed write what is");
    return inflated(packed, m.size);
  }

 private:
  template <class T>
  T at(size_t offset) const {
    if (offset > data_.size() || sizeof(T) > data_.size() - offset) damaged(path_);
    T value;
    std::memcpy(&value, data_.data() + offset, sizeof value);
    return value;
  }

  Member member(size_t& offset) const {
    if (at<uint32_t>(offset) != kEntryMagic) damaged(path_);
    Member m;
    m.method = at<uint16_t>(offset + 10);
    m.packed = at<uint32_t>(offset + 20);
    m.size = at<uint32_t>(offset + 24);
    m.offset = at<uint32_t>(offset + 42);
    const size_t name = at<uint16_t>(offset + 28), extra = at<uint16_t>(offset + 30);
    if (name + extra > data_.size() - offset - kEntryBytes) damaged(path_);
    m.name = data_.substr(offset + kEntryBytes, name);
    wide_sizes(offset + kEntryBytes + name, extra, m);
    offset += kEntryBytes + name + extra + at<uint16_t>(offset + 32);
    return m;
  }

  // Sizes that do not fit 32 bits stand in an extra field, those alone, in this order.
  void wide_sizes(size_t offset, size_t bytes, Member& m) const {
    for (const size_t end = offset + bytes; offset + 4 <= end;) {
      const uint16_t id = at<uint16_t>(offset), size = at<uint16_t>(offset + 2);
      size_t field = offset + 4;
      offset = field + size;
      if (id != kZip64) continue;
      for (uint64_t* value : {&m.size, &m.packed, &m.offset}) {
        if (*value != kInExtra) continue;
        *value = at<uint64_t>(field);
        field += 8;
      }
    }
  }

  std::string inflated(std::string_view packed, uint64_t size) const {
    std::string out(size, '\0');
    z_stream stream{};
    if (inflateInit2(&stream, -15) != Z_OK) throw Error(ErrorKind::kInternal, "zlib does not start");
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream.avail_in = static_cast<uInt>(packed.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    const int status = inflate(&stream, Z_FINISH);
    inflateEnd(&stream);
    if (status != Z_STREAM_END || stream.total_out != size) damaged(path_);
    return out;
  }

  std::string_view data_;
  const std::string& path_;
};

}  // namespace

NpyArray read_npz(std::string_view data, const std::string& path, const std::string& array) {
  const Zip zip(data, path);
  const std::vector<Member> members = zip.members();
  std::vector<std::string> names;
  for (const Member& m : members) {
    names.push_back(m.name.ends_with(".npy") ? m.name.substr(0, m.name.size() - 4) : m.name);
    if (names.back() == array || (array.empty() && members.size() == 1))
      return parse_npy(zip.contents(m), path + ":" + names.back());
  }
  throw Error(ErrorKind::kInput,
              array.empty() ? fmt::format("'{}' has {} arrays", path, names.size())
                            : fmt::format("'{}' has no array '{}'", path, array),
              {}, names.empty() ? "" : fmt::format("name one after a colon: {}:{}", path, either(names)));
}

}  // namespace gpuloom::sim
