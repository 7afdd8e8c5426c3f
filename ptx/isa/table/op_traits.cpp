// SPDX-License-Identifier: Apache-2.0
// Evidence for what is a habit of ptxas stands where it is used.
#include "ptx/isa/table/op_traits.h"

namespace gpuloom::ptx {
namespace {

struct Row {
  OpClass op;
  OpTraits traits;
};

// Registers of slow paths: those that ptxas 13.0's __cuda_sm20_* functions for sm_90 write (SASS of
// f64_newton in bench/silicon/corner_cases, div_f64, sqrt_f64 and div_u64 in bench/silicon/lowering: 20, 11,
// 12), less the arguments, which the caller's registers hold. estimated: those of 32-bit operations, 6 to 11,
// add nothing: counted in full they give kernels more than ptxas does (corner_cases, decision_tree 24 for 18;
// div_sqrt_f32 22 for 17); rcp_f64 as many as its kernel takes beside the values. Units of an integer
// division: one alone is too much for 21, one with three global loads is not for 49 (spmv_csr_warp).
constexpr Row kRows[] = {
    {OpClass::none, {.unroll_units = 0}},
    {OpClass::iadd, {.flags = kTakesConstant | kOnUniformPath | kChecksDivision, .side = PipeSide::kAlu}},
    {OpClass::imad, {.flags = kTakesConstant | kOnUniformPath, .side = PipeSide::kFma}},
    {OpClass::imad_hi, {.flags = kTakesConstant | kOnUniformPath, .side = PipeSide::kFma}},
    {OpClass::imad_wide, {.result_words = 2, .side = PipeSide::kFma}},
    {OpClass::lea, {.flags = kTakesConstant | kOnUniformPath, .side = PipeSide::kAlu}},
    {OpClass::lop3, {.flags = kTakesConstant | kOnUniformPath | kChecksDivision, .side = PipeSide::kAlu}},
    {OpClass::shift, {.flags = kTakesConstant | kOnUniformPath, .side = PipeSide::kAlu}},
    {OpClass::isetp,
     {.flags = kTakesConstant | kChecksDivision | kTakesPredicate,
      .result_words = 0,
      .side = PipeSide::kAlu}},
    {OpClass::iminmax, {.flags = kTakesConstant | kTakesPredicate, .side = PipeSide::kAlu}},
    {OpClass::iabs, {.flags = kTakesConstant, .side = PipeSide::kAlu}},
    {OpClass::sel, {.flags = kTakesConstant | kTakesPredicate, .side = PipeSide::kAlu}},
    {OpClass::mov,
     {.flags = kTakesConstant | kTakesPredicate | kOnUniformPath | kChecksDivision,
      .unroll_units = 0,
      .side = PipeSide::kAlu}},
    {OpClass::prmt, {.flags = kTakesConstant, .side = PipeSide::kAlu}},
    {OpClass::plop3, {.flags = kTakesPredicate, .result_words = 0, .side = PipeSide::kAlu}},
    {OpClass::popc, {.flags = kSpacedSpecial, .read_path = ReadPath::kSpecial}},
    {OpClass::flo, {.flags = kSpacedSpecial, .read_path = ReadPath::kSpecial}},
    {OpClass::brev, {.flags = kSpacedSpecial, .read_path = ReadPath::kSpecial}},
    {OpClass::fadd, {.flags = kTakesConstant, .side = PipeSide::kFma}},
    {OpClass::fmul, {.flags = kTakesConstant, .side = PipeSide::kFma}},
    {OpClass::ffma, {.flags = kTakesConstant, .side = PipeSide::kFma}},
    {OpClass::fsetp,
     {.flags = kTakesConstant | kChecksDivision | kTakesPredicate,
      .result_words = 0,
      .side = PipeSide::kAlu}},
    {OpClass::fminmax, {.flags = kTakesConstant | kTakesPredicate, .side = PipeSide::kAlu}},
    {OpClass::fsel, {.flags = kTakesConstant | kTakesPredicate, .side = PipeSide::kAlu}},
    {OpClass::fchk, {.flags = kChecksDivision, .result_words = 0}},
    {OpClass::mufu, {.flags = kSpacedSpecial, .read_path = ReadPath::kSpecial}},
    {OpClass::dadd, {.flags = kTakesConstant, .result_words = 2}},
    {OpClass::dmul, {.flags = kTakesConstant, .result_words = 2}},
    {OpClass::dfma, {.flags = kTakesConstant, .result_words = 2}},
    {OpClass::dsetp, {.flags = kTakesConstant | kTakesPredicate, .result_words = 0}},
    {OpClass::hadd2, {.flags = kHalfArithmetic, .unroll_units = 2}},
    {OpClass::hmul2, {.flags = kHalfArithmetic, .unroll_units = 2}},
    {OpClass::hfma2, {.flags = kHalfArithmetic, .unroll_units = 2}},
    {OpClass::hsetp2, {.flags = kHalfArithmetic, .result_words = 0}},
    {OpClass::hminmax2, {.flags = kHalfArithmetic}},
    {OpClass::f2f, {.flags = kSpacedSpecial, .read_path = ReadPath::kSpecial}},
    {OpClass::f2fp, {.side = PipeSide::kAlu}},
    {OpClass::f2i, {.flags = kSpacedSpecial, .read_path = ReadPath::kSpecial}},
    {OpClass::i2f, {.flags = kTakesConstant, .side = PipeSide::kAlu}},
    {OpClass::f2f64, {.flags = kSpacedSpecial}},
    {OpClass::f2i64, {.flags = kSpacedSpecial}},
    {OpClass::i2f64, {.flags = kSpacedSpecial}},
    {OpClass::ldg, {.flags = kLongScoreboard, .read_path = ReadPath::kLoad}},
    {OpClass::stg, {.flags = kTuple | kLongScoreboard, .read_path = ReadPath::kStore}},
    {OpClass::lds, {.flags = kPartsCopies | kSharedAccess, .read_path = ReadPath::kLoad}},
    {OpClass::sts, {.flags = kPartsCopies | kTuple | kSharedAccess, .read_path = ReadPath::kStore}},
    {OpClass::ldl, {.flags = kLongScoreboard, .read_path = ReadPath::kLoad}},
    {OpClass::stl, {.flags = kTuple | kLongScoreboard}},
    {OpClass::ldgen, {.flags = kLongScoreboard | kSharedAccess, .read_path = ReadPath::kLoad}},
    {OpClass::stgen, {.flags = kLongScoreboard}},
    {OpClass::atomg, {.flags = kLongScoreboard}},
    {OpClass::red, {.flags = kLongScoreboard}},
    {OpClass::atoms, {.flags = kPartsCopies | kSharedAccess}},
    {OpClass::ldsm, {.flags = kPartsCopies | kLoadsMatrix | kSharedAccess, .read_path = ReadPath::kLoad}},
    {OpClass::stsm, {.flags = kPartsCopies | kStoresMatrix | kSharedAccess, .read_path = ReadPath::kStore}},
    {OpClass::ldgsts, {.flags = kLongScoreboard}},
    {OpClass::tex, {.flags = kLongScoreboard}},
    {OpClass::suld, {.flags = kLongScoreboard}},
    {OpClass::sust, {.flags = kLongScoreboard}},
    {OpClass::shfl, {.flags = kExchanges}},
    {OpClass::vote, {.flags = kExchanges | kOrdersLanes | kReadsAsGuard}},
    {OpClass::match, {.flags = kExchanges | kOrdersLanes}},
    {OpClass::redux, {.flags = kExchanges}},
    {OpClass::elect, {.flags = kOrdersLanes}},
    {OpClass::bar, {.flags = kMovesControl | kPartsCopies}},
    {OpClass::warpsync, {.flags = kWaitsByItself | kPartsCopies | kOrdersLanes}},
    {OpClass::endcollective, {.flags = kStallsItsLatency}},
    {OpClass::membar, {.flags = kWaitsByItself | kEndsContraction}},
    {OpClass::fence_async, {.flags = kWaitsByItself}},
    {OpClass::ucgabar, {.flags = kWaitsByItself | kPartsCopies}},
    {OpClass::bra, {.flags = kMovesControl | kStallsItsLatency | kReadsAsGuard | kLeavesBlock}},
    {OpClass::brx, {.flags = kMovesControl | kStallsItsLatency | kReadsAsGuard | kLeavesBlock}},
    {OpClass::bssy, {.flags = kChecksDivision | kWaitsByItself}},
    {OpClass::bsync, {.flags = kMovesControl | kStallsItsLatency}},
    {OpClass::bmov, {.flags = kWaitsByItself | kStallsItsLatency}},
    {OpClass::call, {.flags = kMovesControl | kStallsItsLatency | kLeavesBlock}},
    {OpClass::ret, {.flags = kMovesControl | kStallsItsLatency | kLeavesBlock}},
    {OpClass::exit, {.flags = kMovesControl | kStallsItsLatency | kReadsAsGuard}},
    {OpClass::hmma_884, {.flags = kMultipliesMatrices | kTakesFragments}},
    {OpClass::hmma_1688, {.flags = kMultipliesMatrices | kTakesFragments}},
    {OpClass::hmma_16816, {.flags = kMultipliesMatrices | kTakesFragments}},
    {OpClass::qmma_16832, {.flags = kMultipliesMatrices | kTakesFragments}},
    {OpClass::imma_8816, {.flags = kMultipliesMatrices | kTakesFragments}},
    {OpClass::imma_16816, {.flags = kMultipliesMatrices | kTakesFragments}},
    {OpClass::imma_16832, {.flags = kMultipliesMatrices | kTakesFragments}},
    {OpClass::bmma, {.flags = kMultipliesMatrices | kTakesFragments}},
    {OpClass::dmma, {.flags = kMultipliesMatrices}},
    {OpClass::wgmma, {.flags = kOrdersLanes}},
    {OpClass::warpgroup, {.flags = kOrdersLanes}},
    {OpClass::mov64, {.unroll_units = 0}},
    {OpClass::div_s32, {.flags = kEndsContraction, .unroll_units = 18}},
    {OpClass::div_u32, {.flags = kEndsContraction, .unroll_units = 18}},
    {OpClass::rem_s32, {.flags = kEndsContraction, .unroll_units = 18}},
    {OpClass::rem_u32, {.flags = kEndsContraction, .unroll_units = 18}},
    {OpClass::div_64, {.flags = kCallsSlowPath | kEndsContraction, .slow_path_registers = 8}},
    {OpClass::rem_64, {.flags = kCallsSlowPath | kEndsContraction, .slow_path_registers = 8}},
    {OpClass::div_f32, {.flags = kCallsSlowPath | kEndsContraction}},
    {OpClass::rcp_f32, {.flags = kCallsSlowPath | kEndsContraction}},
    {OpClass::sqrt_f32, {.flags = kCallsSlowPath | kEndsContraction}},
    {OpClass::mufu_denormal, {.unroll_units = 6}},
    {OpClass::div_f64, {.flags = kCallsSlowPath | kEndsContraction, .slow_path_registers = 16}},
    {OpClass::rcp_f64, {.flags = kCallsSlowPath | kEndsContraction, .slow_path_registers = 8}},
    {OpClass::sqrt_f64, {.flags = kCallsSlowPath | kEndsContraction, .slow_path_registers = 9}},
    {OpClass::rsqrt_f64, {.flags = kCallsSlowPath | kEndsContraction, .slow_path_registers = 9}},
};

constexpr auto table() {
  std::array<OpTraits, static_cast<size_t>(OpClass::count)> out{};
  for (const Row& row : kRows) out[static_cast<size_t>(row.op)] = row.traits;
  return out;
}

}  // namespace

constexpr std::array<OpTraits, static_cast<size_t>(OpClass::count)> kOpTraits = table();

}  // namespace gpuloom::ptx
