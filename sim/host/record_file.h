// SPDX-License-Identifier: Apache-2.0
// A file of records that grows while a program runs and is read once, when it ends: a program may launch for
// ever.
#pragma once
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <type_traits>

namespace gpuloom::host {

// Records cannot be written: the run ends, for what it would leave is not complete. Not an Error, which would
// be the program's: no call of it has failed.
struct RecordsFailed {
  std::string message;
};

class RecordFile {
 public:
  // `path` "": a file without a name, where the host keeps such ones. Throws RecordsFailed, as all else here.
  explicit RecordFile(const std::string& path = {});
  RecordFile(const RecordFile&) = delete;
  RecordFile& operator=(const RecordFile&) = delete;
  ~RecordFile();  // and the file goes

  void append(std::string_view text);
  template <class T>
  void append_record(const T& record) {
    static_assert(std::is_trivially_copyable_v<T>);
    append({reinterpret_cast<const char*>(&record), sizeof record});
  }

  // All pieces from the first on.
  template <class Take>
  void for_each_piece(Take&& take) {
    char piece[1 << 16];
    start_reading();
    while (const size_t n = read(piece, sizeof piece)) take(std::string_view(piece, n));
  }
  template <class T, class Take>
  void for_each_record(Take&& take) {
    T record;
    start_reading();
    while (read(&record, sizeof record) == sizeof record) take(record);
  }

 private:
  void start_reading();
  size_t read(void* to, size_t bytes);  // 0: the end
  [[noreturn]] void fail(const char* doing) const;

  std::string path_;
  std::FILE* file_;
};

}  // namespace gpuloom::host
