from itertools import pairwise
from xml.etree import ElementTree as Xml

import pytest
from hypothesis import given

from evosdc.randomisation.equations.infix import parse_infix
from evosdc_equations.typesetting import tree_picture, typeset
from tests.randomisation.equations.drawing import equations

SVG = "{http://www.w3.org/2000/svg}"


def texts(picture):
    return [element.text for element in Xml.fromstring(picture).iter(f"{SVG}text")]


@given(equations(most=60))
def test_pictures_are_well_formed_and_hold_every_node(equation):
    tree = Xml.fromstring(tree_picture(equation))
    assert len(list(tree.iter(f"{SVG}rect"))) == len(equation)
    assert len(list(tree.iter(f"{SVG}path"))) == len(equation) - 1
    width, height = (float(x) for x in tree.get("viewBox").split()[2:])
    for element in tree.iter(f"{SVG}text"):
        assert 0 < float(element.get("x")) < width
        assert 0 < float(element.get("y")) < height
    assert Xml.fromstring(typeset(equation)).tag == f"{SVG}svg"


def test_siblings_do_not_overlap():
    tree = Xml.fromstring(tree_picture(parse_infix("if_less(ta, tb + N, c * d, min(a, b))")))
    rows = {}
    for element in tree.iter(f"{SVG}rect"):
        left = float(element.get("x"))
        rows.setdefault(element.get("y"), []).append((left, left + float(element.get("width"))))
    for row in rows.values():
        row.sort()
        assert all(a[1] < b[0] for a, b in pairwise(row))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("(1 - p) * ta", ["1", " \N{MINUS SIGN} ", "p", " \N{MIDDLE DOT} ", "T", "k"]),
        ("if_less(ta, tb, 0.5, c)", ["0.5", "  if ", "T", "k", " < ", "T", "l", "c", "  otherwise"]),
        ("log(tmin)", ["ln ", "1 + ", "T", "min"]),
        ("max(-2, d)", ["max", "\N{MINUS SIGN}2", ", ", "d", "kl"]),
    ],
)
def test_a_formula_shows_what_is_in_it(text, wanted):
    found = texts(typeset(parse_infix(text), "w"))
    assert {"w", "kl", " \N{LEFTWARDS ARROW} "} <= set(found)
    assert sorted(found) == sorted([*wanted, "w", "kl", " \N{LEFTWARDS ARROW} "])


def test_a_fraction_is_wide_enough_for_both_parts():
    narrow = Xml.fromstring(typeset(parse_infix("ta / tb")))
    wide = Xml.fromstring(typeset(parse_infix("(ta + tb + N + c) / tb")))
    assert float(wide.get("width")) > float(narrow.get("width")) + 60
