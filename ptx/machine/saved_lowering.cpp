// SPDX-License-Identifier: Apache-2.0
#include "ptx/machine/saved_lowering.h"

#include <cstddef>
#include <cstring>
#include <memory>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ptx/exec/row_conversion.h"
#include "ptx/isa/compare/mask_function.h"
#include "ptx/machine/own_code.h"

namespace gpuloom::ptx {
namespace {

constexpr uint32_t kNoFunction = UINT32_MAX;

// Of the instruction's two words that may be addresses of this process, as distances from its code.
struct CodeWords {
  uint64_t fn = 0, imm = 0;
  bool known = true;
};

bool in_own_code(uint64_t address) { return address - own_code().base < own_code().end - own_code().base; }

bool imm_is_function(const Instr& in) { return applies_conversion(in.fn) || applies_comparison(in.fn); }

CodeWords words_of(const Instr& in) {
  CodeWords words{reinterpret_cast<uintptr_t>(in.fn), static_cast<uint64_t>(in.imm)};
  const bool function = imm_is_function(in);
  // A number that looks like an address: whether it is one cannot be told.
  words.known = in_own_code(words.fn) && in_own_code(words.imm) == function;
  words.fn -= own_code().base;
  if (function) words.imm -= own_code().base;
  return words;
}

// What is copied as it lies in memory.
template <class T>
constexpr bool kPlain = std::is_trivially_copyable_v<T> && !std::is_pointer_v<T> &&
                        !std::is_same_v<T, Instr> && !std::is_same_v<T, InstrSource>;

// The members of what is not plain, in the order of their declarations, for writing and for reading. A member
// that is added there does not compile here until it is added.
template <class Archive, class T>
void members(Archive& a, T& value) {
  using Bare = std::remove_const_t<T>;
  if constexpr (std::is_same_v<Bare, InstrSource>) {
    auto& [function, instruction, position, source_line] = value;
    a.all(function, instruction, position, source_line);
  } else if constexpr (std::is_same_v<Bare, FunctionCode>) {
    auto& [function, entry, end, frame, local, saved, specials, params, returns] = value;
    a.all(function, entry, end, frame, local, saved, specials, params, returns);
  } else if constexpr (std::is_same_v<Bare, CallSite>) {
    auto& [function, external, address, arguments, results] = value;
    a.all(function, external, address, arguments, results);
  } else if constexpr (std::is_same_v<Bare, KernelParam>) {
    auto& [name, type, offset, size, align, is_array] = value;
    a.all(name, type, offset, size, align, is_array);
  } else {
    static_assert(std::is_same_v<Bare, SharedVariable>);
    auto& [name, offset, bytes] = value;
    a.all(name, offset, bytes);
  }
}

template <class Archive, class P>
void program_members(Archive& a, P& program) {
  auto& [name, module, code, extra, constants, blocks, block_of, sources, refs, ref_begin, functions,
         function_of, calls, branch_tables, params, param_bytes, shared_static, dynamic_align,
         shared_variables, local_bytes, uses_calls, uses_barriers, barrier_count, registers] = program;
  static_cast<void>(module);  // that of the reader
  a.all(name, code, extra, constants, blocks, block_of, sources, refs, ref_begin, functions, function_of,
        calls, branch_tables, params, param_bytes, shared_static, dynamic_align, shared_variables,
        local_bytes, uses_calls, uses_barriers, barrier_count, registers);
}

template <class Archive, class M>
void machine_members(Archive& a, M& machine) {
  auto& [program, owned, ops, blocks, records, instructions, given, registers, spill, instruction_bytes] =
      machine;
  static_cast<void>(program);
  static_cast<void>(owned);
  a.all(ops, blocks, records, instructions, given, registers, spill, instruction_bytes);
}

class Writer {
 public:
  explicit Writer(const Module& module) {
    for (const Function& f : module.functions) number_.emplace(&f, static_cast<uint32_t>(number_.size()));
  }
  template <class... T>
  void all(const T&... values) {
    (write(values), ...);
  }
  std::string bytes;
  bool complete = true;

 private:
  template <class T>
  void write(const T& value) {
    if constexpr (kPlain<T>)
      raw(&value, sizeof value);
    else
      members(*this, value);
  }
  template <class T>
  void write(const std::vector<T>& values) {
    write(static_cast<uint64_t>(values.size()));
    if constexpr (kPlain<T>)
      raw(values.data(), values.size() * sizeof(T));
    else
      for (const T& value : values) write(value);
  }
  void write(const std::string& text) {
    write(static_cast<uint64_t>(text.size()));
    raw(text.data(), text.size());
  }
  void write(const Function* function) {
    const auto found = number_.find(function);
    complete = complete && (function == nullptr || found != number_.end());
    write(found == number_.end() ? kNoFunction : found->second);
  }
  void write(const Instr& in) {
    const CodeWords words = words_of(in);
    complete = complete && words.known;
    const size_t at = bytes.size();
    raw(&in, sizeof in);
    std::memcpy(bytes.data() + at + offsetof(Instr, fn), &words.fn, sizeof words.fn);
    std::memcpy(bytes.data() + at + offsetof(Instr, imm), &words.imm, sizeof words.imm);
  }
  void raw(const void* data, size_t size) {
    if (size != 0) bytes.append(static_cast<const char*>(data), size);
  }

