# SPDX-License-Identifier: Apache-2.0
"""The operations that single.py asks for, as PTX. A step takes %A and leaves %D; where steps do not need each other, all take
the same."""
import collections

Operation = collections.namedtuple("Operation", "name opcodes type step")
STEPS = 6


def op(name, opcodes, type_, step):
    return Operation(name, opcodes.split(), type_, step)


# %B, %C: other values of the type; %p, %q: predicates; %k: a number; %g, %l, %s: addresses of global, local and shared memory
OPERATIONS = [
    op("bmsk", "BMSK", "b32", "bmsk.clamp.b32 %D, %A, %B;"),
    op("popc", "POPC", "b32", "popc.b32 %D, %A;"),
    op("flo", "FLO", "b32", "bfind.u32 %D, %A;"),
    op("brev", "BREV", "b32", "brev.b32 %D, %A;"),
    op("vabsdiff", "VABSDIFF VABSDIFF4", "b32", "sad.u32 %D, %A, %B, %C;"),
    op("imad", "IMAD", "b32", "mad.lo.s32 %D, %A, %B, %C;"),
    op("imad_hi", "IMAD", "b32", "mad.hi.u32 %D, %A, %B, %C;"),
    op("imad_wide", "IMAD", "b64", "{.reg .b32 %x; cvt.u32.u64 %x, %A; mad.wide.u32 %D, %x, %k, %C;}"),
    op("dadd", "DADD", "f64", "add.rn.f64 %D, %A, %B;"),
    op("dmul", "DMUL", "f64", "mul.rn.f64 %D, %A, %B;"),
    op("dfma", "DFMA", "f64", "fma.rn.f64 %D, %A, %B, %C;"),
    op("dsetp", "DSETP", "f64", "setp.lt.f64 %p, %A, %B; selp.f64 %D, %B, %C, %p;"),
    op("hadd2", "HADD2 HFMA2", "b32", "add.rn.f16x2 %D, %A, %B;"),
    op("hmul2", "HMUL2 HFMA2", "b32", "mul.rn.f16x2 %D, %A, %B;"),
    op("hfma2", "HFMA2", "b32", "fma.rn.f16x2 %D, %A, %B, %C;"),
    op("hsetp2", "HSETP2", "b32", "setp.lt.f16x2 %p|%q, %A, %B; selp.b32 %D, %B, %C, %p;"),
    op("hminmax2", "HMNMX2", "b32", "min.f16x2 %D, %A, %B;"),
    op("f2f", "F2F", "f32", "{.reg .b16 %h; cvt.rz.f16.f32 %h, %A; cvt.rpi.f16.f16 %h, %h; cvt.f32.f16 %D, %h;}"),
    op("f2i", "F2I", "f32", "{.reg .b32 %x; cvt.rzi.s32.f32 %x, %A; mov.b32 %D, %x;}"),
    op("i2f", "I2F I2FP", "b32", "{.reg .f32 %x; cvt.rn.f32.s32 %x, %A; mov.b32 %D, %x;}"),
    op("frnd", "FRND", "f32", "cvt.rni.f32.f32 %D, %A;"),
    op("f2f64", "F2F", "f64", "{.reg .f32 %x; cvt.rn.f32.f64 %x, %A; cvt.f64.f32 %D, %x;}"),
    op("f2i64", "F2I", "f64", "{.reg .b32 %x; cvt.rzi.s32.f64 %x, %A; mov.b64 %D, {%x, %x};}"),
    op("i2f64", "I2F", "b64", "{.reg .f64 %x; .reg .b32 %y, %z; mov.b64 {%y, %z}, %A; cvt.rn.f64.s32 %x, %y; mov.b64 %D, %x;}"),
    op("mufu", "MUFU", "f32", "ex2.approx.ftz.f32 %D, %A;"),
    op("ldl", "LDL", "b32", "{.reg .b64 %x; cvt.u64.u32 %x, %A; add.s64 %x, %l, %x; ld.local.u32 %D, [%x]; st.local.u32 [%l], %D;}"),
    op("stl", "STL", "b32", "st.local.u32 [%l+{at}], %A; add.s32 %D, %A, %B; {.reg .b32 %x; and.b32 %x, %D, 124; cvt.u64.u32 %t, %x; add.s64 %t, %l, %t; ld.local.u32 %D, [%t];}"),
    op("lds", "LDS", "b32", "{.reg .b64 %x; cvt.u64.u32 %x, %A; add.s64 %x, %s, %x; ld.volatile.shared.u32 %D, [%x];}"),
    op("stgen", "ST", "b32", "st.volatile.u32 [%g], %A; add.s32 %D, %A, %B;"),
    op("atomg", "ATOMG ATOM", "b32", "atom.global.cas.b32 %D, [%g], %A, %B;"),
    op("red", "RED REDG", "b32", "red.global.add.u32 [%g], %A; add.s32 %D, %A, %B;"),
    op("atoms", "ATOMS", "b32", "atom.shared.exch.b32 %D, [%s], %A;"),
    op("ldsm", "LDSM", "b32", "{.reg .b32 %x; add.s32 %x, %k, %A; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%D}, [%x];}"),
    op("movm", "MOVM", "b32", "movmatrix.sync.aligned.m8n8.trans.b16 %D, %A;"),
    op("ldgdepbar", "LDGDEPBAR", "b32", "cp.async.ca.shared.global [%s], [%g], 4; cp.async.commit_group; add.s32 %D, %A, %B;"),
    op("syncs", "SYNCS ATOMS", "b32", "{.reg .b64 %x; mbarrier.arrive.shared.b64 %x, [%s]; cvt.u32.u64 %D, %x;}"),
    op("ccctl", "CCTL", "b32", "{.reg .b64 %x; cvt.u64.u32 %x, %A; add.s64 %x, %g, %x; prefetch.global.L1 [%x]; add.s32 %D, %A, %B;}"),
    op("qspc", "QSPC", "b64", "isspacep.shared %p, %A; selp.b64 %D, %B, %C, %p;"),
    op("shfl", "SHFL", "b32", "shfl.sync.bfly.b32 %D, %A, 1, 31, -1;"),
    op("vote", "VOTE VOTEU", "b32", "setp.ne.u32 %p, %A, %B; vote.sync.ballot.b32 %D, %p, -1;"),
    op("match", "MATCH", "b32", "match.any.sync.b32 %D, %A, -1;"),
    op("redux", "REDUX", "b32", "redux.sync.add.s32 %D, %A, -1;"),
    op("bar", "BAR", "b32", "bar.sync 0; add.s32 %D, %A, %B;"),
    op("warpsync", "WARPSYNC", "b32", "bar.warp.sync %A; add.s32 %D, %A, %B;"),
    op("membar", "MEMBAR", "b32", "st.volatile.global.u32 [%g], %A; membar.cta; add.s32 %D, %A, %B;"),
    op("nanosleep", "NANOSLEEP", "b32", "nanosleep.u32 %A; add.s32 %D, %A, %B;"),
    op("s2r", "S2R", "b32", "{.reg .b32 %x; mov.u32 %x, %lanemask_lt; add.s32 %D, %A, %x;}"),
    op("cs2r", "CS2R", "b32", "{.reg .b32 %x; mov.u32 %x, %clock; add.s32 %D, %A, %x;}"),
    op("bra", "BRA", "b32", "L{n}: st.volatile.global.u32 [%g], %A; ld.volatile.global.u32 %D, [%g]; setp.eq.s32 %p, %D, %k; @%p bra L{n};"),
    op("bsync", "BSYNC", "b32", "{setp.eq.s32 %p, %A, %B; @%p bra N{n}; st.volatile.global.u32 [%g], %A; bar.warp.sync -1; st.volatile.global.u32 [%g], %B; N{n}: add.s32 %D, %A, %B; bar.warp.sync -1;}"),
    op("bssy", "BSSY", "b32", "{setp.eq.s32 %p, %A, %B; @%p bra N{n}; st.volatile.global.u32 [%g], %A; bar.warp.sync -1; st.volatile.global.u32 [%g], %B; N{n}: add.s32 %D, %A, %B; bar.warp.sync -1;}"),
    op("call", "CALL", "b64", "div.u64 %D, %A, %B;"),
    op("ret", "RET", "b64", "div.u64 %D, %A, %B;"),
    op("exit", "EXIT", "b32", "setp.eq.s32 %p, %A, %k; @%p exit; st.volatile.global.u32 [%g], %A; add.s32 %D, %A, %B;"),
    op("brx", "BRX", "b32", "{and.b32 %D, %A, 3; T{n}: .branchtargets X{n}, Y{n}, Z{n}, W{n}; brx.idx.uni %D, T{n}; X{n}: st.volatile.global.u32 [%g], %A; bra.uni W{n}; Y{n}: st.volatile.global.u32 [%g+4], %B; bra.uni W{n}; Z{n}: st.volatile.global.u32 [%g+8], %C; W{n}: add.s32 %D, %D, %B;}"),
    op("bpt", "BPT", "b32", "setp.eq.s32 %p, %A, %k; @%p trap; st.volatile.global.u32 [%g], %A; add.s32 %D, %A, %B;"),
    op("vsimd", "VIADDMNMX VIMNMX VIMNMX3", "b32", "{.reg .b32 %x; add.s32 %x, %A, %B; max.s32 %D, %x, %C;}"),
    op("elect", "ELECT", "b32", "elect.sync %D|%p, -1; @%p add.s32 %D, %A, %B;"),
    op("mapa", "MAPA UPRMT PRMT", "b32", "mapa.shared::cluster.u32 %D, %A, 1;"),
    op("stsm", "STSM", "b32", "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%k], {%A}; add.s32 %D, %A, %B;"),
]
MATRICES = {
    "hmma_884": ("HMMA", "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32", 8, 2, 2, "f32"),
    "hmma_1688": ("HMMA", "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", 4, 2, 1, "f32"),
    "hmma_16816": ("HMMA", "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 4, 4, 2, "f32"),
    "hmma_16816_f16": ("HMMA", "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", 2, 4, 2, "b32"),
    "imma_8816": ("IMMA", "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32", 2, 1, 1, "b32"),
    "imma_16816": ("IMMA", "mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32", 4, 2, 1, "b32"),
    "imma_16832": ("IMMA", "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", 4, 4, 2, "b32"),
    "bmma": ("BMMA", "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc", 4, 4, 2, "b32"),
    "qmma_16832": ("QMMA", "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32", 4, 4, 2, "f32"),
    "dmma": ("DMMA", "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", 2, 1, 1, "f64"),
}
WIDE = {"wmma_f16": ("HMMA", "f32", "f32.f32", 8, 8), "wmma_s8": ("IMMA", "b32", "s32.s8.s8.s32", 8, 2)}
OPERATIONS += [op(name, opcode, "wide", "") for name, (opcode, *_) in WIDE.items()]
OPERATIONS += [op(name, "MATRIX", "matrix", "") for name in MATRICES]
OPERATIONS = [o._replace(opcodes=[MATRICES[o.name][0]]) if o.type == "matrix" else o for o in OPERATIONS]


def module(target, version):
    """PTX of two kernels an operation: NAME_chain, whose steps need each other, and NAME_free."""
    text = f".version {version}\n.target {target}\n.address_size 64\n"
    for operation in OPERATIONS:
        make = {"matrix": matrices, "wide": wides}.get(operation.type, scalars)
        for dependent in (True, False):
            name = f"{operation.name}_{'chain' if dependent else 'free'}"
            text += f".visible .entry {name}(.param .u64 a, .param .u32 n)\n" + make(operation, dependent)
    return text


def scalars(operation, dependent):
    wide = 8 if operation.type.endswith("64") else 4
    declared = f".reg .{operation.type} %v<{STEPS + 4}>, %w<{STEPS}>;"
    text = f"""{{ .reg .pred %p, %q; .reg .b32 %k; .reg .b64 %g, %l, %s, %t, %r; {declared}
  .local .align 16 .b8 there[256]; .shared .align 16 .b8 here[256];
  ld.param.u64 %g, [a]; ld.param.u32 %k, [n]; mov.u64 %s, here; mov.u64 %l, there;
  {{.reg .b32 %i; mov.u32 %i, %tid.x; mul.wide.u32 %r, %i, 128; add.s64 %r, %g, %r;}}
"""
    for n in range(3):
        text += f"  ld.global.{operation.type} %v{n}, [%r+{n * wide}];\n"
    for n in range(STEPS):
        text += f"  ld.global.{operation.type} %w{n}, [%r+{(n + 3) * wide}];\n"
    text += "  bar.sync 0;\n"
    for n in range(STEPS):
        step = operation.step.replace("%D", f"%v{n + 3}").replace("%A", f"%v{n + 2}" if dependent and n else f"%w{n}")
        text += "  " + step.replace("%B", "%v1").replace("%C", "%v2").replace("{n}", str(n)).replace("{at}", str(4 * n)) + "\n"
    for n in range(STEPS):
        text += f"  st.global.{operation.type} [%r+{n * wide}], %v{n + 3};\n"
    return text + "END: ret; }\n"


def group(name, first, count):
    return "{" + ", ".join(f"%{name}{first + n}" for n in range(count)) + "}"


def products(instruction, dependent, sums, operands):
    """STEPS products of matrices. `sums`: registers of the sum and their type; `operands`: the same of a and b."""
    (c, kind), copies = sums, 1 if dependent else STEPS
    arrays = [("c", c * copies, kind), *((name, *of) for name, of in zip("ab", operands))]
    text = "{ .reg .b64 %g, %t; " + " ".join(f".reg .{type_} %{name}<{count}>;" for name, count, type_ in arrays) + """
  ld.param.u64 %g, [a]; {.reg .b32 %i; mov.u32 %i, %tid.x; mul.wide.u32 %t, %i, 512; add.s64 %t, %g, %t;}
"""
    wide = 8 if kind == "f64" else 4
    places = [(name, n, type_) for name, count, type_ in arrays for n in range(count)]
    for at, (name, n, type_) in enumerate(places):
        text += f"  ld.global.{type_} %{name}{n}, [%t+{at * wide}];\n"
    text += "  bar.sync 0;\n"
    for n in range(STEPS):
        into = group("c", 0 if dependent else n * c, c)
        text += f"  {instruction} {into}, {group('a', 0, operands[0][0])}, {group('b', 0, operands[1][0])}, {into};\n"
    for n in range(c * copies):
        text += f"  st.global.{kind} [%t+{n * wide}], %c{n};\n"
    return text + "  ret; }\n"


def matrices(operation, dependent):
    _, instruction, c, a, b, kind = MATRICES[operation.name]
    of_ab = "f64" if kind == "f64" else "b32"
    return products(instruction, dependent, (c, kind), ((a, of_ab), (b, of_ab)))


def wides(operation, dependent):
    """wmma of m16n16k16."""
    _, kind, types, c, ab = WIDE[operation.name]
    instruction = f"wmma.mma.sync.aligned.row.col.m16n16k16.{types}"
    return products(instruction, dependent, (c, kind), ((ab, "b32"), (ab, "b32")))
