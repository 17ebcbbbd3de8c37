"""The process around the `cvc5` package: a task on standard input, answer and cost on the output.

    python cvc5_process.py [OPTION=VALUE]...

A process of its own, because cvc5 runs inside Python's process and cannot be stopped there. It is
started once a proof, so it imports nothing but cvc5.
"""

import sys

import cvc5


def main() -> None:
    terms = cvc5.TermManager()
    solver = cvc5.Solver(terms)
    for setting in sys.argv[1:]:
        option, _, value = setting.partition("=")
        solver.setOption(option, value)
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, sys.stdin.read(), "task")
    symbols = parser.getSymbolManager()
    while not (command := parser.nextCommand()).isNull():
        if output := command.invoke(solver, symbols):
            print(output.strip(), flush=True)
    spent = solver.getStatistics()["resource::resourceUnitsUsed"]["value"]
    print(f"resource::resourceUnitsUsed = {spent}")


if __name__ == "__main__":
    try:
        main()
    except RuntimeError as error:  # what the bindings raise, for a syntax error as for no memory
        sys.exit(f'(error "{error}")')
