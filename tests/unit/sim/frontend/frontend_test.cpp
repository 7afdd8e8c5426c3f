// SPDX-License-Identifier: Apache-2.0
// What files are, and the PTX in fatbins and ELF files that are put together here, byte by byte.
#include <zstd.h>

#include <cstring>

#include "base/error.h"
#include "sim/frontend/content.h"
#include "sim/frontend/fatbin.h"
#include "sim/frontend/ptx_source.h"
#include "tests/catch2.h"

using namespace gpuloom;
using namespace gpuloom::frontend;
using Catch::Matchers::ContainsSubstring;

namespace {

std::string ptx_for(const std::string& target, const std::string& kernel) {
  return ".version 8.0\n.target " + target + "\n.address_size 64\n.visible .entry " + kernel +
         "()\n{\n ret;\n}\n";
}

template <class T>
void put(std::string& data, size_t offset, T value) {
  std::memcpy(data.data() + offset, &value, sizeof value);
}

struct Image {
  std::string payload;
  unsigned arch = 90;
  uint64_t flags = 0;
  uint16_t kind = 1;
  uint64_t plain = 0;  // 0: not packed
};

std::string fatbin_of(const std::vector<Image>& images) {
  std::string entries;
  for (const Image& image : images) {
    const size_t padded = (image.payload.size() + 7) / 8 * 8;
    std::string header(64, '\0');
    put<uint16_t>(header, 0, image.kind);
    put<uint32_t>(header, 4, 64);
    put<uint64_t>(header, 8, padded);
    put<uint32_t>(header, 16, image.plain != 0 ? static_cast<uint32_t>(image.payload.size()) : 0);
    put<uint32_t>(header, 28, image.arch);
    put<uint64_t>(header, 40, image.flags);
    put<uint64_t>(header, 56, image.plain);
    entries += header + image.payload + std::string(padded - image.payload.size(), '\0');
  }
  std::string whole(16, '\0');
  put<uint32_t>(whole, 0, 0xBA55ED50);
  put<uint16_t>(whole, 4, 1);
  put<uint16_t>(whole, 6, 16);
  put<uint64_t>(whole, 8, entries.size());
  return whole + entries;
}

// Literals alone, as a block may be: a token with the length, then the bytes.
std::string lz4_of(const std::string& text) {
  std::string out(1, static_cast<char>(text.size() < 15 ? text.size() << 4 : 0xf0));
  if (text.size() >= 15) {
    size_t rest = text.size() - 15;
    for (; rest >= 255; rest -= 255) out += '\xff';
    out += static_cast<char>(rest);
  }
  return out + text;
}

std::string zstd_of(const std::string& text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  return out;
}

PtxRequest for_target(const char* target) {
  PtxRequest request;
  request.target = target;
  return request;
}

}  // namespace

TEST_CASE("A file is what stands in it, whatever its name says", "[frontend]") {
  CHECK(content_of(ptx_for("sm_90", "k"), "kernel.txt") == Content::kPtx);
  CHECK(content_of("// a comment\n/* and\n another */ .version 8.0\n", "x") == Content::kPtx);
  CHECK(content_of("#include <cstdio>\n__global__ void k() {}\n", "x") == Content::kCuda);
  CHECK(content_of("// k\ntemplate <class T> __global__ void k(T*);", "x.yaml") == Content::kCuda);
  CHECK(content_of("# a launch\nptx: k.ptx\nkernel: k\n", "x.ptx.yaml") == Content::kYaml);
  CHECK(content_of("{\"ptx\": \"k.ptx\"}", "x") == Content::kYaml);
  CHECK(content_of(fatbin_of({}), "x.ptx") == Content::kFatbin);
  CHECK(content_of(std::string("\x7f"
                               "ELF\2\1\1",
                               7) +
                       std::string(11, '\0') + "\xbe" + std::string(60, '\0'),
                   "x") == Content::kCubin);
  CHECK(content_of("", "x.yaml") == Content::kEmpty);
  CHECK(content_of(std::string("\0\1\2\3", 4), "x.yaml") == Content::kBinary);
}

