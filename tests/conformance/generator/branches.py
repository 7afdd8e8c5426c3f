# SPDX-License-Identifier: Apache-2.0
"""Cases of control: branches and loops."""
from generator.cases import case


def branches():
    G = 'control'
    U = 'u32'
    case('if_else', G, '''and.b32 %r0, %i0, 1;
        setp.eq.u32 %p0, %r0, 0;
        @%p0 bra EVEN;
        mul.lo.u32 %o0, %i0, 3;
        bra.uni END;
        EVEN:
        shr.u32 %o0, %i0, 1;
        END:
        xor.b32 %o0, %o0, 0x5a;''', [U], [U])
    nest = 'mov.u32 %o0, 1;\n'

    def tree(d, path):
        if d == 4:
            return f'mad.lo.u32 %o0, %o0, {path + 3}, {path * 17};\n'
        return (f'and.b32 %r{d}, %i0, {1 << d};\nsetp.ne.u32 %p{d}, %r{d}, 0;\n@%p{d} bra T{d}_{path};\n'
                + tree(d + 1, path * 2) + f'bra J{d}_{path};\nT{d}_{path}:\n' + tree(d + 1, path * 2 + 1) + f'J{d}_{path}:\nadd.u32 %o0, %o0, {d};\n')
    case('if_nested4', G, nest + tree(0, 1), [U], [U])
    case('loop_trip', G, '''mov.u32 %o0, 0;
        mov.u32 %r0, 0;
        LOOP:
        setp.ge.u32 %p0, %r0, %i0;
        @%p0 bra DONE;
        mad.lo.u32 %o0, %o0, 5, %r0;
        add.u32 %r0, %r0, 1;
        bra LOOP;
        DONE:''' + '\nadd.u32 %o0, %o0, 0;', ['trip'], [U])
    case('loop_do_while', G, '''mov.u32 %o0, 1;
        mov.u32 %r0, %i0;
        LOOP:
        mul.lo.u32 %o0, %o0, 3;
        sub.u32 %r0, %r0, 1;
        setp.gt.s32 %p0, %r0, 0;
        @%p0 bra LOOP;''', ['trip'], [U])
    case('collatz', G, '''mov.u32 %o0, 0;
        mov.u32 %r0, %i0;
        LOOP:
        setp.le.u32 %p0, %r0, 1;
        @%p0 bra DONE;
        and.b32 %r1, %r0, 1;
        setp.eq.u32 %p1, %r1, 0;
        @%p1 shr.u32 %r0, %r0, 1;
        @!%p1 mad.lo.u32 %r0, %r0, 3, 1;
        add.u32 %o0, %o0, 1;
        bra LOOP;
        DONE:
        mov.u32 %o1, %r0;''', ['trip1'], [U, U])
    case('gcd', G, '''mov.u32 %r0, %i0;
        mov.u32 %r1, %i1;
        LOOP:
        setp.eq.u32 %p0, %r1, 0;
        @%p0 bra DONE;
        rem.u32 %r2, %r0, %r1;
        mov.u32 %r0, %r1;
        mov.u32 %r1, %r2;
        bra LOOP;
        DONE:
        mov.u32 %o0, %r0;''', ['u32', 'u32'], [U])
    case('crc32', G, '''not.b32 %r0, %i0;
        mov.u32 %r1, 0;
        LOOP:
        and.b32 %r2, %r0, 1;
        neg.s32 %r2, %r2;
        and.b32 %r2, %r2, 0xEDB88320;
        shr.u32 %r0, %r0, 1;
        xor.b32 %r0, %r0, %r2;
        add.u32 %r1, %r1, 1;
        setp.lt.u32 %p0, %r1, 32;
        @%p0 bra LOOP;
        not.b32 %o0, %r0;''', [U], [U])
    case('loop_break_continue', G, '''mov.u32 %o0, 0;
        mov.u32 %r0, 0;
        HEAD:
        setp.ge.u32 %p0, %r0, 64;
        @%p0 bra OUT;
        add.u32 %r1, %r0, %i0;
        add.u32 %r0, %r0, 1;
        and.b32 %r2, %r1, 3;
        setp.eq.u32 %p1, %r2, 2;
        @%p1 bra HEAD;
        add.u32 %o0, %o0, %r1;
        rem.u32 %r3, %o0, 97;
        setp.eq.u32 %p2, %r3, 13;
        @%p2 bra OUT;
        bra HEAD;
        OUT:
        mov.u32 %o1, %r0;''', ['trip'], [U, U])
    case('loop_nested', G, '''mov.u32 %o0, 0;
        mov.u32 %r0, 0;
        OUTER:
        setp.ge.u32 %p0, %r0, %i0;
        @%p0 bra DONE;
        mov.u32 %r1, 0;
        INNER:
        setp.gt.u32 %p1, %r1, %r0;
        @%p1 bra ENDIN;
        mad.lo.u32 %o0, %o0, 31, %r1;
        add.u32 %r1, %r1, 1;
        bra INNER;
        ENDIN:
        add.u32 %r0, %r0, 1;
        bra OUTER;
        DONE:
        add.u32 %o0, %o0, %tx;''', ['small12'], [U])
    case('newton_isqrt', G, '''shr.u32 %r0, %i0, 1;
        add.u32 %r0, %r0, 1;
        setp.eq.u32 %p0, %i0, 0;
        mov.u32 %o0, 0;
        @%p0 bra END;
        LOOP:
        div.u32 %r1, %i0, %r0;
        add.u32 %r1, %r1, %r0;
        shr.u32 %r1, %r1, 1;
        setp.ge.u32 %p1, %r1, %r0;
        @%p1 bra FIN;
        mov.u32 %r0, %r1;
        bra LOOP;
        FIN:
        mov.u32 %o0, %r0;
        END:
        add.u32 %o0, %o0, 0;''', ['trip1'], [U])
    case('irreducible', G, '''mov.u32 %r0, 0;
        mov.u32 %o0, 7;
        and.b32 %r1, %i0, 1;
        setp.ne.u32 %p0, %r1, 0;
        @%p0 bra B;
        A:
        mad.lo.u32 %o0, %o0, 3, 1;
        add.u32 %r0, %r0, 1;
        B:
        xor.b32 %o0, %o0, %r0;
        add.u32 %r0, %r0, 1;
        setp.lt.u32 %p1, %r0, %i0;
        @%p1 bra A;''', ['trip'], [U])
    for sfx in ('', '.uni'):
        idx = 'and.b32 %r0, %i0, 3;' if not sfx else 'mov.u32 %r0, 2;'
        case(f'brx.idx{sfx}', G, f'''{idx}
            TGT: .branchtargets L0, L1, L2, L3;
            brx.idx{sfx} %r0, TGT;
            L0:
            mov.u32 %o0, 100;
            bra END;
            L1:
            mul.lo.u32 %o0, %i0, 7;
            bra END;
            L2:
            not.b32 %o0, %i0;
            bra END;
            L3:
            add.u32 %o0, %i0, 1000;
            END:
            add.u32 %o0, %o0, 1;''', [U], [U])
    case('brx.idx.fallthrough', G, '''and.b32 %r0, %i0, 7;
        mov.u32 %o0, 1;
        TGT: .branchtargets L0, L1, L2, L3, L4, L2, L1, END;
        brx.idx %r0, TGT;
        L0:
        add.u32 %o0, %o0, 3;
        L1:
        mul.lo.u32 %o0, %o0, 5;
        L2:
        xor.b32 %o0, %o0, 0x33;
        L3:
        shl.b32 %o0, %o0, 2;
        L4:
        sub.u32 %o0, %o0, 9;
        END:
        add.u32 %o0, %o0, %i0;''', [U], [U])
    case('brx.idx.loop_vm', G, '''mov.u32 %r1, %i0;
        mov.u32 %o0, 1;
        mov.u32 %r3, 0;
        TGT: .branchtargets L0, L1, L2, L3;
        NEXT:
        and.b32 %r0, %r1, 3;
        shr.u32 %r1, %r1, 2;
        add.u32 %r3, %r3, 1;
        setp.gt.u32 %p0, %r3, 16;
        @%p0 bra END;
        brx.idx %r0, TGT;
        L0:
        add.u32 %o0, %o0, 11;
        bra NEXT;
        L1:
        mul.lo.u32 %o0, %o0, 3;
        bra NEXT;
        L2:
        xor.b32 %o0, %o0, %r3;
        bra NEXT;
        L3:
        setp.gt.u32 %p1, %r3, 9;
        @!%p1 bra NEXT;
        END:
        add.u32 %o0, %o0, 0;''', [U], [U], note='little interpreter, lanes diverge every step')
