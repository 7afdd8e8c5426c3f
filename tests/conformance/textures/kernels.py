# SPDX-License-Identifier: Apache-2.0
"""Kernels of texture and surface instructions: one for each form."""

KERNELS = {}
COORDS = {"1d": "{C0}", "2d": "{C0, C1}", "3d": "{C0, C1, C2, C2}", "a1d": "{%r0, C1}", "a2d": "{%r0, C1, C2, C2}",
          "cube": "{C0, C1, C2, C2}", "acube": "{%r0, C1, C2, C3}"}
GRADS = {"1d": "{%r5}, {%r8}", "2d": "{%r5, %r6}, {%r8, %r9}", "3d": "{%r5, %r6, %r7, %r7}, {%r8, %r9, %r10, %r10}",
         "a1d": "{%r5}, {%r8}", "a2d": "{%r5, %r6}, {%r8, %r9}",
         "cube": "{%r5, %r6, %r7, %r7}, {%r8, %r9, %r10, %r10}", "acube": "{%r5, %r6, %r7, %r7}, {%r8, %r9, %r10, %r10}"}
OFFSETS = {"1d": "{%r12}", "2d": "{%r12, %r13}", "3d": "{%r12, %r13, %r14, %r14}", "a1d": "{%r12}", "a2d": "{%r12, %r13}"}


def coords(geom):
    text = COORDS[geom]
    for k in range(4):
        text = text.replace(f"C{k}", f"%r{k}")
    return text


def emit(name, body):
    KERNELS[name] = f""".visible .entry {name}(.param .u64 object, .param .u64 in, .param .u64 out, .param .u32 count)
{{
  .reg .pred %p<4>;
  .reg .b16 %h<4>;
  .reg .b32 %r<32>;
  .reg .b64 %d<16>;
  ld.param.u64 %d0, [object];
  ld.param.u64 %d1, [in];
  ld.param.u64 %d2, [out];
  ld.param.u32 %r30, [count];
  mov.u32 %r28, %ctaid.x;
  mov.u32 %r29, %tid.x;
  mad.lo.u32 %r31, %r28, 128, %r29;
  setp.ge.u32 %p0, %r31, %r30;
  @%p0 ret;
  mad.wide.u32 %d1, %r31, 64, %d1;
  mad.wide.u32 %d2, %r31, 20, %d2;
  ld.global.v4.u32 {{%r0, %r1, %r2, %r3}}, [%d1];
  ld.global.v4.u32 {{%r4, %r5, %r6, %r7}}, [%d1+16];
  ld.global.v4.u32 {{%r8, %r9, %r10, %r11}}, [%d1+32];
  ld.global.v4.u32 {{%r12, %r13, %r14, %r15}}, [%d1+48];
  mov.u32 %r16, 0;
  mov.u32 %r17, 0;
  mov.u32 %r18, 0;
  mov.u32 %r19, 0;
  mov.u32 %r20, 0;
{body}  st.global.u32 [%d2], %r16;
  st.global.u32 [%d2+4], %r17;
  st.global.u32 [%d2+8], %r18;
  st.global.u32 [%d2+12], %r19;
  st.global.u32 [%d2+16], %r20;
  ret;
}}
"""


def tex(geom, lod="", dtype="f32", ctype="f32", offset=False, compare=False, resident=False):
    name = "_".join(["tex"] + ([lod] if lod else []) + [geom, dtype, ctype] + (["off"] if offset else []) + (["cmp"] if compare else []) +
                    (["res"] if resident else []))
    if name in KERNELS:
        return name
    wide = {"f16": ("v4", "{%h0, %h1, %h2, %h3}"), "f16x2": ("v2", "{%r16, %r17}")}.get(dtype, ("v4", "{%r16, %r17, %r18, %r19}"))
    lods = {"": "", "base": "", "level": ", %r4", "grad": ", " + GRADS[geom]}[lod]
    op = "tex" + ("." + lod if lod else "") + f".{geom}.{wide[0]}.{dtype}.{ctype} {wide[1]}{'|%p1' if resident else ''}, [%d0, {coords(geom)}]{lods}"
    op += ", " + OFFSETS[geom] if offset else ""
    op += ", %r11" if compare else ""
    body = "  " + op + ";\n"
    if dtype == "f16":
        body += "".join(f"  cvt.u32.u16 %r{16 + k}, %h{k};\n" for k in range(4))
    if resident:
        body += "  selp.u32 %r20, 1, 2, %p1;\n"
    emit(name, body)
    return name


