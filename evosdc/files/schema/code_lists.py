"""Hierarchies from code lists: SDMX structure messages, and categories with groups of DDI-Codebook."""

from collections.abc import Iterator
from xml.etree import ElementTree

from evosdc.errors import Fault, HierarchyError, did_you_mean
from evosdc.table.hierarchy import ROOT, Hierarchy


def hierarchy_of_codes(content: str, origin: str, name: str = "") -> Hierarchy:
    """Return the hierarchy of a code list.

    Codes below no other one stand below the root. Groups of DDI-Codebook are told by their labels.

    Parameters
    ----------
    content : str
        An SDMX structure message (2.0, 2.1 or 3.0), or a DDI-Codebook.
    origin : str
        The file, for messages.
    name : str
        Of the code list or the variable, where there are several.

    Raises
    ------
    HierarchyError
        The text is no XML, declares entities, or has no such code list.
    """
    if "<!DOCTYPE" in content or "<!ENTITY" in content:
        raise HierarchyError(Fault(origin, "an XML file that declares entities", "one without a DOCTYPE"))
    try:
        root = ElementTree.fromstring(content.encode("utf-8"))
    except (ElementTree.ParseError, ValueError) as error:
        raise HierarchyError(Fault(origin, f"text that is not XML ({error})", "SDMX or DDI-Codebook")) from None
    lists = {element.get("id", ""): list(_sdmx(element)) for element in _named(root, "Codelist", "CodeList")}
    lists |= {element.get("name", ""): list(_ddi(element)) for element in _named(root, "var")}
    lists = {key: edges for key, edges in lists.items() if edges}
    if name not in lists and (name or len(lists) != 1):
        known = ", ".join(sorted(lists)) or "no code list at all"
        given = f"no code list {name!r}" if name else f"{len(lists)} code lists"
        advice = did_you_mean(name, list(lists)) or f"Write its name behind the file's: {origin}#NAME."
        raise HierarchyError(Fault(origin, given, f"one of {known}", advice))
    edges = lists[name] if name in lists else next(iter(lists.values()))
    return Hierarchy.from_edges(edges, origin)


def _named(root: ElementTree.Element, *names: str) -> Iterator[ElementTree.Element]:
    return (element for element in root.iter() if _tag(element) in names)


def _tag(element: ElementTree.Element) -> str:
    return str(element.tag).rpartition("}")[2]


def _sdmx(codes: ElementTree.Element) -> Iterator[tuple[str, str]]:
    for code in _named(codes, "Code"):
        own = code.get("id") or code.get("value") or ""
        above = code.get("parentCode") or ""
        for parent in _named(code, "Parent"):
            reference = next(_named(parent, "Ref"), None)
            above = (reference.get("id") if reference is not None else (parent.text or "").strip()) or above
        if own:
            yield own, above or ROOT


def _ddi(variable: ElementTree.Element) -> Iterator[tuple[str, str]]:
    groups = {group.get("ID", ""): group for group in _named(variable, "catgryGrp")}
    above_category = {ref: key for key, group in groups.items() for ref in (group.get("catgry") or "").split()}
    above_group = {ref: key for key, group in groups.items() for ref in (group.get("catGrp") or "").split()}
    labels = {key: _text(group, "labl") or key for key, group in groups.items()}
    for category in _named(variable, "catgry"):
        value, group = _text(category, "catValu"), above_category.get(category.get("ID", ""))
        if value and category.get("missing", "N") != "Y":
            yield value, labels[group] if group is not None else ROOT
    for key in groups:
        yield labels[key], labels[above_group[key]] if key in above_group else ROOT


def _text(element: ElementTree.Element, name: str) -> str:
    found = next((child for child in element if _tag(child) == name), None)
    return (found.text or "").strip() if found is not None else ""
