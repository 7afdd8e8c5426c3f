// SPDX-License-Identifier: Apache-2.0
#include "sim/report/html/page.h"

#include <array>
#include <utility>

#include "sim/report/markup.h"

namespace gpuloom {
namespace {

// Inside <script>, "</script>" and "<!--" would end or change how a browser reads it; JSON allows \u003c.
std::string inside_script(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  for (const char c : json)
    if (c == '<')
      out += "\\u003c";
    else
      out += c;
  return out;
}

}  // namespace

std::string html_page(const HtmlPage& page) {
  const std::array<std::pair<std::string_view, std::string>, 5> parts = {{
      {"@TITLE@", escaped_markup(page.title)},
      {"@STYLE@", std::string(html_style())},
      {"@TEXT@", escaped_markup(page.text)},
      {"@DATA@", inside_script(page.data)},
      {"@SCRIPT@", std::string(html_script())},
  }};
  const std::string_view frame = html_template();
  std::string out;
  out.reserve(frame.size() + parts[1].second.size() + page.data.size() + parts[4].second.size() + (64 << 10));
  // Once from left to right, so that nothing in a part is taken for a place of another.
  for (size_t at = 0; at < frame.size();) {
    size_t next = std::string_view::npos, which = 0;
    for (size_t i = 0; i < parts.size(); ++i)
      if (const size_t found = frame.find(parts[i].first, at); found < next) next = found, which = i;
    out += frame.substr(at, next - at);
    if (next == std::string_view::npos) break;
    out += parts[which].second;
    at = next + parts[which].first.size();
  }
  return out;
}

}  // namespace gpuloom
