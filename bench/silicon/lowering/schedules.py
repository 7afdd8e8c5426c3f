#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads nvdisasm's listings with encodings (`nvdisasm -c -hex`): instructions, and what ptxas put in their control
words: stall count, yield, scoreboards, reuse. Where the bits stand: Jia et al., "Dissecting the NVIDIA Volta GPU
architecture via microbenchmarking", 2018 (128-bit instructions from 7.0 on, one word for three before)."""
import collections
import pathlib
import re
import subprocess
import tempfile

import collect

LINE = re.compile(r"\s*/\*([0-9a-f]{4,})\*/\s+(?:\{\s*)?(?:@(!?U?P\w+)\s+)?([A-Z][\w.]*)\s*([^;]*);?")
WORD = re.compile(r"/\* 0x([0-9a-f]{16}) \*/")
REGISTER = re.compile(r"\b(U?[RP])(\d+)\b")
NONE = 7  # a scoreboard that is not set

# Operations that write no register.
SILENT = re.compile(r"^(ST|STG|STS|STL|STSM|RED|REDG|REDS|SUST|SURED|BRA|BRX|JMP|JMX|CAL|CALL|RET|EXIT|BAR|MEMBAR|BSSY|BSYNC|BREAK"
                    r"|WARPSYNC|NANOSLEEP|NOP|DEPBAR|LDGSTS|LDGDEPBAR|ERRBAR|CCTL|CCTLL|YIELD|KILL|BPT|SSY|SYNC|PBK|BRK"
                    r"|PCNT|CONT|PRET|UBLKCP|UTMA\w+|SYNCS|FENCE|ARRIVES|WARPGROUP|ENDCOLLECTIVE|TEXDEPBAR)$")
FLOATS64 = {"DADD", "DMUL", "DFMA", "DSETP", "DMNMX"}


class Instruction:
    __slots__ = ("opcode", "guard", "operands", "stall", "yields", "write", "read", "wait", "reuse")

    def __init__(self, opcode, guard, operands):
        self.opcode, self.guard, self.operands = opcode, guard, operands
        self.set_control(0)

    def set_control(self, bits):
        """21 bits: stall count, yield (0 says so), the scoreboard of the result and of the operands, the mask of those
        that it waits for, operands to keep."""
        self.stall, self.yields = bits & 15, not bits >> 4 & 1
        self.write, self.read = bits >> 5 & 7, bits >> 8 & 7
        self.wait, self.reuse = bits >> 11 & 63, bits >> 17 & 15

    @property
    def base(self):
        return self.opcode.split(".")[0]

    def split(self):
        """Operands that it writes, and those that it reads."""
        operands = [o.strip() for o in self.operands.split(",")] if self.operands.strip() else []
        if SILENT.match(self.base) or not operands:
            return [], operands
        most = 3 if self.base in ("IADD3", "UIADD3") else 2
        last = 1
        while last < min(most, len(operands)) and re.fullmatch(r"U?P(T|\d)", operands[last]):
            last += 1
        if self.base == "SHFL" and len(operands) > 1:
            last = 2
        return operands[:last], operands[last:]

    def writes(self):
        """Names of registers, the upper halves of wide results among them."""
        names = []
        for operand in self.split()[0]:
            for kind, number in REGISTER.findall(operand):
                words = self.result_words() if kind in ("R", "UR") else 1
                names += [f"{kind}{int(number) + k}" for k in range(words)]
        return names

    def result_words(self):
        if ".128" in self.opcode:
            return 4
        if ".64" in self.opcode or ".WIDE" in self.opcode or self.base in FLOATS64 or self.base == "CS2R":
            return 1 if ".32" in self.opcode else 2
        if re.match(r"[HIBQ]MMA", self.base):
            return 4 if ".F32" in self.opcode or self.base != "HMMA" else 2
        return 1

    def reads(self):
        """Names of registers, and whether the first is the guard."""
        names = [kind + number for kind, number in REGISTER.findall(",".join(self.split()[1]))]
        guards = [kind + number for kind, number in REGISTER.findall(self.guard or "")]
        return guards, names


