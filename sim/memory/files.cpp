// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/files.h"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include "base/error.h"
#include "base/text.h"

namespace gpuloom::sim {
namespace {

bool exists(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

// For a file that is not there: the one of its folder that may be meant.
std::string nearest_file(const std::string& path) {
  const std::filesystem::path whole(path);
  std::vector<std::string> names;
  std::error_code failed;
  constexpr size_t kMost = 4096;  // of a folder with more nothing is proposed
  const std::filesystem::path folder = whole.parent_path();
  for (std::filesystem::directory_iterator at(folder.empty() ? "." : folder, failed), end;
       !failed && at != end && names.size() < kMost; at.increment(failed))
    names.push_back(at->path().filename().string());
  std::sort(names.begin(), names.end());
  const std::string near = names.size() < kMost ? closest(whole.filename().string(), names) : "";
  return near.empty() ? "" : "did you mean '" + (folder / near).string() + "'?";
}

// In pieces: what is read may be a pipe, whose length nobody knows.
std::string read_plain(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    const int reason = errno;
    throw Error(ErrorKind::kInput, "cannot read '" + path + "': " + std::strerror(reason), {},
                reason == ENOENT ? nearest_file(path) : "");
  }
  std::error_code ignored;
  const bool plain = exists(path);
  std::string data;
  if (plain) data.reserve(std::filesystem::file_size(path, ignored) + 1);
  constexpr size_t kPiece = 1 << 20;
  for (size_t have = 0; in;) {
    data.resize(have + kPiece);
    in.read(data.data() + have, kPiece);
    have += static_cast<size_t>(in.gcount());
    data.resize(have);
  }
  if (in.bad()) throw Error(ErrorKind::kInput, "cannot read '" + path + "' to its end");
  return data;
}

std::string unpack(const std::string& packed, const std::string& path) {
  z_stream stream{};
  // 15 bits of window, + 16: a gzip header (RFC 1952).
  if (inflateInit2(&stream, 15 + 16) != Z_OK) throw Error(ErrorKind::kInternal, "zlib does not start");
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  std::string out;
  int status = Z_OK;
  while (status == Z_OK) {
    const size_t have = out.size();
    out.resize(have + std::max<size_t>(packed.size() * 4, 1 << 16));
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + have);
    stream.avail_out = static_cast<uInt>(out.size() - have);
    status = inflate(&stream, Z_NO_FLUSH);
    out.resize(out.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  if (status != Z_STREAM_END)
    throw Error(ErrorKind::kInput, "'" + path + "' is a damaged or truncated gzip file");
  return out;
}

}  // namespace

bool file_exists(const std::string& path) { return exists(path) || exists(path + ".gz"); }

std::string read_file(const std::string& path) {
  const std::string actual = !exists(path) && exists(path + ".gz") ? path + ".gz" : path;
  std::error_code ignored;
  if (std::filesystem::is_directory(actual, ignored))
    throw Error(ErrorKind::kInput, "'" + path + "' is a directory", {}, "name a file in it");
  std::string data = read_plain(actual);
  const bool packed =
      data.size() > 2 && static_cast<uint8_t>(data[0]) == 0x1f && static_cast<uint8_t>(data[1]) == 0x8b;
  return packed ? unpack(data, actual) : data;
}

void make_folder(const std::string& path) {
  std::error_code failed;
  std::filesystem::create_directories(path, failed);
  if (!failed && !std::filesystem::is_directory(path, failed))
    failed = std::make_error_code(std::errc::not_a_directory);
  if (failed == std::errc::not_a_directory && exists(path))
    throw Error(ErrorKind::kInput, "cannot make the folder '" + path + "': a file of that name exists");
  if (failed) throw Error(ErrorKind::kInput, "cannot make the folder '" + path + "': " + failed.message());
}

void expect_folder_of(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code ignored;
  if (folder.empty() || std::filesystem::is_directory(folder, ignored)) return;
  throw Error(ErrorKind::kInput,
              "cannot write '" + path + "': the folder '" + folder.string() + "' does not exist");
}

FileWriter::FileWriter(std::string path)
    : path_(std::move(path)), beside_(path_ + ".part"), out_(beside_, std::ios::binary | std::ios::trunc) {
  if (!out_) fail(std::strerror(errno));
}

FileWriter::~FileWriter() {
  if (!out_.is_open()) return;
  out_.close();
  std::error_code ignored;
  std::filesystem::remove(beside_, ignored);
}

void FileWriter::fail(const std::string& why) {
  out_.close();
  std::error_code ignored;
  std::filesystem::remove(beside_, ignored);
  throw Error(ErrorKind::kInput, "cannot write '" + path_ + "': " + why);
}

void FileWriter::write(std::string_view piece) {
  out_.write(piece.data(), static_cast<std::streamsize>(piece.size()));
  if (!out_) fail(std::strerror(errno));
}

void FileWriter::finish() {
  out_.close();
  if (!out_) fail(std::strerror(errno));
  std::error_code failed;
  std::filesystem::rename(beside_, path_, failed);
  if (failed) fail(failed.message());
}

void write_file(const std::string& path, std::string_view data) {
  FileWriter out(path);
  out.write(data);
  out.finish();
}

}  // namespace gpuloom::sim
