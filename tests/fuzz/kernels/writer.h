// SPDX-License-Identifier: Apache-2.0
// Writes random statements that are valid where they stand. One file of write_*.cpp a kind of statement.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ptx/ir/types.h"
#include "tests/fuzz/kernels/forms.h"
#include "tests/fuzz/kernels/kernel.h"
#include "tests/fuzz/kernels/random.h"
#include "tests/fuzz/kernels/traits.h"

namespace gpuloom::fuzz {

// Habits of writing: which registers there are, and how memory is accessed.
enum class Habit : uint8_t {
  kNvcc,    // bits and floats apart
  kBits,    // nvcc since 12.9: every register is .b16, .b32 or .b64
  kClang,   // like nvcc's, other addresses
  kTriton,  // one-element vectors, guarded loads, packing moves
  kHand,    // every type of register there is
};

// Memory that a thread may read, and write where it says so: nobody else writes there meanwhile.
struct Region {
  std::string base;    // register or symbol
  std::string space;   // ".global"; "" generic
  uint32_t bytes = 0;  // from the base on; a power of two
  bool writable = false;
  bool constant = false;  // nobody ever writes it: .nc may read it
  bool narrow = false;    // 32-bit addresses (shared memory)
  bool local = false;     // generic addresses of local memory, where no atomics are
  bool is_symbol() const { return base[0] != '%'; }
};

// What holds where statements are written.
struct Place {
  unsigned depth = 0;          // of control flow around
  bool block_together = true;  // all threads of the block come here as often: barriers may stand
  bool warp_together = true;   // all lanes of the warp do: exchanges of the whole warp may stand
  std::string lanes;           // register with the lanes that come here, where it is known
  bool in_function = false;
  bool in_loop = false;
};

// lop3.and and lop3.or: the result is also joined with a predicate.
bool joins_predicate(const Use& use);

class Writer {
 public:
  Writer(Random& rng, Forms& forms, Habit habit, RandomKernel& kernel);

  Random& rng() { return rng_; }
  Habit habit() const { return habit_; }
  Place& place() { return place_; }
  std::vector<Region>& regions() { return regions_; }
  RandomKernel& kernel() { return kernel_; }

  // --- where statements go
  std::vector<Statement>& out() { return *out_; }
  // `before`: lines that make its operands, of which nothing is left.
  void line(const std::string& text, std::vector<std::string> defines = {}, Role role = Role::kPlain,
            const std::string& before = "");
  void fixed(const std::string& text, std::vector<std::string> defines = {}) {
    line(text, std::move(defines), Role::kFixed);
  }
  void initial(const std::string& text, std::vector<std::string> defines) {
    line(text, std::move(defines), Role::kInitial);
  }
  // Statements that `write` makes stand in a group; what they define is visible in it only.
  template <class Write>
  void group(bool loose, Write&& write) {
    Statement s;
    s.loose = loose;
    std::vector<Statement>* outer = std::exchange(out_, &s.parts);
    const size_t visible = visible_.size();
    write();
    visible_.resize(visible);
    out_ = outer;
    if (!s.parts.empty()) out_->push_back(std::move(s));
  }
  // The same, with what they define visible behind it.
  template <class Write>
  void together(Write&& write) {
    Statement s;
    std::vector<Statement>* outer = std::exchange(out_, &s.parts);
    write();
    out_ = outer;
    for (const Statement& part : s.parts)
      s.defines.insert(s.defines.end(), part.defines.begin(), part.defines.end());
    if (!s.parts.empty()) out_->push_back(std::move(s));
  }
  template <class Write>
  void aside(std::vector<Statement>& into, Write&& write) {
    std::vector<Statement>* outer = std::exchange(out_, &into);
    write();
    out_ = outer;
  }