def tld4(comp, geom, dtype="f32", offset=False, resident=False):
    name = "_".join(["tld4", comp, geom, dtype] + (["off"] if offset else []) + (["res"] if resident else []))
    op = f"tld4.{comp}.{geom}.v4.{dtype}.f32 {{%r16, %r17, %r18, %r19}}{'|%p1' if resident else ''}, [%d0, {coords(geom)}]"
    op += ", " + OFFSETS[geom] if offset else ""
    emit(name, "  " + op + ";\n" + ("  selp.u32 %r20, 1, 2, %p1;\n" if resident else ""))
    return name


SURFACE = {"1d": "{%r0}", "2d": "{%r0, %r1}", "3d": "{%r0, %r1, %r2, %r2}", "a1d": "{%r0, %r1}", "a2d": "{%r0, %r1, %r2, %r2}"}
VECS = {"": (1, ""), "v2": (2, ".v2"), "v4": (4, ".v4")}


def suld(geom, vec, bits, mode):
    name = "_".join(["suld", geom, vec or "v1", f"b{bits}", mode])
    count = VECS[vec][0]
    if bits == 64:
        regs = [f"%d{8 + k}" for k in range(count)]
    elif bits == 32:
        regs = [f"%r{16 + k}" for k in range(count)]
    else:
        regs = [f"%h{k}" for k in range(count)]
    body = f"  suld.b.{geom}{VECS[vec][1]}.b{bits}.{mode} {{{', '.join(regs)}}}, [%d0, {SURFACE[geom]}];\n"
    if bits == 64:
        body += "".join(f"  mov.b64 {{%r{16 + 2 * k}, %r{17 + 2 * k}}}, %d{8 + k};\n" for k in range(count))
    elif bits < 32:
        body += "".join(f"  cvt.u32.u16 %r{16 + k}, %h{k};\n" for k in range(count))
        if bits == 8:
            body += "".join(f"  and.b32 %r{16 + k}, %r{16 + k}, 255;\n" for k in range(count))
    emit(name, body)
    return name


def sust(geom, vec, bits, mode, formatted=False):
    name = "_".join(["sustp" if formatted else "sust", geom, vec or "v1", f"b{bits}", mode])
    count = VECS[vec][0]
    body = ""
    if bits == 64:
        regs = [f"%d{8 + k}" for k in range(count)]
        body += "".join(f"  mov.b64 %d{8 + k}, {{%r{8 + 2 * k}, %r{9 + 2 * k}}};\n" for k in range(count))
    elif bits == 32:
        regs = [f"%r{8 + k}" for k in range(count)]
    else:
        regs = [f"%h{k}" for k in range(count)]
        body += "".join(f"  cvt.u16.u32 %h{k}, %r{8 + k};\n" for k in range(count))
    body += f"  sust.{'p' if formatted else 'b'}.{geom}{VECS[vec][1]}.b{bits}.{mode} [%d0, {SURFACE[geom]}], {{{', '.join(regs)}}};\n"
    emit(name, body)
    return name


def sured(op, geom, ctype, mode, formatted=False):
    name = "_".join(["suredp" if formatted else "sured", op, geom, ctype, mode])
    wide = ctype.endswith("64")
    body = "  mov.b64 %d8, {%r8, %r9};\n" if wide else ""
    body += f"  sured.{'p' if formatted else 'b'}.{op}.{geom}.{ctype}.{mode} [%d0, {SURFACE[geom]}], {'%d8' if wide else '%r8'};\n"
    emit(name, body)
    return name


def query(op, what, level=False):
    name = f"{op}_{'level_' if level else ''}{what}"
    emit(name, f"  {op}{'.level' if level else ''}.{what}.b32 %r16, [%d0]{', %r4' if level else ''};\n")
    return name
