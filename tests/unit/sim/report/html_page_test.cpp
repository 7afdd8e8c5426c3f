// SPDX-License-Identifier: Apache-2.0
#include "sim/report/html/page.h"
#include "tests/catch2.h"

using namespace gpuloom;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("A page holds its style, its scripts and its data, and no place of the template stays empty",
          "[report][html]") {
  const std::string page = html_page({"saxpy", R"({"runs": []})", "a summary"});
  CHECK_THAT(page, ContainsSubstring("<title>saxpy</title>"));
  CHECK_THAT(page, ContainsSubstring(R"({"runs": []})"));
  CHECK(page.find(html_style()) != std::string::npos);
  CHECK(page.find(html_script()) != std::string::npos);
  for (const char* place : {"@TITLE@", "@STYLE@", "@TEXT@", "@DATA@", "@SCRIPT@"})
    CHECK(page.find(place) == std::string::npos);
}

TEST_CASE("Names and source texts cannot end the script that holds the data", "[report][html]") {
  const std::string page = html_page(
      {"<b>&\"", R"({"line": "if (a < b) // </script><script>alert(1)</script>"})", "</pre><script>"});
  CHECK_THAT(page, ContainsSubstring("<title>&lt;b&gt;&amp;&quot;</title>"));
  CHECK_THAT(page, ContainsSubstring("\\u003c/script>\\u003cscript>alert"));
  CHECK_THAT(page, ContainsSubstring("&lt;/pre&gt;&lt;script&gt;"));
  CHECK(page.find("<script>alert") == std::string::npos);
}

TEST_CASE("What a text of the data looks like is not taken for a place of the template", "[report][html]") {
  const std::string page = html_page({"@SCRIPT@", R"("@STYLE@")", "@DATA@"});
  CHECK_THAT(page, ContainsSubstring("<title>@SCRIPT@</title>"));
  CHECK_THAT(page, ContainsSubstring(R"("@STYLE@")"));
}

TEST_CASE("The page asks for nothing from a network, and may not", "[report][html]") {
  const std::string page = html_page({"k", "{}", ""});
  CHECK_THAT(page, ContainsSubstring("default-src 'none'"));
  for (const char* way : {"src=\"http", "href=\"http", "@import", "fetch(", "XMLHttpRequest"})
    CHECK(page.find(way) == std::string::npos);
}
