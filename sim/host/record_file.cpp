// SPDX-License-Identifier: Apache-2.0
#include "sim/host/record_file.h"

#include <cerrno>
#include <cstring>

namespace gpuloom::host {

RecordFile::RecordFile(const std::string& path)
    : path_(path), file_(path.empty() ? std::tmpfile() : std::fopen(path.c_str(), "w+")) {
  if (file_ == nullptr) fail("write");
}

RecordFile::~RecordFile() {
  std::fclose(file_);
  if (!path_.empty()) std::remove(path_.c_str());
}

void RecordFile::fail(const char* doing) const {
  const std::string reason = std::strerror(errno);
  throw RecordsFailed{std::string("cannot ") + doing + " the records of the run" +
                      (path_.empty() ? std::string(" in a temporary file") : " in '" + path_ + "'") + ": " +
                      reason};
}

void RecordFile::append(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) fail("write");
}

// What is still in the buffer is written first, which may fail too.
void RecordFile::start_reading() {
  if (std::fflush(file_) != 0) fail("write");
  std::rewind(file_);
}

size_t RecordFile::read(void* to, size_t bytes) {
  const size_t got = std::fread(to, 1, bytes, file_);
  if (got < bytes && std::ferror(file_) != 0) fail("read");
  return got;
}

}  // namespace gpuloom::host
