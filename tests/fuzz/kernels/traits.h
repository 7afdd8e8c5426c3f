// SPDX-License-Identifier: Apache-2.0
// What ptxas may know about registers' values, for the things that it does with them (README, "Known").
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gpuloom::fuzz {

// A line of PTX in its parts: "@%p1 add.f32 %f1, %f2, 1.0;" has words {"f32"}, to "%f1", from "%f2, 1.0;".
struct Parts {
  std::string mnemonic, to, from;
  std::vector<std::string> words;
  bool has(const std::string& word) const;
};
std::vector<Parts> parts_of(const std::string& text);

class Traits {
 public:
  void note(const std::string& text);
  // The value may be a constant to ptxas: made of immediates, a function's result, compared with a constant.
  bool constant(const std::string& name) const { return has(name, kConstant); }
  bool any_constant(const std::string& operands) const;  // immediates too
  // Its bits are those of a floating-point value, to ptxas.
  bool computed_float(const std::string& name) const { return has(name, kFloat); }
  // A load of one or two bytes filled it.
  bool narrow(const std::string& name) const { return has(name, kNarrow); }

 private:
  enum : uint8_t { kConstant = 1, kFloat = 2, kNarrow = 4 };
  bool has(const std::string& name, uint8_t trait) const;
  uint8_t result_of(const Parts& p) const;
  bool gives_constant(const Parts& p) const;
  std::map<std::string, uint8_t> of_;
};

}  // namespace gpuloom::fuzz
