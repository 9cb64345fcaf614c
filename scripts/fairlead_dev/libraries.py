"""Published libraries of kernels, for tests/libraries: in build/libraries, each in a folder of its own."""

from . import build, wheels

FOLDER = build.BUILD / "libraries"
_PACKAGES = (
    "quack-kernels==0.6.5",
    "flash-attn-4==4.0.0b36",
    "flashlib==0.4.0",
    "sgl-fa4==4.0.5",
    "dist-moe==0.1.0",
    "b12x==1.5.1",
    "nvidia-cutlass-operators==0.3.0",
    "nvidia-cudnn-frontend==1.32.0",
    "flashinfer-python==0.7.2",
    "attn-gym==0.0.17",
    "xgrammar==0.2.8",
)
# Versions whose own tests are published where those of the ones above are not.
_OLDER = ("nvidia-cudnn-frontend==1.23.0",)
# Their imports besides torch and the language.
_DEPENDENCIES = (
    "einops==0.8.2",
    "nvidia-ml-py==13.615.71",
    "tabulate==0.10.0",
    "tqdm==4.70.1",
    "transformers==5.24.0",
    "triton==3.9.0",
)
# Sources of other projects that a wheel carries.
_FOREIGN = ("flashinfer/data/",)


def ensure() -> None:
    """Fetches the wheels that are not there. What cannot be fetched is skipped by the tests."""
    for folder, requirements in (
        ("packages", _PACKAGES),
        ("older", _OLDER),
        ("dependencies", _DEPENDENCIES),
    ):
        (FOLDER / folder).mkdir(parents=True, exist_ok=True)
        for requirement in requirements:
            wheels.fetch(
                requirement,
                FOLDER / folder / requirement,
                FOLDER / "wheels",
                lambda name: not name.startswith(_FOREIGN),
            )
