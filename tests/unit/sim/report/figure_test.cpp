// SPDX-License-Identifier: Apache-2.0
#include "sim/report/figure.h"

#include "tests/catch2.h"

using namespace gpuloom;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("Words in a picture are data, whatever stands in them", "[report]") {
  Figure figure(100, 50);
  figure.text(1, 2, Anchor::kMiddle, "a<b> & \"c\"\x01", {13, "#fff", true});
  figure.dot(3, 4, 5, "#123456", "</title>");
  const std::string svg = figure.svg();
  CHECK_THAT(svg, ContainsSubstring("a&lt;b&gt; &amp; &quot;c&quot; </text>"));
  CHECK_THAT(svg, ContainsSubstring("rotate(-90 1.0 2.0)") && ContainsSubstring("&lt;/title&gt;"));
  CHECK(svg.find('\x01') == std::string::npos);
  CHECK_THAT(svg, Catch::Matchers::EndsWith("</svg>\n"));
}

TEST_CASE("Ticks are round and lie within their range", "[report]") {
  CHECK(round_ticks(0, 100) == std::vector<double>{0, 20, 40, 60, 80, 100});
  CHECK(round_ticks(-0.7, 0.8) == std::vector<double>{-0.5, 0, 0.5});
}

TEST_CASE("Shades go from light to dark, and lines beyond the eighth are dashed", "[report]") {
  CHECK(shade(0) == "#fff7d6");
  CHECK(shade(1) == "#3b0f70");
  CHECK(shade(7) == shade(1));
  CHECK(series_stroke(0, 2).dash.empty());
  CHECK(series_stroke(8, 2).colour == series_stroke(0, 2).colour);
  CHECK(!series_stroke(8, 2).dash.empty());
  CHECK(short_number(12345) == "12.3k");
}
