// SPDX-License-Identifier: Apache-2.0
// C++ names as people write them, and which of several names a person means.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gpuloom {

// "void saxpy<float>(float*, float const*, float, int)" for _Z5saxpyIfEvPT_PKS0_S0_i. A name that is not a
// mangled one stays as it is.
std::string demangled(const std::string& name);

// Without return type and parameters: "saxpy<float>".
std::string short_name(const std::string& name);

// The types in the parameter list of a mangled name: "float*", "float const*", "int". Empty for other names.
std::vector<std::string> parameter_types(const std::string& name);

// Indices of the names that `pattern` stands for. An exact name wins; then the demangled one, the name
// with its template arguments, without them, and without its namespaces, the first kind that fits any name.
// "regex:..." searches mangled and demangled names (ECMAScript). Throws Error (kUsage) for a bad expression.
std::vector<size_t> names_meant(std::string_view pattern, const std::vector<std::string>& names);

// "saxpy<float>(float*, ...) (_Z5saxpy...)", or the plain name: for listings.
std::string listed_name(const std::string& name);

}  // namespace gpuloom
