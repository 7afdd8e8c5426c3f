// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/files.h"

#include <zlib.h>

#include <cstring>
#include <filesystem>

#include "base/error.h"
#include "sim/memory/scratch_folder.h"
#include "tests/catch2.h"

using namespace gpuloom;
using namespace gpuloom::sim;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("An array of every type survives the way through an .npy file", "[memory]") {
  const ScratchFolder folder;
  const std::vector<std::vector<uint64_t>> shapes = {{6}, {2, 3}, {3, 1, 2}};
  for (unsigned t = 0; t <= static_cast<unsigned>(ElementType::kF64); ++t) {
    const auto type = static_cast<ElementType>(t);
    std::vector<uint8_t> data(6 * bytes_of(type));
    for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<uint8_t>(i * 7 + t);
    for (const auto& shape : shapes) {
      write_npy(folder.file("a.npy"), type, shape, data);
      const NpyArray back = read_npy(folder.file("a.npy"));
      CHECK(back.type == type);
      CHECK(back.shape == shape);
      CHECK(back.data == data);
    }
  }
}

TEST_CASE("An .npy file written by NumPy is read", "[memory]") {
  // numpy.save of numpy.arange(3, dtype='<i4'), byte for byte.
  const ScratchFolder folder;
  std::string bytes("\x93NUMPY\x01\x00\x76\x00", 10);
  bytes += "{'descr': '<i4', 'fortran_order': False, 'shape': (3,), }";
  bytes.resize(127, ' ');
  bytes += '\n';
  bytes += std::string("\0\0\0\0\1\0\0\0\2\0\0\0", 12);
  write_file(folder.file("n.npy"), bytes);
  const NpyArray array = read_npy(folder.file("n.npy"));
  CHECK(array.type == ElementType::kS32);
  CHECK(array.shape == std::vector<uint64_t>{3});
  CHECK(element_value(array.type, array.data.data() + 8) == 2);
}

TEST_CASE("A damaged .npy file is refused with what is wrong", "[memory]") {
  const ScratchFolder folder;
  write_file(folder.file("x.npy"), "hello");
  CHECK_THROWS_WITH(read_npy(folder.file("x.npy")), ContainsSubstring("not an .npy file"));
  const uint64_t shape[] = {4};
  write_npy(folder.file("y.npy"), ElementType::kF32, shape, std::vector<uint8_t>(12));
  CHECK_THROWS_WITH(read_npy(folder.file("y.npy")),
                    ContainsSubstring("announces 16 bytes of data, the file has 12"));
  CHECK_THROWS_WITH(read_npy(folder.file("none.npy")), ContainsSubstring("cannot read"));
}

TEST_CASE("A compressed file is read as if it were not", "[memory]") {
  const ScratchFolder folder;
  const std::string text(100'000, 'q');
  gzFile out = gzopen(folder.file("t.txt.gz").c_str(), "wb");
  gzwrite(out, text.data(), static_cast<unsigned>(text.size()));
  gzclose(out);
  CHECK(file_exists(folder.file("t.txt")));
  CHECK(read_file(folder.file("t.txt")) == text);
  std::string packed = read_file(folder.file("t.txt"));
  std::filesystem::resize_file(folder.file("t.txt.gz"), 60);
  CHECK_THROWS_WITH(read_file(folder.file("t.txt")), ContainsSubstring("truncated gzip"));
}
