"""The obvious way: one cell at a time, by recursion, in plain Python."""

import math

import numpy as np

from evosdc.randomisation.equations.equation import CONSTANT, SYMBOLS, Equation


def nested(equation):
    """Return the equation as nested tuples ``(name, operand, ...)``, ``("constant", number)``."""
    stack = []
    for token, number in zip(equation.tokens.tolist(), equation.constants.tolist(), strict=True):
        symbol = SYMBOLS[token]
        operands = [stack.pop() for _ in range(symbol.arity)][::-1]
        stack.append(("constant", number) if token == CONSTANT else (symbol.name, *operands))
    (tree,) = stack
    return tree


def closed(value):
    return 0.0 if math.isnan(value) else min(max(value, -1e12), 1e12)


def value(tree, cell):
    name, *operands = tree
    if name == "constant":
        return operands[0]
    if not operands:
        return cell[name]
    x, *rest = (value(operand, cell) for operand in operands)
    match name:
        case "+":
            return closed(x + rest[0])
        case "-":
            return closed(x - rest[0])
        case "*":
            return closed(x * rest[0])
        case "/":
            return 1.0 if rest[0] == 0 else closed(_quotient(x, rest[0]))
        case "min":
            return min(x, rest[0])
        case "max":
            return max(x, rest[0])
        case "neg":
            return -x
        case "abs":
            return abs(x)
        case "sqrt":
            return math.sqrt(abs(x))
        case "log":
            return math.log1p(abs(x))
        case "if_less":
            return rest[1] if x < rest[0] else rest[2]
    raise AssertionError(name)


def _quotient(x, y):
    with np.errstate(over="ignore"):
        return float(np.float64(x) / np.float64(y))


def cell_of(T, distance, ordinal, p, k, l):  # noqa: E741 -- the letters of the definition
    return {
        "ta": float(T[k]),
        "tb": float(T[l]),
        "N": float(sum(T)),
        "c": float(sum(t > 0 for t in T)),
        "tmin": float(min(t for t in T if t > 0)),
        "tmax": float(max(T)),
        "a": float(k) if ordinal else 0.0,
        "b": float(l) if ordinal else 0.0,
        "d": float(distance[k][l]),
        "p": p,
    }


def matrix(equation, T, distance, ordinal, p, decoding):
    """Return the transition matrix, row by row as the definition says."""
    tree, c = nested(equation), len(T)
    occurring = [k for k in range(c) if T[k] > 0]
    result = np.identity(c)
    if len(occurring) < 2:
        return result
    for k in occurring:
        g = {l: value(tree, cell_of(T, distance, ordinal, p, k, l)) for l in occurring}  # noqa: E741
        others = [l for l in occurring if l != k]  # noqa: E741
        if decoding == "raw":
            row = {l: min(max(g[l], 0.0), 1.0) for l in others}  # noqa: E741
            total = sum(row.values())
            if total > 1:
                row = {l: w / total for l, w in row.items()}  # noqa: E741
            row[k] = max(0.0, 1 - sum(row.values()))
        elif decoding == "offdiag":
            row = {l: (1 - p) * share for l, share in shares({l: g[l] for l in others}).items()}  # noqa: E741
            row[k] = p
        else:
            row = shares(g)
        for l in occurring:  # noqa: E741
            result[k, l] = row[l]
    return result


def shares(weights):
    positive = {l: max(w, 0.0) for l, w in weights.items()}  # noqa: E741
    total = sum(positive.values())
    return {l: w / total if total > 0 else 1 / len(weights) for l, w in positive.items()}  # noqa: E741


def random_equation(rng, functions, arity_of_functions, terminals, size=15):
    """Return a well-formed postorder vector of at least `size` nodes, or a few more."""
    tokens, constants, height = [], [], 0
    while len(tokens) < size or height != 1:
        wanted = [f for f in functions if arity_of_functions[f] <= height]
        closing = len(tokens) >= size
        if wanted and (closing or rng.random() < 0.55):
            if closing:
                wanted = [f for f in wanted if arity_of_functions[f] > 1] or wanted
            token = int(rng.choice(wanted))
            height -= arity_of_functions[token] - 1
            constants.append(0.0)
        else:
            token = int(rng.choice(terminals))
            height += 1
            constants.append(_number(rng) if token == CONSTANT else 0.0)
        tokens.append(token)
    return Equation(np.array(tokens, dtype=np.int16), np.array(constants))


def _number(rng):
    return float(rng.choice([0.0, 1.0, -1.0, 0.5, -2.5, 1e12, -1e12, 1e-300, 3.0, round(float(rng.normal()), 3)]))
