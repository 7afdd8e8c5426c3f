# SPDX-License-Identifier: Apache-2.0
"""One case: a kernel of 128 threads in the making."""

THREADS = 128
A_AT, B_AT = 0, 8192  # where A and B lie in shared memory
PER_MODULE = 60
SWIZZLE = {"none": 0, "128": 1, "64": 2, "32": 3}

# (and, or) masks on hashed words: exponents near each other, spread, all finite codes, all codes.
RANGES = {
    "f16": {"near": (0x8FFF8FFF, 0x30003000), "wide": (0xBFFFBFFF, 0), "full": (0xFBFFFBFF, 0), "raw": (0xFFFFFFFF, 0)},
    "bf16": {"near": (0x81FF81FF, 0x3E003E00), "wide": (0x87FF87FF, 0x38003800), "full": (0xBFFFBFFF, 0),
             "raw": (0xFFFFFFFF, 0)},
    "tf32": {"near": (0x81FFFFFF, 0x3E000000), "wide": (0x87FFFFFF, 0x38000000), "full": (0xBFFFFFFF, 0),
             "raw": (0xFFFFFFFF, 0)},
    "e4m3": {"near": (0x9F9F9F9F, 0x20202020), "wide": (0xBFBFBFBF, 0), "full": (0xFEFEFEFE, 0), "raw": (0xFFFFFFFF, 0)},
    "e5m2": {"near": (0x8F8F8F8F, 0x30303030), "wide": (0xBFBFBFBF, 0), "full": (0xFBFBFBFB, 0), "raw": (0xFFFFFFFF, 0)},
    "f32": {"near": (0x83FFFFFF, 0x3C000000), "wide": (0x8FFFFFFF, 0x38000000), "big": (0x83FFFFFF, 0x44000000),
            "full": (0xBFFFFFFF, 0), "raw": (0xFFFFFFFF, 0), "zero": (0, 0)},
    "s32": {"near": (0xFFFFFFFF, 0), "raw": (0xFFFFFFFF, 0), "edge": (0x8000FFFF, 0x7FFF0000), "zero": (0, 0)},
}
RANGES["f16"]["big"] = (0x8FFF8FFF, 0x60006000)
RANGES["f16"]["zero"] = (0, 0)
for name in ("s8", "u8", "b1"):
    RANGES[name] = {"near": (0xFFFFFFFF, 0), "raw": (0xFFFFFFFF, 0)}
BITS = {"f16": 16, "bf16": 16, "tf32": 32, "e4m3": 8, "e5m2": 8, "s8": 8, "u8": 8, "b1": 1, "f32": 32, "s32": 32}


