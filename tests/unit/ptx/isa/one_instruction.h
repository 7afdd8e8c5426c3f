// SPDX-License-Identifier: Apache-2.0
// Runs a single instruction on rows filled by hand: text through the parser and the decoder, then its lane
// function, without an engine.
#pragma once
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "ptx/exec/cta.h"
#include "ptx/parse/parser.h"
#include "ptx/passes/pipeline.h"
#include "tests/catch2.h"

namespace gpuloom::test {

class OneInstruction {
 public:
  // `registers` as in ".reg": ".s32 d, a, b; .pred p"; `text` one instruction.
  OneInstruction(const std::string& registers, const std::string& text) {
    std::string body;
    for (size_t at = 0; at < registers.size();) {
      const size_t end = std::min(registers.find(';', at), registers.size());
      body +=
          ".reg " +
          registers.substr(registers.find_first_not_of(' ', at), end - registers.find_first_not_of(' ', at)) +
          ";\n";
      at = end + 1;
    }
    module_ =
        ptx::load_module_text(".version 9.0\n.target sm_100a\n.address_size 64\n.visible .entry k()\n{\n" +
                                  body + text + "\nret;\n}\n",
                              "test.ptx", ptx::isa_table());
    resolver_ = std::make_unique<ptx::OffsetResolver>(*module_);
    ptx::PassOptions options;
    options.reuse_rows = false;
    for (const char* pass : {"contract", "dead_code"}) options.set(pass, false);
    program_ = ptx::build_program(*module_, *module_->find_function("k"), *resolver_, options);
    rows_.assign(program_->functions[0].frame_bytes + 64, 0);
    warp_.regs = rows_.data();
    warp_.consts = program_->constants.data();
    warp_.code = program_->code.data();
    warp_.program = program_.get();
    warp_.launch = &launch_;
  }

  const ptx::Instr& instruction() const { return program_->code[0]; }
  ptx::Warp& warp() { return warp_; }

  // Lane `lane` of the row at place k (Instr::ops); predicates are 0 or 1.
  void set(unsigned k, unsigned lane, uint64_t value) {
    const unsigned bytes = bytes_of(k);
    uint8_t* row = rows_.data() + instruction().ops[k].at;
    if (bytes == 0)
      *reinterpret_cast<uint32_t*>(row) =
          (*reinterpret_cast<uint32_t*>(row) & ~(1u << lane)) | static_cast<uint32_t>(value & 1) << lane;
    else
      std::memcpy(row + lane * bytes, &value, bytes);
  }
  uint64_t get(unsigned k, unsigned lane) const {
    const unsigned bytes = bytes_of(k);
    const uint8_t* row = rows_.data() + instruction().ops[k].at;
    uint64_t value = 0;
    if (bytes == 0) return (*reinterpret_cast<const uint32_t*>(row) >> lane) & 1u;
    std::memcpy(&value, row + lane * bytes, bytes);
    return value;
  }
  void run(uint32_t lanes = ~0u) { instruction().fn(warp_, instruction(), lanes); }

 private:
  unsigned bytes_of(unsigned k) const {
    for (uint32_t r = program_->ref_begin[0]; r < program_->ref_begin[1]; ++r)
      if (program_->refs[r].operand == k) return program_->refs[r].bytes;
    return 4;
  }

  std::unique_ptr<ptx::Module> module_;
  std::unique_ptr<ptx::OffsetResolver> resolver_;
  std::unique_ptr<ptx::Program> program_;
  std::vector<uint8_t> rows_;
  ptx::Warp warp_;
  ptx::Launch launch_;
};

// One instruction with its sources (places 1, 2, ... that are registers) and the result expected in place 0.
struct OneCase {
  const char* registers;
  const char* text;
  std::vector<uint64_t> sources;
  uint64_t expected;
};

// The result of a case in a lane of a full and of a partial warp. Lanes that are switched off keep their
// values.
inline uint64_t result_of(const OneCase& c, uint32_t lanes, unsigned lane) {
  OneInstruction one(c.registers, c.text);
  unsigned place = 1;
  for (const uint64_t source : c.sources) {
    while (one.instruction().ops[place].constant()) ++place;
    for (unsigned l = 0; l < 32; ++l) one.set(place, l, source);
    ++place;
  }
  one.run(lanes);
  return one.get(0, lane);
}

inline void check_all(const std::vector<OneCase>& cases) {
  for (const OneCase& c : cases) {
    INFO(c.text);
    CHECK(result_of(c, ~0u, 0) == c.expected);
    CHECK(result_of(c, 0x80000001u, 31) == c.expected);
  }
}

}  // namespace gpuloom::test
