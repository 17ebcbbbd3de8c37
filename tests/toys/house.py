"""A copy of the package and of the formal library in which the toys live."""

import shutil
from pathlib import Path

from tests.house import House

_HERE = Path(__file__).parent


class ToyHouse(House):
    """A copy of the repository with the toys in it, and no other operator."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.empty()
        (folder / "why3/toys").mkdir()
        spec = folder / "sonnx_formal/spec"
        shutil.copy(_HERE / "toys.mlw", folder / "why3/toys")
        shutil.copy(_HERE / "declarations.py", spec / "operators/toys.py")
        shutil.copy(_HERE / "registry.toml", spec / "requirements/sonnx-toy.toml")