# Functions of ptxas's that an operation calls each time it runs; others take operands that hardly ever come.
ALWAYS = re.compile(r"_(div|rem)_[su]\d+|accurate_pow")
SHORT = 12  # instructions in front of a call of a slow path that are there for it alone


class Block:
    """Instructions between two labels or branches. `counted`: not in a slow path that hardly ever runs; `function`: that of
    ptxas's own that it is in."""

    def __init__(self, kernel, counted, function=None):
        self.kernel, self.counted, self.function, self.instructions = kernel, counted, function, []
        self.labelled = False  # something may jump to it

    def callee(self):
        last = self.instructions[-1]
        m = re.search(rf"`\(({collect.OWN_FUNCTION.pattern}[^)\s]*)\)", last.operands) if last.base in ("CALL", "CAL") else None
        return m[1] if m else None


def rarely_run(text):
    """Labels of what BRA.DIV jumps to, and WARPSYNC.COLLECTIVE there ends at: collectives of warps that are apart."""
    return set(re.findall(r"BRA\.DIV\S* .*`\((\S+?)\)", text)) | set(
        re.findall(r"WARPSYNC\.COLLECTIVE \w+, `\((\S+?)\)", text))


def blocks_of(text):
    """All blocks of a listing. Padding (NOP behind the end, the branch to itself) is left out."""
    diverged, found, wide = rarely_run(text), [], is_wide(text)
    kernel, counted, label, function = None, True, None, None
    pending, controls, lone = None, collections.deque(), []
    for line in text.splitlines():
        words = WORD.findall(line)
        instruction = LINE.match(line)
        if m := re.match(r"\s*\.text\.(\S+):", line):
            kernel, counted, label, function = m[1], True, None, None
            controls.clear()
            found.append(Block(kernel, True))
        elif m := re.match(r"\s*(\S+):\s*$", line):
            label = m[1]
            if label.startswith("$"):
                counted = not collect.OWN_FUNCTION.match(label)
                function = None if counted else label
            elif label in diverged:
                counted = False
            if kernel:
                found.append(Block(kernel, counted, function))
                found[-1].labelled = True
        elif instruction and kernel:
            _, guard, opcode, operands = instruction.groups()
            pending = Instruction(opcode, guard, operands)
            if controls:  # before 7.0: one word for three
                pending.set_control(controls.popleft())
            to_itself = opcode == "BRA" and label and operands.strip().strip("`()") == label
            if to_itself:  # the end, and NOPs behind it
                kernel = None
                continue
            found[-1].instructions.append(pending)
            if re.match(r"(BRA|BRX|JMP|JMX|EXIT|RET|BSYNC|SYNC|BRK|CONT|CALL|CAL)\b", opcode):
                found.append(Block(kernel, counted, function))
            label = None
            lone = words
        elif len(words) == 1 and pending is not None and len(lone) == 1 and not controls:
            word = int(words[0], 16)
            if wide:
                pending.set_control(word >> 41 & 0x1FFFFF)
            else:
                controls.extend(word >> 21 * k & 0x1FFFFF for k in range(3))
            lone = []
        elif len(words) == 1 and kernel and not wide:
            word = int(words[0], 16)
            controls.extend(word >> 21 * k & 0x1FFFFF for k in range(3))
    return [b for b in found if b.instructions]


def is_wide(text):
    """128-bit instructions, from 7.0 on."""
    m = re.search(r"\.target\s+sm_(\d+)|EF_CUDA_SM(\d+)", text)
    return not m or int(m[1] or m[2]) >= 70


def leave_out_slow_calls(blocks):
    """What moves operands to a slow path and its result back runs as rarely as that."""
    for k, block in enumerate(blocks):
        callee = block.callee()
        if not callee or ALWAYS.search(callee) or len(block.instructions) > SHORT:
            continue
        block.counted = False
        if k + 1 < len(blocks) and not blocks[k + 1].labelled:
            blocks[k + 1].counted = False


