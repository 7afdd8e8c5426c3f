// SPDX-License-Identifier: Apache-2.0
// Files of data: whole-file reading (gzip-compressed ones too), writing, and NumPy's .npy format.
#pragma once
#include <cstdint>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/memory/element_type.h"

namespace gpuloom::sim {

// The whole file; one that begins with the gzip magic is unpacked. Where `path` does not exist but `path`.gz
// does, that one is read. Throws Error (kInput).
std::string read_file(const std::string& path);
bool file_exists(const std::string& path);  // it, or it with .gz
// The folder and those above it, where they do not exist. Throws Error (kInput).
void make_folder(const std::string& path);
// Throws Error (kInput) where the folder of `path` does not exist: a run that cannot be written is not begun.
void expect_folder_of(const std::string& path);
// Written beside it first and renamed, so that a reader never sees half a file. Throws Error (kInput).
void write_file(const std::string& path, std::string_view data);

// The same in pieces: the file is there once finish() has returned.
class FileWriter {
 public:
  explicit FileWriter(std::string path);
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;
  ~FileWriter();
  void write(std::string_view piece);
  void finish();

 private:
  [[noreturn]] void fail(const std::string& why);
  std::string path_, beside_;
  std::ofstream out_;
};

// An array as .npy holds it (format 1.0 to 3.0, little-endian, C order; Fortran order is refused).
struct NpyArray {
  ElementType type = ElementType::kF32;
  std::vector<uint64_t> shape;  // empty: a single number
  std::vector<uint8_t> data;
  uint64_t count() const;
};
// Throws Error (kInput) that says what the file has and what gpuloom reads.
NpyArray read_npy(const std::string& path);
void write_npy(const std::string& path, ElementType type, std::span<const uint64_t> shape,
               std::span<const uint8_t> data);

}  // namespace gpuloom::sim
