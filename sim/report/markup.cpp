// SPDX-License-Identifier: Apache-2.0
#include "sim/report/markup.h"

namespace gpuloom {

std::string escaped_markup(std::string_view text) {
  std::string out;
  for (const char c : text) switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  return out;
}

}  // namespace gpuloom
