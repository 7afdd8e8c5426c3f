# SPDX-License-Identifier: Apache-2.0
"""Cases of control: calls, recursion, pointers to functions, early ends."""
from generator.cases import case


def calls():
    G = 'control'
    U = 'u32'
    f_addmul = '''.func (.param .b32 rv) $K_f(.param .b32 a, .param .b32 b)
        {
        .reg .b32 %x<4>;
        ld.param.b32 %x0, [a];
        ld.param.b32 %x1, [b];
        mad.lo.u32 %x2, %x0, %x1, 17;
        st.param.b32 [rv], %x2;
        ret;
        }'''
    call = '''{
        .param .b32 pa;
        .param .b32 pb;
        .param .b32 pr;
        st.param.b32 [pa], %i0;
        st.param.b32 [pb], %i1;
        CALLQ (pr), $K_f, (pa, pb);
        ld.param.b32 %o0, [pr];
        }'''
    case('call.uni', G, call.replace('CALLQ', 'call.uni'), [U, U], [U], prelude=f_addmul)
    case('call', G, call.replace('CALLQ', 'call'), [U, U], [U], prelude=f_addmul)
    case('call.reg_params', G, 'call.uni (%o0), $K_f, (%i0, %i1);', [U, U], [U], prelude='''.func (.reg .b32 rv) $K_f(.reg .b32 a, .reg .b32 b)
        {
        sub.u32 rv, a, b;
        ret;
        }''')
    case('call.alias', G, call.replace('CALLQ', 'call.uni').replace('$K_f', '$K_al'), [U, U], [U], prelude='.visible ' + f_addmul + '\n.visible .func (.param .b32 rv) $K_al(.param .b32 a, .param .b32 b);\n.alias $K_al, $K_f;')
    case('call.declared_first', G, call.replace('CALLQ', 'call.uni'), [U, U], [U], prelude=f_addmul.split('{')[0] + ';\n' + f_addmul)
    for e in ('.maxntid 1024, 1, 1', '.reqntid 128, 1, 1', '.maxntid 256, 1, 1 .minnctapersm 2', '.maxnreg 40', '.maxclusterrank 1', '.reqnctapercluster 1, 1, 1'):
        case('entry' + e.split(' ')[0], G, 'mad.lo.u32 %o0, %i0, %i1, 9;', [U, U], [U], entry=' ' + e)
    case('pragma.nounroll', G, '''mov.u32 %o0, 0;
        mov.u32 %r0, 0;
        LOOP:
        .pragma "nounroll";
        mad.lo.u32 %o0, %o0, 3, %i0;
        add.u32 %r0, %r0, 1;
        setp.lt.u32 %p0, %r0, 8;
        @%p0 bra LOOP;''', [U], [U])
    case('comments', G, '''/* block { comment */ add.u32 %o0, %i0, 1; // trailing ; comment
        /* multi
        line */
        xor.b32 %o0 , %o0,0x1 ;''', [U], [U])
    case('call.divergent', G, '''and.b32 %r0, %i0, 1;
        setp.eq.u32 %p0, %r0, 0;
        mov.b32 %o0, 5;
        @%p0 bra SKIP;
        ''' + call.replace('CALLQ', 'call') + '\nSKIP:\nadd.u32 %o0, %o0, 1;', [U, U], [U], prelude=f_addmul)
    case('call.predicated', G, '''and.b32 %r0, %i0, 3;
        setp.eq.u32 %p0, %r0, 0;
        {
        .param .b32 pa;
        .param .b32 pb;
        .param .b32 pr;
        st.param.b32 [pa], %i0;
        st.param.b32 [pb], %i1;
        @%p0 call (pr), $K_f, (pa, pb);
        ld.param.b32 %r1, [pr];
        }
        selp.b32 %o0, %r1, 3, %p0;''', [U, U], [U], prelude=f_addmul)
    case('call.void_pointer', G, '''{
        .param .b64 pp;
        .local .align 4 .b32 lv;
        .reg .b64 %q;
        st.local.b32 [lv], %i0;
        mov.u64 %q, lv;
        cvta.local.u64 %q, %q;
        st.param.b64 [pp], %q;
        call.uni $K_f, (pp);
        ld.local.b32 %o0, [lv];
        }''', [U], [U], prelude='''.func $K_f(.param .b64 p)
        {
        .reg .b32 %x; .reg .b64 %y;
        ld.param.b64 %y, [p];
        ld.b32 %x, [%y];
        mad.lo.u32 %x, %x, %x, 1;
        st.b32 [%y], %x;
        ret;
        }''')
    case('call.nested', G, call.replace('CALLQ', 'call'), [U, U], [U], prelude='''.func (.param .b32 rv) $K_g(.param .b32 a)
        {
        .reg .b32 %x;
        ld.param.b32 %x, [a];
        not.b32 %x, %x;
        st.param.b32 [rv], %x;
        ret;
        }
        .func (.param .b32 rv) $K_f(.param .b32 a, .param .b32 b)
        {
        .reg .b32 %x<4>;
        ld.param.b32 %x0, [a];
        ld.param.b32 %x1, [b];
        {
        .param .b32 q; .param .b32 r;
        st.param.b32 [q], %x0;
        call (r), $K_g, (q);
        ld.param.b32 %x2, [r];
        }
        add.u32 %x2, %x2, %x1;
        st.param.b32 [rv], %x2;
        ret;
        }''')
    one = '''{
        .param .b32 pa;
        .param .b32 pr;
        st.param.b32 [pa], %i0;
        call (pr), $K_f, (pa);
        ld.param.b32 %o0, [pr];
        }'''

    def rec(base, step):
        return '.func (.param .b32 rv) $K_f(.param .b32 a)\n{\n.reg .b32 %x<8>; .reg .pred %p;\nld.param.b32 %x0, [a];\n' + base + '''
            @%p bra BASE;
            ''' + step + '''
            st.param.b32 [rv], %x1;
            ret;
            BASE:
            st.param.b32 [rv], %x0;
            ret;
            }'''
    sub = lambda dst, src: f'{{\n.param .b32 q; .param .b32 r;\nst.param.b32 [q], {src};\ncall (r), $K_f, (q);\nld.param.b32 {dst}, [r];\n}}'
    case('recursion.sum', G, one, ['small12'], [U], prelude=rec('setp.eq.u32 %p, %x0, 0;', 'sub.u32 %x2, %x0, 1;\n' + sub('%x3', '%x2') + '\nmad.lo.u32 %x1, %x3, 3, %x0;'))
    case('recursion.fib', G, one, ['small12'], [U], prelude=rec('setp.lt.u32 %p, %x0, 2;', 'sub.u32 %x2, %x0, 1;\n' + sub('%x3', '%x2') + '\nsub.u32 %x4, %x0, 2;\n' + sub('%x5', '%x4') + '\nadd.u32 %x1, %x3, %x5;'))
    case('recursion.mutual', G, one, ['small12'], [U], prelude='''.func (.param .b32 rv) $K_f(.param .b32 a);
        .func (.param .b32 rv) $K_g(.param .b32 a)
        {
        .reg .b32 %x<8>; .reg .pred %p;
        ld.param.b32 %x0, [a];
        setp.eq.u32 %p, %x0, 0;
        @%p bra BASE;
        sub.u32 %x2, %x0, 1;
        ''' + sub('%x3', '%x2') + '''
        mad.lo.u32 %x1, %x3, 2, 1;
        st.param.b32 [rv], %x1;
        ret;
        BASE:
        st.param.b32 [rv], 1000;
        ret;
        }
        .func (.param .b32 rv) $K_f(.param .b32 a)
        {
        .reg .b32 %x<8>; .reg .pred %p;
        ld.param.b32 %x0, [a];
        setp.eq.u32 %p, %x0, 0;
        @%p bra BASE;
        sub.u32 %x2, %x0, 1;
        ''' + sub('%x3', '%x2').replace('$K_f', '$K_g') + '''
        mad.lo.u32 %x1, %x3, 3, %x0;
        st.param.b32 [rv], %x1;
        ret;
        BASE:
        st.param.b32 [rv], 2000;
        ret;
        }''')
    fns = ''
    for j, e in enumerate(('add.u32 %x, %x, 100;', 'mul.lo.u32 %x, %x, 9;', 'not.b32 %x, %x;', 'brev.b32 %x, %x;')):
        fns += f'.func (.param .b32 rv) $K_f{j}(.param .b32 a)\n{{\n.reg .b32 %x;\nld.param.b32 %x, [a];\n{e}\nst.param.b32 [rv], %x;\nret;\n}}\n'
    fns += '.global .align 8 .u64 $K_tab[4] = {$K_f0, $K_f1, $K_f2, $K_f3};\n'
    ind = '''{
        .param .b32 pa;
        .param .b32 pr;
        st.param.b32 [pa], %i0;
        PROTO: .callprototype (.param .b32 _) _ (.param .b32 _);
        call (pr), %w2, (pa), PROTO;
        ld.param.b32 %o0, [pr];
        }'''
    case('call.indirect.table', G, 'and.b32 %r0, %i0, 3;\nmul.wide.u32 %w0, %r0, 8;\nmov.u64 %w1, $K_tab;\nadd.u64 %w1, %w1, %w0;\nld.global.u64 %w2, [%w1];\n' + ind, [U], [U], prelude=fns, note='divergent indirect call')
    case('call.indirect.mov', G, 'mov.u64 %w2, $K_f1;\nmov.u64 %w3, $K_f2;\nand.b32 %r0, %i0, 1;\nsetp.eq.u32 %p0, %r0, 0;\nselp.u64 %w2, %w2, %w3, %p0;\n' + ind, [U], [U], prelude=fns)
    case('call.targets', G, 'mov.u64 %w2, $K_f1;\nmov.u64 %w3, $K_f2;\nand.b32 %r0, %i0, 1;\nsetp.eq.u32 %p0, %r0, 0;\nselp.u64 %w2, %w2, %w3, %p0;\n' +
         ind.replace('PROTO: .callprototype (.param .b32 _) _ (.param .b32 _);', 'PROTO: .calltargets $K_f1, $K_f2;'), [U], [U], prelude=fns)
    case('ret.predicated', G, one, [U], [U], prelude='''.func (.param .b32 rv) $K_f(.param .b32 a)
        {
        .reg .b32 %x; .reg .pred %p;
        ld.param.b32 %x, [a];
        st.param.b32 [rv], 1;
        setp.lt.s32 %p, %x, 0;
        @%p ret;
        st.param.b32 [rv], 2;
        setp.gt.u32 %p, %x, 100;
        @%p ret.uni;
        st.param.b32 [rv], 3;
        ret;
        }'''.replace('@%p ret.uni', '@%p ret'))
    case('exit.early', G, '''st.global.b64 [%po], 77;
        and.b32 %r0, %i0, 1;
        setp.eq.u32 %p0, %r0, 0;
        @%p0 exit;
        mul.lo.u32 %o0, %i0, 3;''', [U], [U], note='lanes that exit leave 77')
    case('ret.early', G, '''st.global.b64 [%po], 78;
        setp.gt.u32 %p0, %tx, 20;
        @%p0 ret;
        mul.lo.u32 %o0, %i0, 3;''', [U], [U], note='lanes that return leave 78')
