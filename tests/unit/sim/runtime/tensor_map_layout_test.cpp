// SPDX-License-Identifier: Apache-2.0
// The 128 bytes of tensor maps beside those that an H200's driver and tensormap.replace made
// (tests/conformance/tensor_maps).
#include "ptx/exec/tensor_map_layout.h"

#include <bit>
#include <map>
#include <sstream>

#include "sim/memory/files.h"
#include "sim/runtime/tensor_map.h"
#include "tests/catch2.h"
#include "tests/places.h"

using namespace gpuloom;
using namespace gpuloom::sim;

namespace {

std::vector<std::string> lines_of(const char* file) {
  std::vector<std::string> lines;
  std::istringstream text(read_file(tests::in_tree("/tests/conformance/tensor_maps/") + file));
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

// "2:3c0 13:f000000": words that are not `fill`.
ptx::TensorMapWords words_of(const std::string& text, uint32_t fill) {
  ptx::TensorMapWords words;
  words.fill(fill);
  std::istringstream in(text);
  for (std::string item; in >> item;) {
    const size_t colon = item.find(':');
    words.at(std::stoul(item)) = static_cast<uint32_t>(std::stoul(item.substr(colon + 1), nullptr, 16));
  }
  return words;
}

template <class T>
std::vector<T> list(const std::string& text) {
  std::vector<T> out;
  if (text == "-") return out;
  std::istringstream in(text);
  for (std::string item; std::getline(in, item, ',');) out.push_back(static_cast<T>(std::stoll(item)));
  return out;
}

template <class T>
T choice(const std::string& word, std::initializer_list<const char*> words) {
  unsigned i = 0;
  for (const char* w : words) {
    if (word == w) return static_cast<T>(i);
    ++i;
  }
  FAIL("no choice: " << word);
  return {};
}

TensorMapSpec spec_of(const std::string& text) {
  std::map<std::string, std::string> field;
  std::istringstream in(text);
  for (std::string item; in >> item;) field[item.substr(0, item.find('='))] = item.substr(item.find('=') + 1);
  TensorMapSpec spec;
  REQUIRE(tensor_element_named(field["type"], spec.element));
  spec.address = std::stoull(field["addr"]);
  spec.dims = list<uint64_t>(field["dims"]);
  spec.strides = list<uint64_t>(field["strides"]);
  spec.element_strides = list<uint32_t>(field["es"]);
  spec.interleave = choice<ptx::TensorInterleave>(field["inter"], {"none", "16B", "32B"});
  spec.swizzle = choice<ptx::TensorSwizzle>(field["swz"], {"none", "32B", "64B", "128B"});
  spec.fill = choice<ptx::TensorFill>(field["oob"], {"zero", "nan"});
  spec.l2_promotion_bytes = static_cast<uint32_t>(std::stoul(field["l2"]));
  spec.im2col = field.contains("pixels");
  if (spec.im2col) {
    spec.lower = list<int>(field["lower"]);
    spec.upper = list<int>(field["upper"]);
    spec.channels = static_cast<uint32_t>(std::stoul(field["channels"]));
    spec.pixels = static_cast<uint32_t>(std::stoul(field["pixels"]));
  } else {
    spec.box = list<uint32_t>(field["box"]);
  }
  return spec;
}

}  // namespace

TEST_CASE("Tensor maps have the bytes that the H200's driver gives them, and are read back", "[tensor_map]") {
  const auto lines = lines_of("layout.txt");
  REQUIRE(lines.size() > 100);
  for (const std::string& line : lines) {
    INFO(line);
    const size_t colon = line.find(" : ");
    const ptx::TensorMap map = encode_tensor_map(spec_of(line.substr(0, colon)));
    const ptx::TensorMapWords words = ptx::pack_tensor_map(map);
    CHECK(words == words_of(line.substr(colon + 3), 0));
    CHECK(ptx::pack_tensor_map(ptx::unpack_tensor_map(words)) == words);
  }
}

TEST_CASE("tensormap.replace changes the bits that it changes on the H200", "[tensor_map]") {
  constexpr const char* kFields[] = {"global_address", "rank",           "box_dim",  "global_dim",
                                     "global_stride",  "element_stride", "elemtype", "interleave_layout",
                                     "swizzle_mode",   "fill_mode"};
  const auto lines = lines_of("replaced.txt");
  REQUIRE(lines.size() > 100);
  for (const std::string& line : lines) {
    INFO(line);
    std::istringstream in(line);
    std::string fill, name, word;
    in >> fill >> name >> word;
    unsigned ordinal = 0;
    if (word != "=") ordinal = static_cast<unsigned>(std::stoul(word)), in >> word;
    uint64_t value = 0;
    in >> value >> word;
    const auto all = static_cast<uint32_t>(std::stoul(fill.substr(5), nullptr, 16));
    std::string changed;
    std::getline(in, changed);
    ptx::TensorMapWords words;
    words.fill(all);
    unsigned field = 0;
    while (name != kFields[field]) REQUIRE(++field < std::size(kFields));
    ptx::replace_field(words, static_cast<ptx::TensorField>(field), ordinal, value);
    CHECK(words == words_of(changed, all));
  }
}

TEST_CASE("A map in the layout of earlier versions is still read, and replacing turns it into the H200's",
          "[tensor_map]") {
  TensorMapSpec spec;
  spec.address = 0x1000;
  spec.dims = {64, 32};
  spec.box = {16, 8};
  const ptx::TensorMap map = encode_tensor_map(spec);
  ptx::TensorMapWords old;
  old = std::bit_cast<ptx::TensorMapWords>(map);
  CHECK(ptx::pack_tensor_map(ptx::unpack_tensor_map(old)) == ptx::pack_tensor_map(map));
  ptx::replace_field(old, ptx::TensorField::kAddress, 0, 0x2000);
  CHECK(ptx::unpack_tensor_map(old).address == 0x2000);
  CHECK(ptx::unpack_tensor_map(old).last[1] == 31);
}