  // --- registers
  std::string fresh(std::string_view letters);  // a new name; the caller defines it
  std::string label() { return "L" + std::to_string(labels_++); }
  void show(const std::string& name) {
    visible_.push_back({name, class_of(name)});
  }  // from here on it has a value
  // Registers of one class for a brace list: PTX does not mix types in one.
  std::vector<std::string> peers(ptx::Type type, unsigned count);
  // Letters of registers that may hold the type in this habit.
  std::vector<std::string> classes(ptx::Type type) const;
  // A register with a value that may be read as the type; "" where there is none.
  std::string reg(ptx::Type type);
  std::string reg_of(const std::vector<std::string>& letters);
  // Whether bits may stand in floating-point registers for the instruction that is being written.
  bool loose_bits_ = false;
  // The same or an immediate.
  std::string source(ptx::Type type, bool immediates = true);
  std::string immediate(ptx::Type type);
  // A register to write: one that has a value, or a new one (then `defined` gets its name and it is to be
  // shown once its statement stands).
  std::string destination(ptx::Type type, std::vector<std::string>& defined);
  // "" or "@%p1 " or "@!%p2 "; with a guard, destinations must have a value already.
  std::string guard(unsigned percent);
  std::string predicate() { return reg(ptx::Type::kPred); }
  // The lanes of the warp that come here, as an operand: a register or 0xffffffff.
  std::string lanes() const { return place_.lanes.empty() ? "0xffffffff" : place_.lanes; }

  // --- statements, write_*.cpp
  void plain();   // an instruction of the table
  void chain();   // carries from one to the next
  void divide();  // divisors are not zero
  void pack();    // brace lists of mov
  void load();
  void store();
  void local_array();
  void branch(unsigned budget);
  void loop(unsigned budget);
  void table_branch(unsigned budget);
  void early_exit();
  void exchange();
  void atomic();
  void shared_exchange();
  void global_exchange();
  void call();
  void async_copy();
  void matrix();
  void special();
  void statements(unsigned count);
  void structure(uint32_t dice, unsigned budget);
  void frame_begin();
  void frame_end();

  // An address in a region for an access of so many bytes, aligned; may write what computes it.
  std::string address(const Region& region, unsigned bytes);
  // An opcode of ld, st, atom, red with the words given ("" chooses): .ss, .type, .vec.
  Use memory_use(std::string_view mnemonic, const std::vector<std::pair<std::string, std::string>>& words);
  // One line by form: opcode and operands chosen, null text where it did not come out.
  bool write_use(const Use& use);

 private:
  struct Callable {
    std::string name;
    std::vector<ptx::Type> parameters;
    ptx::Type result = ptx::Type::kB32;
  };
  std::string condition(bool together);
  void trip_count(const std::string& count, bool together);
  void shuffle();
  void shared_atomic();
  std::string shared_room(uint32_t bytes);
  void barrier();
  void bulk_copy();
  void meet_at_mbarrier();
  void bulk_store();
  void whole_vector();
  void guarded_exchange();
  void new_function();
  void function_body(const Callable& f);
  void multiply();
  void matrix_in_shared();
  std::string sums_fragment(unsigned count, const std::string& letters, std::string& before);
  std::string new_fragment(unsigned count, const std::string& letters, std::vector<std::string>& defined);
  void tile_product();
  void share_tile(const std::string& store, unsigned columns, unsigned bytes, const std::string& product);
  void cluster_exchange();
  std::string cache_hint(const Use& use) const;
  // --- write_settled.cpp
  enum class Hides : uint8_t { kNothing, kConstants, kRegisters };
  std::string settled(std::string text);
  std::string veiled(const std::string& name, std::string& before);
  std::string hidden_constant(const std::string& name, std::string& before);
  static Hides hides_of(const Use& use);
  std::string in_range(const Use& use, size_t slot, const std::string& name, std::string& before);
  std::string stored_whole(ptx::Type type, const std::string& name);
  std::string whole_number(const std::string& name);
  // ---
  bool try_use(const Use& use);
  std::string written(const Use& use, const ptx::OperandSlot& slot, bool second,
                      std::vector<std::string>& defined);
  std::string read(const Use& use, size_t k, std::string& before);
  void parameters();
  void thread_numbers();
  void addresses();
  void tables();
  void shared_slice();
  void first_values();
  Random& rng_;
  Habit habit_;
  RandomKernel& kernel_;
  Place place_;
  std::vector<Statement>* out_;
  struct Visible {
    std::string name, letters;
  };
  Forms& forms_;
  Traits traits_;
  std::vector<Visible> visible_;
  std::vector<Region> regions_;
  std::map<std::string, unsigned, std::less<>> names_;  // next number of each class
  std::vector<Callable> functions_;
  std::string policy_;  // register with an eviction policy, where the kernel has one
  unsigned labels_ = 0, tiles_ = 0;
  uint32_t next_word_ = 0;  // of the words that all threads share
};

}  // namespace gpuloom::fuzz