  std::unordered_map<const Function*, uint32_t> number_;
};

class Reader {
 public:
  Reader(std::string_view bytes, const Module& module) : left_(bytes), module_(module) {}
  template <class... T>
  void all(T&... values) {
    (read(values), ...);
  }
  bool complete() const { return good_ && left_.empty(); }

 private:
  template <class T>
  void read(T& value) {
    if constexpr (kPlain<T>)
      raw(&value, sizeof value);
    else
      members(*this, value);
  }
  template <class T>
  void read(std::vector<T>& values) {
    values.resize(count(kPlain<T> ? sizeof(T) : 1));
    if constexpr (kPlain<T>)
      raw(values.data(), values.size() * sizeof(T));
    else
      for (T& value : values) read(value);
  }
  void read(std::string& text) {
    text.resize(count(1));
    raw(text.data(), text.size());
  }
  void read(const Function*& function) {
    uint32_t number = kNoFunction;
    read(number);
    good_ = good_ && (number == kNoFunction || number < module_.functions.size());
    function = good_ && number != kNoFunction ? &module_.functions[number] : nullptr;
  }
  void read(Instr& in) {
    CodeWords words;
    std::string_view bytes = left_;
    raw(&in, sizeof in);
    if (!good_) return;
    std::memcpy(&words.fn, bytes.data() + offsetof(Instr, fn), sizeof words.fn);
    in.fn = reinterpret_cast<LaneFn>(own_code().base + words.fn);
    if (imm_is_function(in)) in.imm += static_cast<int64_t>(own_code().base);
    good_ = words_of(in).known;
  }
  // Elements that follow, each of so many bytes or more.
  size_t count(size_t least) {
    uint64_t number = 0;
    read(number);
    if (number > left_.size() / least) good_ = false;
    return good_ ? number : 0;
  }
  void raw(void* to, size_t size) {
    if (size > left_.size()) good_ = false;
    if (!good_ || size == 0) return;
    std::memcpy(to, left_.data(), size);
    left_.remove_prefix(size);
  }

  std::string_view left_;
  const Module& module_;
  bool good_ = true;
};

// All but those two words, without the bits between the members.
void add_rest(const Instr& in, Sha256& key) {
  const auto& [fn, ops, imm, extra, target, guard, op_class, kind, guard_negated, uniform, ends_block,
               begins_block, skips_unrolled, source, vec, space, type, aux] = in;
  static_cast<void>(fn);
  static_cast<void>(imm);
  const auto bits = static_cast<uint32_t>(guard_negated | uniform << 1 | ends_block << 2 | begins_block << 3 |
                                          skips_unrolled << 4);
  const uint32_t rest[] = {extra,
                           target,
                           static_cast<uint32_t>(guard.at),
                           op_class,
                           static_cast<uint32_t>(kind),
                           bits,
                           source,
                           vec,
                           static_cast<uint32_t>(space),
                           static_cast<uint32_t>(type),
                           aux};
  key.add(ops, sizeof ops);
  key.add(rest, sizeof rest);
}

}  // namespace

const std::string& build_name() { return own_code().name; }

bool add_decoded(const Program& program, Sha256& key) {
  const auto add = [&](const auto& values) { key.add(values.data(), values.size() * sizeof(values[0])); };
  for (const Instr& in : program.code) {
    const CodeWords words = words_of(in);
    if (!words.known) return false;
    key.add(&words, offsetof(CodeWords, known));
    add_rest(in, key);
  }
  add(program.extra);
  add(program.constants);
  add(program.blocks);
  return true;
}

std::string save_lowering(const MachineProgram& machine) {
  Writer out(*machine.program->module);
  program_members(out, *machine.program);
  machine_members(out, machine);
  return out.complete ? std::move(out.bytes) : std::string();
}

std::optional<MachineProgram> restore_lowering(std::string_view bytes, const Module& module) {
  Reader in(bytes, module);
  const auto program = std::make_shared<Program>();
  MachineProgram machine;
  program_members(in, *program);
  machine_members(in, machine);
  if (!in.complete()) return std::nullopt;
  program->module = &module;
  machine.program = program.get();
  machine.owned = program;
  return machine;
}

}  // namespace gpuloom::ptx
