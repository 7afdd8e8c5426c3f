// SPDX-License-Identifier: Apache-2.0
// Where the tests find the project and the program. Functions, not macros on every file: a path in a command
// line would keep the compiler cache from sharing objects between checkouts.
#pragma once
#include <string>

namespace gpuloom::tests {

// `path`, which begins with a slash, in the project's folder: in_tree("/bench/silicon").
std::string in_tree(const std::string& path);
// The gpuloom that was built with the tests.
std::string program();

}  // namespace gpuloom::tests
