"""The goal that a mutant means the same as what it was made from."""

from sonnx_formal.evidence.mutation.mutants import Mutant
from sonnx_formal.prover.whyml.modules import Clause, Declaration
from sonnx_formal.prover.whyml.tokens import TokenKind, tokenize

GOAL = "mutant_is_equivalent"


def with_goal(mutant: Mutant, text: str, definition: Declaration) -> str:
    """The edited file, with the goal after the definition.

    Of the body: both give the same result for operands that satisfy the preconditions; where the
    definition is recursive, the mutant satisfies the equation that defined the original. Of the
    preconditions: they hold of the same operands. Of another clause: the definition, which is not
    edited, satisfies both or neither.
    """
    name = definition.name if definition.name[0].isalpha() else f"( {definition.name} )"
    names = [name for group in definition.parameters for name in group.names or ("()",)]
    applied = f"({' '.join([name, *names])})"
    requires = [c for c in definition.clauses if c.keyword == "requires"]
    before = " /\\ ".join(["true", *(_inside(text, c) for c in requires)])
    if mutant.part == "body":
        start, end = definition.body[0].start, definition.body[-1].end
        original, changed = text[start:end], _changed(mutant, text, start, end)
        relation = "<->" if "predicate" in definition.head else "="
        claim = f"({before}) -> (({original}) {relation} ({changed}))"
    elif mutant.part.startswith("requires"):
        after = " /\\ ".join(["true", *(_edited(mutant, text, c) for c in requires)])
        claim = f"({before}) <-> ({after})"
    else:
        (clause,) = (c for c in definition.clauses if c.start <= mutant.start < c.end)
        original = _of_result(_inside(text, clause), applied)
        changed = _of_result(_edited(mutant, text, clause), applied)
        claim = f"({before}) -> (({original}) <-> ({changed}))"
    groups = ", ".join(
        f"{' '.join(g.names)}: {_type(g.type)}" for g in definition.parameters if g.names
    )
    quantifier = f"forall {groups}. " if groups else ""
    edited = mutant.apply(text)
    place = definition.end + len(edited) - len(text)
    return f"{edited[:place]}\n  goal {GOAL}: {quantifier}{claim}\n{edited[place:]}"


def _inside(text: str, clause: Clause) -> str:
    return f"({text[clause.inside[0].start : clause.inside[-1].end]})" if clause.inside else "true"


def _edited(mutant: Mutant, text: str, clause: Clause) -> str:
    """What a clause says in the mutant; nothing, where it was dropped."""
    if mutant.start == clause.start:
        return "true"
    start, end = clause.inside[0].start, clause.inside[-1].end
    return f"({_changed(mutant, text, start, end)})"


def _changed(mutant: Mutant, text: str, start: int, end: int) -> str:
    if not start <= mutant.start < end:
        return text[start:end]
    return text[start : mutant.start] + mutant.replacement + text[mutant.end : end]


def _of_result(formula: str, applied: str) -> str:
    """The formula with the function applied in the place of `result`."""
    tokens = tokenize(formula)
    for before, token in reversed([*zip([None, *tokens], tokens, strict=False)]):
        field = before is not None and before.text == "." and before.end == token.start
        if token.kind is TokenKind.WORD and token.text == "result" and not field:
            formula = formula[: token.start] + applied + formula[token.end :]
    return formula


def _type(text: str) -> str:
    return text.replace(" . ", ".")