TEST_CASE("PTX in a fatbin is read as it is, packed by LZ4 and packed by zstd", "[frontend]") {
  const std::string text = ptx_for("sm_80", "first");
  const std::vector<Image> ways = {{text + '\0', 80},
                                   {lz4_of(text), 80, 0x2000, 1, text.size()},
                                   {zstd_of(text), 80, 0x8000, 1, text.size()}};
  for (const Image& way : ways) {
    const std::vector<Fatbin> all = read_fatbins(fatbin_of({way}), "x");
    REQUIRE(all.size() == 1);
    REQUIRE(all[0].size() == 1);
    CHECK(all[0][0].text == text);
    CHECK(all[0][0].target() == "sm_80");
  }
}

TEST_CASE("An LZ4 match that overlaps what it copies repeats it", "[frontend]") {
  // Token: 1 literal, match of 4 + 4; distance 1.
  const std::string packed(
      "\x14"
      "a\x01\x00\x10"
      "b",
      6);
  CHECK(unpack_lz4(packed, 10, "x") == "aaaaaaaaab");
  CHECK_THROWS_WITH(unpack_lz4(packed.substr(0, 3), 10, "x"), ContainsSubstring("damaged"));
  CHECK_THROWS_WITH(unpack_lz4(packed, 11, "x"), ContainsSubstring("damaged"));
}

TEST_CASE("The newest PTX that the target runs is taken, and none that it does not run", "[frontend]") {
  const std::string data = fatbin_of({{ptx_for("sm_80", "k"), 80},
                                      {ptx_for("sm_90", "k"), 90},
                                      {ptx_for("sm_90a", "k"), 90, 0x100000},
                                      {ptx_for("sm_120", "k"), 120},
                                      {"machine code", 90, 0, 2}});
  const auto of = [&](const char* target) { return modules_of(data, "x", for_target(target)).at(0).name; };
  CHECK(of("sm_90a") == "x (sm_90a PTX)");
  CHECK(of("sm_89") == "x (sm_80 PTX)");
  CHECK(of("sm_100") == "x (sm_90 PTX)");
  CHECK_THROWS_WITH(of("sm_75"), ContainsSubstring("which sm_75 does not run") &&
                                     ContainsSubstring("-gencode arch=compute_75,code=compute_75"));
}

TEST_CASE("A fatbin with machine code alone says which flag keeps PTX", "[frontend]") {
  const std::string data = fatbin_of({{"machine code", 90, 0, 2}});
  CHECK_THROWS_WITH(
      modules_of(data, "app", for_target("sm_90a")),
      ContainsSubstring("machine code for sm_90 and no PTX") && ContainsSubstring("-arch=sm_90a"));
}

TEST_CASE("Of several translation units the one with kernels is taken, or each", "[frontend]") {
  const std::string empty = ".version 8.0\n.target sm_80\n.address_size 64\n";
  const std::string two = fatbin_of({{empty, 80}}) + fatbin_of({{ptx_for("sm_80", "k"), 80}});
  REQUIRE(modules_of(two, "x", for_target("sm_90")).size() == 1);
  const std::string three = two + fatbin_of({{ptx_for("sm_80", "l"), 80}});
  CHECK(modules_of(three, "x", for_target("sm_90")).size() == 2);
}

TEST_CASE("A fatbin that is cut off is an error and not a crash", "[frontend]") {
  const std::string data = fatbin_of({{zstd_of(ptx_for("sm_80", "k")), 80, 0x8000, 1, 1000}});
  for (size_t n = 17; n < data.size(); n += 7)
    CHECK_THROWS_AS(modules_of(data.substr(0, n), "x", for_target("sm_90")), Error);
}

TEST_CASE("Entries are found without parsing", "[frontend]") {
  CHECK(entry_names(".visible .entry a(\n.entry\nb () .weak .entry _Z1cv ()") ==
        std::vector<std::string>{"a", "b", "_Z1cv"});
}
