"""flashlib: products for Hopper, and kernels of statistics, on small shapes."""

import math

import torch
from compare import agree

BF16 = torch.bfloat16


def _random(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    torch.manual_seed(sum(shape))
    return torch.randn(*shape, dtype=dtype, device="cuda")


def _without(module, *names: str) -> None:
    """Take the functions from a module that its own ones call if a kernel fails."""
    for name in names:
        assert callable(getattr(module, name))
        setattr(module, name, None)


def gemm():
    from flashlib.linalg.gemm.cutedsl.bf16_chained import gemm_bf16_kn

    a, b = _random(128, 96, dtype=BF16), _random(256, 96, dtype=BF16)
    agree(gemm_bf16_kn(a, b), a.double() @ b.double().T)


def gemm_of_split_numbers():
    from flashlib.linalg.gemm.cutedsl.bf16x3_fused import matmul_bf16x3_cute_fused_presplit

    exact, parts = [_random(128, 64), _random(256, 64)], []
    for x in exact:
        high = x.to(BF16)
        parts += [high, (x - high.float()).to(BF16)]
    agree(matmul_bf16x3_cute_fused_presplit(*parts), exact[0].double() @ exact[1].double().T, 1e-4)


def gemm_of_integers():
    from flashlib.linalg.gemm.cutedsl.int8_gemm import cute_int8_mm

    a, b = (
        torch.randint(-128, 128, (rows, 128), dtype=torch.int8, device="cuda")
        for rows in (128, 256)
    )
    out = torch.empty(128, 256, dtype=torch.int32, device="cuda")
    cute_int8_mm(a, b, out)
    agree(out, a.double() @ b.double().T, 0)


def nearest_centroids():
    from flashlib.primitives.kmeans.cutedsl import assign

    _without(assign, "euclid_assign_triton")
    x, centroids = _random(1, 300, 64, dtype=BF16), _random(1, 40, 64, dtype=BF16) * 2
    found = assign.cutedsl_assign_euclid(x, centroids, autotune=False)
    distances = torch.cdist(x[0].double(), centroids[0].double()).square()
    chosen = distances.gather(1, found[0].long()[:, None])[:, 0]
    agree(chosen, distances.amin(1), 1e-3)


def means_and_deviations():
    from flashlib.primitives.standard_scaler.cutedsl import scaler

    _without(scaler, "_triton_fit", "_triton_transform")
    x = _random(500, 70) * 3 + 100
    scaled, (mean, deviation) = scaler.cutedsl_standard_scaler_fit_transform(x)
    exact = x.double()
    agree(mean, exact.mean(0))
    agree(deviation, exact.std(0, correction=0))
    agree(scaled, (exact - exact.mean(0)) / exact.std(0, correction=0), 1e-4)


def products_of_columns_and_rows():
    from flashlib.primitives.truncated_svd.cutedsl import svd

    _without(svd, "cublas_bf16_cov_gemm", "cublas_bf16_gram_gemm")
    # For fewer tiles the package adds parts with a name that the language does not have.
    x = _random(16, 512, dtype=BF16).float()
    agree(svd.cutedsl_cov_gemm_simt(x), x.double().T @ x.double(), 1e-4)
    x = x.T.contiguous()
    agree(svd.cutedsl_gram_gemm_simt(x), x.double() @ x.double().T, 1e-4)


def likeliest_classes():
    from flashlib.primitives.multinomial_nb.cutedsl import nb

    _without(nb, "flash_multinomial_nb_predict")
    x = torch.randint(0, 5, (150, 96), device="cuda").float()
    likelihoods = torch.log_softmax(_random(7, 96), -1)
    priors = torch.log_softmax(_random(7), -1)
    params = {"feature_log_prob": likelihoods, "class_log_prior": priors}
    found = nb.cutedsl_multinomial_nb_predict_argmax(x, params)
    scores = x.double() @ likelihoods.to(BF16).double().T + priors.double()
    agree(scores.gather(1, found[:, None])[:, 0], scores.amax(1), 1e-4)


def neighbours_in_a_grid():
    from flashlib.primitives.dbscan.cutedsl.grid_radius import cutedsl_grid_radius_search

    points, radius = _random(200, 2), 0.3
    degrees, neighbours = cutedsl_grid_radius_search(points, radius, 64)
    distances = torch.cdist(points.double(), points.double())
    near = distances <= radius
    # Distances that float32 rounds across the radius would count differently.
    assert (distances - radius).abs().min() > 1e-6
    agree(degrees, near.sum(1).clamp(max=64), 0)
    for row in range(200):
        found = neighbours[row, : degrees[row]]
        assert len(set(found.tolist())) == len(found) and near[row, found.long()].all()


def reachability_of_edges():
    from flashlib.primitives.hdbscan.cutedsl.mrd_edges import cutedsl_fused_mrd_edges

    squares, cores = _random(50, 16).square(), _random(50).abs()
    partners = torch.randint(0, 50, (50, 16), dtype=torch.int32, device="cuda")
    found = cutedsl_fused_mrd_edges(squares, partners, cores)
    ends = torch.maximum(cores[:, None], cores[partners.long()]).double()
    agree(found, torch.maximum(squares.double().sqrt(), ends))


def precisions_of_perplexity():
    """For each row of distances the precision at which its entropy is the logarithm of 30."""
    from flashlib.primitives.tsne.cutedsl import tsne

    _without(tsne, "triton_tsne_perplex_bisect")
    points = _random(200, 5)
    distances = torch.cdist(points.double(), points.double()).square()
    distances = distances - (distances + torch.diag(torch.full((200,), 1e9))).amin(1, keepdim=True)
    found = tsne.cutedsl_tsne_perplex_bisect(distances.float()).double()
    others = ~torch.eye(200, dtype=torch.bool)
    scores = torch.where(others, -found[:, None] * distances, float("-inf"))
    weights = torch.softmax(scores, 1)
    entropies = -torch.where(weights > 0, weights * weights.log(), 0).sum(1)
    agree(entropies, torch.full_like(entropies, math.log(30)), 1e-3)


KERNELS = {
    "GEMM": gemm,
    "GEMM of numbers split in two": gemm_of_split_numbers,
    "GEMM of integers": gemm_of_integers,
    "nearest centroids": nearest_centroids,
    "means and deviations": means_and_deviations,
    "products of columns and of rows": products_of_columns_and_rows,
    "likeliest classes": likeliest_classes,
    "neighbours in a grid": neighbours_in_a_grid,
    "reachability of edges": reachability_of_edges,
    "precisions of a perplexity": precisions_of_perplexity,
}
