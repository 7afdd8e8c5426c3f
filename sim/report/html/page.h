// SPDX-License-Identifier: Apache-2.0
// The report as one HTML file that opens without a network: template, style and scripts are in the program,
// the data stands in the page as JSON, and the page's own script draws it.
#pragma once
#include <string>
#include <string_view>

namespace gpuloom {

struct HtmlPage {
  std::string title;
  std::string data;  // JSON, as sim/report/html/README.md describes it
  std::string text;  // for a reader without JavaScript
};
std::string html_page(const HtmlPage& page);

// The files of this folder (cmake/EmbedFiles.cmake).
std::string_view html_template();
std::string_view html_style();
std::string_view html_script();

}  // namespace gpuloom