def opcodes(blocks):
    """Static instructions by opcode of each kernel. Slow paths are left out; what an operation always calls counts once a
    call."""
    leave_out_slow_calls(blocks)
    counts, bodies = collections.defaultdict(collections.Counter), collections.defaultdict(collections.Counter)
    for block in blocks:
        of_function = bodies[block.kernel, block.function]
        for i in block.instructions:
            if block.function:
                of_function[i.base] += 1
            if block.counted:
                counts[block.kernel][i.base] += 1
    for block in blocks:
        callee = block.callee()
        if block.counted and callee and ALWAYS.search(callee):
            counts[block.kernel] += bodies[block.kernel, callee]
    return counts


def unit(i):
    """Which kind of operation reads a result."""
    base = i.base
    if base.startswith("U") or base in ("R2UR", "VOTEU", "S2UR"):
        return "uniform"
    if re.match(r"(LD|ST|ATOM|RED|TEX|TLD|SULD|SUST|SHFL|CCTL|MOVM|SYNCS|QSPC|MATCH|BAR)", base):
        return "memory"
    if base in FLOATS64:
        return "f64"
    if re.match(r"([HIBQD]MMA|HGMMA|IGMMA)", base):
        return "tensor"
    if base in ("FFMA", "FADD", "FMUL", "IMAD", "FFMA2", "FADD2", "FMUL2", "FADD32I", "FMUL32I", "FFMA32I", "XMAD"):
        return "fma"
    if re.match(r"H(FMA|ADD|MUL)2", base):
        return "half"
    if base in ("MUFU", "POPC", "FLO", "BREV", "F2F", "F2I", "I2F", "FRND", "FCHK"):
        return "special"
    if re.match(r"(BRA|BRX|EXIT|BSYNC|BSSY|CALL|RET|BREAK|WARPSYNC|JMP|SYNC|SSY)", base):
        return "branch"
    return "alu"


def name_of(i):
    """Producers that ptxas treats apart: products of 64 bits and upper halves."""
    for part in (".WIDE", ".HI"):
        if i.base in ("IMAD", "UIMAD") and part in i.opcode:
            return i.base + part
    return i.base


class Schedules:
    """What the control words of many blocks say."""

    def __init__(self):
        self.apart = collections.defaultdict(collections.Counter)   # (producer, reader): distances
        self.again = collections.defaultdict(collections.Counter)   # opcode: distances to the next of it
        self.facts = collections.defaultdict(collections.Counter)   # opcode: count, guarded by a scoreboard, ...

    def add(self, block):
        now, made, latest = 0, {}, {}
        for i in block.instructions:
            if i.base == "NOP":
                now += i.stall
                self.facts["NOP"]["count"] += 1
                continue
            guards, names = i.reads()
            self.read(made, guards, now, "guard")
            self.read(made, names, now, unit(i))
            opcode = name_of(i)
            if opcode in latest:
                self.again[opcode][now - latest[opcode]] += 1
            latest[opcode] = now
            for register in i.writes():
                made[register] = None if i.write != NONE else (now, opcode)
            self.note(opcode, i)
            now += i.stall

    def read(self, made, names, now, reader):
        for register in set(names):
            if made.get(register):
                since, producer = made[register]
                kind = "P" if "P" in register else "U" if register.startswith("U") else "R"
                self.apart[producer, kind, reader][now - since] += 1

    def note(self, opcode, i):
        facts = self.facts[opcode]
        facts["count"] += 1
        facts["scoreboard"] += i.write != NONE
        facts["operands"] += i.read != NONE
        facts["waits"] += i.wait != 0
        facts["yields"] += i.yields
        facts["reuse"] += i.reuse != 0


def opcodes_of_ptx(text, target, tools):
    """Opcodes by kernel of PTX, as ptxas makes them; `tools`: ptxas and nvdisasm."""
    ptxas, nvdisasm = tools
    with tempfile.TemporaryDirectory() as folder:
        source, cubin = pathlib.Path(folder) / "k.ptx", pathlib.Path(folder) / "k.cubin"
        source.write_text(text)
        subprocess.run([ptxas, "-O3", f"-arch={target}", "-o", str(cubin), str(source)], check=True)
        listing = subprocess.run([nvdisasm, "-c", "-hex", str(cubin)], check=True, capture_output=True, text=True).stdout
    return opcodes(blocks_of(listing))
