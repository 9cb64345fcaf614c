"""An instruction of each feature of the table of GPU architectures, as the body of a kernel in PTX."""

INSTRUCTIONS = {
    "ldmatrix": ".reg .b32 r; .shared .align 16 .b8 s[64];"
    " ldmatrix.sync.aligned.m8n8.x1.shared.b16 {r}, [s];",
    "cp_async": ".shared .align 16 .b8 s[64]; .reg .b64 g; mov.b64 g, 0;"
    " cp.async.cg.shared.global [s], [g], 16;",
    "cvt_pair": ".reg .b32 r; .reg .f32 a; mov.f32 a, 0f00000000; cvt.rn.bf16x2.f32 r, a, a;",
    "mma_sync": ".reg .b32 r; .reg .f32 c; mov.b32 r, 0; mov.f32 c, 0f00000000;"
    " mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {c,c,c,c}, {r,r,r,r}, {r,r}, {c,c,c,c};",
    "stmatrix": ".reg .b32 r; mov.b32 r, 0; .shared .align 16 .b8 s[64];"
    " stmatrix.sync.aligned.m8n8.x1.shared.b16 [s], {r};",
    "mbarrier": ".shared .align 8 .b8 s[64]; .reg .pred p;"
    " mbarrier.try_wait.parity.shared::cta.b64 p, [s], 0;",
    "tma": ".shared .align 128 .b8 s[256]; .reg .b64 g; mov.b64 g, 0; .reg .b32 x; mov.b32 x, 0;"
    " cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
    " [s], [g, {x, x}], [s+128];",
    "clusters": "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;",
    "griddepcontrol": "griddepcontrol.wait;",
    "f32x2": ".reg .b64 g; mov.b64 g, 0; fma.rn.f32x2 g, g, g, g;",
    "setmaxnreg": "setmaxnreg.dec.sync.aligned.u32 40;",
    "tensormap": ".shared .align 128 .b8 s[256]; .reg .b64 g; mov.b64 g, 0;"
    " tensormap.replace.tile.global_address.shared::cta.b1024.b64 [s], g;",
    "wgmma": "wgmma.fence.sync.aligned;",
    "clc": ".reg .b32 a; mov.b32 a, 0; clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes"
    ".multicast::cluster::all.b128 [a], [a];",
    "tcgen05": ".reg .b64 g; mov.b64 g, 0; .reg .b32 d; mov.b32 d, 0; .reg .pred p;"
    " setp.eq.u32 p, d, d; tcgen05.mma.cta_group::1.kind::f16 [d], g, g, d, p;",
    "mma_block_scale": ".reg .b32 r; mov.b32 r, 0; .reg .f32 f; mov.f32 f, 0f00000000; .reg .b16 i; mov.b16 i, 0;"
    " mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e4m3.e4m3.f32.ue8m0"
    " {f, f, f, f}, {r, r, r, r}, {r, r}, {f, f, f, f}, {r}, {i, i}, {r}, {i, i};",
    "ldmatrix_b8": ".reg .b32 r, q; .shared .align 16 .b8 s[256];"
    " ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {r, q}, [s];",
    "redux_f32": ".reg .f32 f; mov.f32 f, 0f00000000; redux.sync.min.f32 f, f, 0xffffffff;",
    "tcgen05_i8": ".reg .b64 g; mov.b64 g, 0; .reg .b32 d; mov.b32 d, 0; .reg .pred p;"
    " setp.eq.u32 p, d, d; tcgen05.mma.cta_group::1.kind::i8 [d], g, g, d, p;",
}
