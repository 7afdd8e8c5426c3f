// SPDX-License-Identifier: Apache-2.0
// Arrays in other programs' files, put together here.
#include "sim/memory/array_file.h"

#include <zlib.h>

#include <cstring>

#include "base/error.h"
#include "tests/catch2.h"

using namespace gpuloom;
using namespace gpuloom::sim;
using Catch::Matchers::ContainsSubstring;

namespace {

template <class T>
std::string raw(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

std::string npy(const std::vector<float>& values) {
  std::string header =
      "{'descr': '<f4', 'fortran_order': False, 'shape': (" + std::to_string(values.size()) + ",), }\n";
  std::string out = std::string("\x93NUMPY\x01\x00", 8) + raw(static_cast<uint16_t>(header.size())) + header;
  return out + std::string(reinterpret_cast<const char*>(values.data()), values.size() * 4);
}

std::string deflated(const std::string& text) {
  std::string out(text.size() + 100, '\0');
  z_stream stream{};
  REQUIRE(deflateInit2(&stream, 9, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string zip_of(const std::vector<std::pair<std::string, std::string>>& files, bool pack) {
  std::string body, directory;
  for (const auto& [name, data] : files) {
    const std::string packed = pack ? deflated(data) : data;
    const std::string sizes = raw(uint32_t{0}) + raw(static_cast<uint32_t>(packed.size())) +
                              raw(static_cast<uint32_t>(data.size())) +
                              raw(static_cast<uint16_t>(name.size())) + raw(uint16_t{0});
    const std::string common = raw(uint16_t{20}) + raw(uint16_t{0}) +
                               raw(static_cast<uint16_t>(pack ? 8 : 0)) + raw(uint32_t{0}) + sizes;
    directory += raw(uint32_t{0x02014b50}) + raw(uint16_t{20}) + common + std::string(10, '\0') +
                 raw(static_cast<uint32_t>(body.size())) + name;
    body += raw(uint32_t{0x04034b50}) + common + name + packed;
  }
  return body + directory + raw(uint32_t{0x06054b50}) + std::string(4, '\0') +
         raw(static_cast<uint16_t>(files.size())) + raw(static_cast<uint16_t>(files.size())) +
         raw(static_cast<uint32_t>(directory.size())) + raw(static_cast<uint32_t>(body.size())) +
         raw(uint16_t{0});
}

}  // namespace

TEST_CASE("An array of an .npz is found by name, stored or deflated", "[array_file]") {
  for (const bool pack : {false, true}) {
    const std::string data = zip_of({{"a.npy", npy({1, 2, 3})}, {"b.npy", npy({4, 5})}}, pack);
    const NpyArray b = read_npz(data, "x.npz", "b");
    REQUIRE(b.count() == 2);
    CHECK(element_value(b.type, b.data.data() + 4) == 5);
    CHECK_THROWS_WITH(read_npz(data, "x.npz", "c"),
                      ContainsSubstring("no array 'c'") && ContainsSubstring("a or b"));
    CHECK_THROWS_WITH(read_npz(data, "x.npz", ""), ContainsSubstring("has 2 arrays"));
    for (size_t n = 0; n < data.size(); n += 5) CHECK_THROWS_AS(read_npz(data.substr(0, n), "x", "b"), Error);
  }
  CHECK(read_npz(zip_of({{"only.npy", npy({7})}}, false), "x.npz", "").count() == 1);
}

TEST_CASE("A tensor of a .safetensors file is found by name", "[array_file]") {
  const std::string header =
      R"({"__metadata__":{"k":"v"},"w":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]},"n":{"dtype":"BF16","shape":[1],"data_offsets":[8,10]}})";
  const std::string data =
      raw(uint64_t{header.size()}) + header + raw(1.5f) + raw(2.5f) + raw(uint16_t{0x3f80});
  const NpyArray w = read_safetensors(data, "m.safetensors", "w");
  CHECK(w.shape == std::vector<uint64_t>{2, 1});
  CHECK(element_value(w.type, w.data.data() + 4) == 2.5);
  const NpyArray n = read_safetensors(data, "m.safetensors", "n");
  CHECK(n.type == ElementType::kBf16);
  CHECK(element_value(n.type, n.data.data()) == 1);
  const std::string small = R"({"f":{"dtype":"F8_E4M3","shape":[2],"data_offsets":[0,2]}})";
  CHECK(read_safetensors(raw(uint64_t{small.size()}) + small + "ab", "m", "").type == ElementType::kU8);
  CHECK_THROWS_WITH(read_safetensors(data, "m.safetensors", "x"), ContainsSubstring("n or w"));
  CHECK_THROWS_AS(read_safetensors(data.substr(0, data.size() - 1), "m", "n"), Error);
  CHECK_THROWS_AS(read_safetensors("abc", "m", "n"), Error);
}

TEST_CASE("Element types go by C's names too", "[array_file]") {
  const std::pair<const char*, ElementType> names[] = {{"float", ElementType::kF32},
                                                       {"double", ElementType::kF64},
                                                       {"int", ElementType::kS32},
                                                       {"unsigned", ElementType::kU32},
                                                       {"unsigned int", ElementType::kU32},
                                                       {"long long", ElementType::kS64},
                                                       {"unsigned long", ElementType::kU64},
                                                       {"half", ElementType::kF16},
                                                       {"unsigned char", ElementType::kU8},
                                                       {"short int", ElementType::kS16},
                                                       {"unsigned short", ElementType::kU16},
                                                       {"size_t", ElementType::kU64},
                                                       {"uint16_t", ElementType::kU16},
                                                       {"float32", ElementType::kF32},
                                                       {"long unsigned int", ElementType::kU64},
                                                       {"i32", ElementType::kS32},
                                                       {"unsigned long long int", ElementType::kU64},
                                                       {"__nv_bfloat16", ElementType::kBf16}};
  for (const auto& [name, type] : names) {
    ElementType found{};
    INFO(name);
    REQUIRE(element_type_named(name, found));
    CHECK(found == type);
  }
  ElementType ignored{};
  for (const char* name : {"flaot", "long double", "", "long long long", "unsigned float", "q32"}) {
    INFO(name);
    CHECK(!element_type_named(name, ignored));
  }
}
