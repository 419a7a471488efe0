"""Social graphs (thesis, chapter 6): files of graphs, groups of alike users, what they lose and what they reveal.

This module holds the hooks alone and imports nothing heavy.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from evosdc.hookspecs import hookimpl
from evosdc.specs import FormatSpec, GenotypeSpec, MaskingMethodSpec, MeasureSpec, PictureSpec

if TYPE_CHECKING:
    import click

_SCALES = ("nominal", "ordinal")


@hookimpl
def evosdc_formats() -> Iterator[FormatSpec]:
    """Offer graphs as GraphML, as JSON in the node-link form, and as two CSV files in an archive."""
    yield FormatSpec(
        name="graphml", implementation="evosdc_social.formats:parse_graphml", suffixes=(".graphml",),
        summary="Graphs: users with attributes, and edges.", source="Brandes et al. (2002)",
    )  # fmt: skip
    yield FormatSpec(
        name="node-link", implementation="evosdc_social.formats:parse_node_link", suffixes=(".json",),
        summary="Graphs as JSON: { nodes = [...], links = [...] }.",
    )  # fmt: skip
    yield FormatSpec(
        name="node-and-edge-files", implementation="evosdc_social.formats:parse_zipped", suffixes=(".zip",),
        summary="Graphs as two CSV files, of nodes and of edges, in an archive.",
    )  # fmt: skip


@hookimpl
def evosdc_masking_methods() -> Iterator[MaskingMethodSpec]:
    """Offer `semantic-groups`, and a method that groups users of large graphs."""
    yield MaskingMethodSpec(
        name="semantic-groups", implementation="evosdc_social.grouping:SemanticGrouping", scales=_SCALES,
        summary="Groups of k users alike in meaning publish what their values have in common in a hierarchy.",
        source="Thesis, section 6.2.1: reconstruction",
    )  # fmt: skip
    yield MaskingMethodSpec(
        name="level-filling", implementation="evosdc_social.grouping:LevelFilling", scales=_SCALES,
        summary="Groups users who share the finest levels of hierarchies, then the next ones; for large files.",
        source="a greedy method of evosdc's own",
    )  # fmt: skip


@hookimpl
def evosdc_measures() -> Iterator[MeasureSpec]:
    """Offer the losses and risks of graphs."""
    losses = (
        ("aamil", "AdjacencyLoss", "Edges that join other categories than before (AAMIL).", "6.3.1"),
        ("cdil", "DistributionLoss", "Change of the distributions of categories (CDIL).", "6.3.2"),
        ("semantic-dbil", "SemanticDistanceLoss", "Mean semantic distance of original and published values.", "6.3.3"),
    )
    for name, implementation, summary, section in losses:
        yield MeasureSpec(
            name=name, implementation=f"evosdc_social.losses:{implementation}", summary=summary, kind="il",
            scales=_SCALES, source=f"Thesis, section {section}: reconstruction",
        )  # fmt: skip
    risks = (
        ("semantic-dr", "risks:SemanticRisk", "Users linked to their own record by least semantic distance.",
         "Thesis, section 6.4: reconstruction", ""),
        ("informed-semantic-dr", "risks:InformedSemanticRisk",
         "Records linked by an intruder who knows how values were generalised.",
         "after Torra (2017): reconstruction", ""),
        ("neighbourhood-dr", "risks:NeighbourhoodRisk", "Users linked by an intruder who also knows their neighbours.",
         "after Zhou and Pei (2008): reconstruction", "the neighbours of people"),
    )  # fmt: skip
    for name, implementation, summary, source, knows in risks:
        yield MeasureSpec(
            name=name, implementation=f"evosdc_social.{implementation}", summary=summary, kind="dr",
            family="linkage", scales=_SCALES, source=source, knows=knows,
            default_for=("judge",) if name != "semantic-dr" else (),
        )  # fmt: skip


@hookimpl
def evosdc_genotypes() -> Iterator[GenotypeSpec]:
    """Offer `groups`."""
    yield GenotypeSpec(
        name="groups", implementation="evosdc_social.groups:Groups", scales=_SCALES,
        summary="A group for each user, of k to 2k - 1 of them: k-anonymous whatever happens to it.",
        source="a genotype of evosdc's own, on the publication of the thesis' section 6.2.1",
        default_for=("anonymity",),
    )  # fmt: skip


@hookimpl
def evosdc_pictures() -> Iterator[PictureSpec]:
    """Offer pictures of the graph of groups, and trees of the published values."""
    yield PictureSpec(
        name="groups-of-a-graph", implementation="evosdc_social.drawing:pictures",
        summary="The published groups of a graph with the edges between them, and trees of published values.",
    )  # fmt: skip


@hookimpl
def evosdc_commands(cli: "click.Group") -> None:
    """Add ``evosdc graph``."""
    from evosdc.cli import Subcommands
    from evosdc.cli.options import Later

    # Everything else is done with graphs as with any other file: evosdc init, mask, measure, risk, protect.
    text = "Put graphs together, and take users out of them as a microdata file."
    group = Subcommands("graph", help=text, short_help="Put graphs together, and take their users out as a file.")
    for name in ("join", "extract", "insert", "topics", "places"):
        place = "evosdc_social.command"
        group.add_command(Later(name, f"{place}:{name}", "", f"{place}:{name.title()}Options"))
    cli.add_command(group)