class Kernel:
    def __init__(self, case_id, seed):
        self.id, self.seed, self.lines, self.labels, self.count = case_id, seed, [], 0, 0

    def add(self, *lines):
        self.lines += lines

    def reg(self, n=1):
        names = ["%%r%d" % (self.count + i) for i in range(n)]
        self.count += n
        return names if n > 1 else names[0]

    def hash(self, to, source, salt):
        self.add(f"mad.lo.u32 {to}, {source}, 0x9E3779B1, {(self.seed * 0x3C6EF372 + salt * 0x2545F491) & 0xffffffff};")
        for shift, factor in ((15, 0x85EBCA77), (13, 0xC2B2AE3D), (16, None)):
            self.add(f"shr.u32 %t0, {to}, {shift};", f"xor.b32 {to}, {to}, %t0;")
            if factor:
                self.add(f"mul.lo.u32 {to}, {to}, 0x{factor:X};")

    def hashed(self, to, source, salt, masks):
        self.hash(to, source, salt)
        self.add(f"and.b32 {to}, {to}, 0x{masks[0]:X};", f"or.b32 {to}, {to}, 0x{masks[1]:X};")

    def fill(self, offset, size, word):
        """Words [offset, offset + size) bytes of shared memory; word() leaves the value of word %i in %v."""
        self.labels += 1
        self.add("mov.u32 %i, %me;", f"L{self.labels}:")
        word()
        self.add("shl.b32 %t1, %i, 2;", "add.u32 %t1, %t1, %smem;", f"st.shared.b32 [%t1+{offset}], %v;",
                 f"add.u32 %i, %i, {THREADS};", f"setp.lt.u32 %p, %i, {size // 4};", f"@%p bra L{self.labels};")

    def fill_random(self, offset, size, salt, masks):
        self.fill(offset, size, lambda: self.hashed("%v", "%i", salt, masks))

    def fill_address(self, size, width, part):
        """Elements hold their own address (in elements): its low part (8 or 10 bits) or the part above."""
        def word8():
            self.add("shl.b32 %v, %i, 2;")
            self.add(*(["and.b32 %v, %v, 255;"] if part == 0 else ["shr.u32 %v, %v, 8;"]), "mul.lo.u32 %v, %v, 0x1010101;")
            if part == 0:
                self.add("add.u32 %v, %v, 0x3020100;")

        def word16():
            self.add("shl.b32 %v, %i, 1;", *(["and.b32 %v, %v, 1023;"] if part == 0 else ["shr.u32 %v, %v, 10;"]),
                     f"add.u32 %t0, %v, {1 - part};", "cvt.rn.f16.u32 %h0, %v;", "cvt.rn.f16.u32 %h1, %t0;",
                     "mov.b32 %v, {%h0, %h1};")
        self.fill(0, size, word8 if width == 8 else word16)

    def fill_identity(self, offset):
        """16 x 16 of f16, K major, no swizzle, LBO 128, SBO 256."""
        def word():
            self.add("shr.u32 %t0, %i, 6;", "shl.b32 %t0, %t0, 3;", "bfe.u32 %t1, %i, 2, 3;", "add.u32 %t0, %t0, %t1;",
                     "bfe.u32 %t1, %i, 5, 1;", "shl.b32 %t1, %t1, 3;", "and.b32 %t2, %i, 3;", "mad.lo.u32 %t1, %t2, 2, %t1;",
                     "setp.eq.u32 %p, %t0, %t1;", "selp.b32 %v, 0x3C00, 0, %p;", "add.u32 %t1, %t1, 1;",
                     "setp.eq.u32 %p, %t0, %t1;", "@%p mov.b32 %v, 0x3C000000;")
        self.fill(offset, 512, word)

    def descriptor(self, to, offset, lbo, sbo, swizzle, base=0):
        high = sbo >> 4 | base << 17 | SWIZZLE[swizzle] << 30
        self.add(f"add.u32 %t0, %smem, {offset};", "bfe.u32 %t0, %t0, 4, 14;", f"or.b32 %t0, %t0, {lbo >> 4 << 16};",
                 f"mov.b64 {to}, {{%t0, {high}}};")

    def one_hot(self, width):
        """Fragments of A in which row m selects k = m mod K."""
        regs = self.reg(4)
        depth, per = 256 // width, 32 // width
        for r, name in enumerate(regs):
            self.add("shr.u32 %t0, %me, 5;", "bfe.u32 %t1, %me, 2, 3;", f"mad.lo.u32 %t0, %t0, 16, {8 * (r & 1)};",
                     "add.u32 %t0, %t0, %t1;", f"and.b32 %t0, %t0, {depth - 1};", "and.b32 %t1, %me, 3;",
                     f"mad.lo.u32 %t1, %t1, {per}, {4 * per * (r >> 1)};", "sub.u32 %t0, %t0, %t1;", f"mov.b32 {name}, 0;",
                     f"setp.lt.u32 %p, %t0, {per};", f"shl.b32 %t0, %t0, {width.bit_length() - 1};",
                     f"mov.b32 %t1, {1 if width == 8 else 0x3C00};", "shl.b32 %t1, %t1, %t0;", f"@%p mov.b32 {name}, %t1;")
        return regs

    def random_registers(self, n, salt, masks):
        regs = self.reg(n) if n > 1 else [self.reg()]
        if n <= 8:
            for i, name in enumerate(regs):
                self.hashed(name, "%me", salt + i, masks)
            return regs
        self.hash("%v", "%me", salt)  # many: a linear congruential sequence keeps the text short
        for name in regs:
            self.add("mad.lo.u32 %v, %v, 1664525, 1013904223;", "shf.l.wrap.b32 %t0, %v, %v, 13;",
                     f"lop3.b32 {name}, %t0, 0x{masks[0]:X}, 0x{masks[1]:X}, 0xEA;")
        return regs

    def zero_registers(self, n):
        regs = self.reg(n)
        self.add(*(f"mov.b32 {r}, 0;" for r in regs))
        return regs

    def ready(self):
        self.add("fence.proxy.async;", "bar.sync 0;")

    def wgmma(self, mnemonic, d, a, tail):
        a = a if isinstance(a, str) else "{" + ", ".join(a) + "}"
        self.add("wgmma.fence.sync.aligned;", f"wgmma.mma_async.{mnemonic} {{{', '.join(d)}}}, {a}, %db{tail};",
                 "wgmma.commit_group.sync.aligned;", "wgmma.wait_group.sync.aligned 0;")

    def store(self, regs):
        for i in range(0, len(regs), 2):
            pair = regs[i:i + 2] if i + 1 < len(regs) else [regs[i], "0"]
            self.add(f"mov.b64 %w, {{{pair[0]}, {pair[1]}}};", f"st.global.u64 [%out+{8 * THREADS * (i // 2)}], %w;")
        self.words = (len(regs) + 1) // 2

    def store_folded(self, regs):
        """One word a warp: the registers of a thread in order, multiplied and added; those of the lanes xored."""
        self.add("mov.u64 %w, 0;")
        for r in regs:
            self.add(f"cvt.u64.u32 %x, {r};", "mad.lo.u64 %w, %w, 0x9E3779B97F4A7C15, %x;")
        self.add("cvt.u64.u32 %x, %me;", "mad.lo.u64 %w, %w, 0x9E3779B97F4A7C15, %x;", "mov.b64 {%t0, %t1}, %w;")
        for distance in (1, 2, 4, 8, 16):
            for word in ("%t0", "%t1"):
                self.add(f"shfl.sync.bfly.b32 %t2, {word}, {distance}, 31, -1;", f"xor.b32 {word}, {word}, %t2;")
        self.add("mov.b64 %w, {%t0, %t1};", "st.global.u64 [%out], %w;")
        self.words = 1

    def text(self, name, smem):
        declared = f".reg .b32 %r<{max(self.count, 1)}>;\n"
        return (f"\n// {self.id}\n.entry {name}(.param .u64 in, .param .u64 out)\n{{\n{declared}"
                ".reg .b32 %me, %i, %v, %t0, %t1, %t2, %smem;\n.reg .b16 %h0, %h1;\n.reg .b64 %w, %x, %out, %da, %db;\n"
                ".reg .pred %p, %scale;\n"
                f".shared .align 1024 .b8 tile[{smem}];\n"
                "mov.u32 %me, %tid.x;\nmov.u32 %smem, tile;\nld.param.u64 %out, [out];\nshl.b32 %t0, %me, 3;\n"
                "cvt.u64.u32 %w, %t0;\nadd.u64 %out, %out, %w;\nsetp.eq.u32 %scale, %me, %me;\n"
                + "\n".join(self.lines) + "\nret;\n}\n")


CASES = []


def case(case_id, smem):
    k = Kernel(case_id, len(CASES) + 1)
    k.smem = smem
    CASES.append(k)
    return k


def accumulators(n, d_type):
    return n // 4 if d_type == "f16" else n // 2
