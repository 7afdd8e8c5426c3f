// SPDX-License-Identifier: Apache-2.0
// What standard output can show: colours and how many columns.
#pragma once
#include <cstddef>
#include <string>

namespace gpuloom::cli {

// Columns of the terminal (COLUMNS where that is set); 0 where standard output is not one.
size_t terminal_width();

// The text with headings bold, failures red, notes yellow, where standard output is a terminal that shows
// colours (NO_COLOR forbids, CLICOLOR_FORCE demands); else the text.
std::string painted(const std::string& text);

}  // namespace gpuloom::cli
