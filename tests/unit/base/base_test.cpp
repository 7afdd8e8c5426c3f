// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <stdexcept>
#include <vector>

#include "base/error.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/parallel.h"
#include "base/text.h"
#include "base/version.h"
#include "tests/catch2.h"

using namespace gpuloom;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("Edit distance counts insertions, deletions, replacements and swaps") {
  CHECK(edit_distance("banks", "banks") == 0);
  CHECK(edit_distance("bansk", "banks") == 1);
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("kitten", "sitting") == 3);
  CHECK(edit_distance("SIZE", "size") == 0);
}

TEST_CASE("A suggestion is near or none") {
  CHECK(closest("latncy", {"line", "latency"}) == "latency");
  CHECK(closest("colour", {"line", "latency"}).empty());
  CHECK(did_you_mean("gtp", {"gto", "lrr"}) == "did you mean 'gto'?");
  CHECK(closest("a", {"b"}).empty());
}

TEST_CASE("Numbers for people") {
  CHECK(with_thousands(uint64_t{0}) == "0");
  CHECK(with_thousands(uint64_t{1234567}) == "1,234,567");
  CHECK(with_thousands(-1234.5, 2) == "-1,234.50");
  CHECK(with_thousands(999.0, 0) == "999");
  CHECK(format_bytes(233472) == "228 KiB");
  CHECK(format_bytes(1500) == "1500 B");
  CHECK(format_bytes(1572864) == "1.5 MiB");
  CHECK(format_number(0.1) == "0.1");
  CHECK(format_number(3) == "3");
}

TEST_CASE("Text helpers") {
  CHECK(split("a.b", '.') == std::vector<std::string>{"a", "b"});
  CHECK(split("", '.') == std::vector<std::string>{""});
  CHECK(trim("  a b\n") == "a b");
  CHECK(either({"a", "b", "c"}) == "a, b or c");
}

TEST_CASE("FNV-1a starts where the reference outputs started") {
  CHECK(fnv1a64("", 0) == 1469598103934665603ull);
  CHECK(fnv1a64("a", 1) == (1469598103934665603ull ^ 'a') * 1099511628211ull);
  CHECK(fnv1a64("ab", 2) == fnv1a64("b", 1, fnv1a64("a", 1)));
}

TEST_CASE("SHA-256 gives the digests of FIPS 180-4") {
  CHECK(sha256_hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256_hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST_CASE("SHA-256 does not depend on how the data is cut") {
  const std::string data(1000, 'x');
  for (const size_t piece : {size_t{1}, size_t{55}, size_t{64}, size_t{65}, size_t{999}}) {
    Sha256 hash;
    for (size_t i = 0; i < data.size(); i += piece) hash.add(std::string_view(data).substr(i, piece));
    CHECK(hash.finish_hex() == sha256_hex(data));
  }
}

TEST_CASE("A logger passes on what its level allows") {
  std::string said;
  const Logger log(LogLevel::kWarning, [&said](LogLevel level, std::string_view text) {
    said += std::string(log_level_name(level)) + ":" + std::string(text) + ";";
  });
  log.error("a");
  log.warning("b");
  log.info("c");
  CHECK(said == "error:a;warning:b;");
  CHECK(log_level_from_name("debug") == LogLevel::kDebug);
  CHECK_THROWS_WITH(log_level_from_name("warnign"), ContainsSubstring("did you mean 'warning'?"));
}

TEST_CASE("A pool calls each index once, again and again, with any number of threads") {
  for (const unsigned threads : {1u, 2u, 3u, 8u}) {
    ThreadPool pool(threads);
    CHECK(pool.threads() == threads);
    for (const size_t n : {size_t{0}, size_t{1}, size_t{2}, size_t{100}}) {
      for (int round = 0; round < 50; ++round) {
        std::vector<int> calls(n);
        pool.for_each_index(n, [&](size_t i) { ++calls[i]; });
        CHECK(calls == std::vector<int>(n, 1));
      }
    }
  }
}

TEST_CASE("A pool calls each index that it is given once, while more are given") {
  for (const unsigned threads : {1u, 2u, 3u, 8u}) {
    ThreadPool pool(threads);
    for (int round = 0; round < 50; ++round) {
      std::vector<int> calls(100);
      const auto odd_ones = [](auto&& take) {
        for (size_t i = 99; i < 100; i -= 2) take(i);
      };
      pool.for_each_given(calls.size(), odd_ones, [&](size_t i) { ++calls[i]; });
      for (size_t i = 0; i < calls.size(); ++i) REQUIRE(calls[i] == static_cast<int>(i % 2));
    }
    const auto fails = [](auto&& take) {
      take(7);
      throw std::runtime_error("no more");
    };
    int calls = 0;
    CHECK_THROWS_WITH(pool.for_each_given(2, fails, [&](size_t) { ++calls; }), "no more");
    CHECK(calls == 1);
  }
}

TEST_CASE("A pool rethrows the exception of the smallest index and stays usable") {
  ThreadPool pool(4);
  std::atomic<int> calls{0};
  const auto fail = [&](size_t i) {
    ++calls;
    if (i == 3 || i == 40) throw std::runtime_error(std::to_string(i));
  };
  CHECK_THROWS_WITH(pool.for_each_index(64, fail), "3");
  CHECK(calls == 64);
  pool.for_each_index(64, [&](size_t) { ++calls; });
  CHECK(calls == 128);
}

TEST_CASE("The version is a number of three parts") { CHECK(split(version(), '.').size() == 3); }
