"""Which mutants are drawn, in what order, and what their score is worth."""

from collections import Counter

import pytest

from sonnx_formal.evidence.mutation.mutants import Mutant
from sonnx_formal.evidence.mutation.sampling import by_turns, in_random_order, sample, wilson

SIZES = {"a/big.mlw": 600, "a/half.mlw": 300, "a/small.mlw": 60, "a/one.mlw": 1}
KINDS = {"operator": 0.6, "constant": 0.35, "branch": 0.05}


def some(file: str, number: int, kind: str = "operator", edition: int = 0) -> list[Mutant]:
    return [
        Mutant(
            kind=kind,
            start=0,
            end=1,
            replacement="x",
            id=f"{file}:M.f body: {kind} {edition} {place}",
            file=file,
            module="M",
            definition="f",
            part="body",
            line=1,
        )
        for place in range(number)
    ]


FOUND = [
    mutant
    for file, number in SIZES.items()
    for kind, share in KINDS.items()
    for mutant in some(file, round(number * share), kind)
]


def drawn(found: list[Mutant]) -> set[str]:
    return {mutant.id for mutant in sample(found, 100)}


def test_a_sample_has_its_size_and_each_file_its_share() -> None:
    assert len(drawn(FOUND)) == 100
    files = Counter(mutant.file for mutant in sample(FOUND, 100))
    assert files == {
        "a/big.mlw": pytest.approx(62, abs=3),
        "a/half.mlw": pytest.approx(31, abs=3),
        "a/small.mlw": pytest.approx(6, abs=2),
        "a/one.mlw": 1,
    }
    kinds = Counter(mutant.kind for mutant in sample(FOUND, 100))
    assert kinds["operator"] > kinds["constant"] > kinds["branch"] > 0


def test_few_are_drawn_whole() -> None:
    few = some("a/few.mlw", 99)
    assert drawn(few) == {mutant.id for mutant in few}


def test_the_order_of_the_mutants_changes_nothing() -> None:
    assert drawn(FOUND[::-1]) == drawn(FOUND)
    assert in_random_order(FOUND[::-1]) == in_random_order(FOUND) != FOUND


def test_another_text_of_one_file_leaves_the_sample_of_the_others() -> None:
    others = [mutant for mutant in FOUND if mutant.file != "a/half.mlw"]
    edited = [*others, *some("a/half.mlw", 310, "operator", edition=1)]
    kept = {mutant.id for mutant in others}
    assert len(drawn(FOUND) & kept ^ drawn(edited) & kept) <= 5


def test_small_strata_are_drawn_as_often_as_others() -> None:
    """A share that is always rounded down would leave them out."""
    small = [mutant for k in range(300) for mutant in some(f"a/{k % 20}.mlw", 1, f"kind {k}")]
    large = some("a/large.mlw", 300)
    chosen = Counter(mutant.file == "a/large.mlw" for mutant in sample([*small, *large], 100))
    assert chosen[True] == pytest.approx(50, abs=15)


def test_every_folder_has_its_turn() -> None:
    found = [*some("a/m.mlw", 5), *some("b/m.mlw", 2), *some("c/m.mlw", 1)]
    assert [mutant.file[0] for mutant in by_turns(found)] == list("abcabaaa")


@pytest.mark.parametrize(
    ("hits", "tries", "expected"),
    [
        (285, 300, (0.9191, 0.9695)),
        (0, 10, (0.0, 0.2775)),
        (10, 10, (0.7225, 1.0)),
        (1, 2, (0.0945, 0.9055)),
    ],
)
def test_intervals(hits: int, tries: int, expected: tuple[float, float]) -> None:
    assert wilson(hits, tries) == pytest.approx(expected, abs=2e-4)
