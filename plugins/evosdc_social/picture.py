"""Pictures of a protected graph: its groups and the edges between them, and what is still told along trees."""

from collections.abc import Mapping

from evosdc.table.table import Table
from evosdc_social.graph import NEIGHBOURS, neighbours_in


def pictures(original: Table, masked: Table) -> Mapping[str, str]:
    """Return the pictures of a graph by title; none of a file without neighbours.

    Parameters
    ----------
    original : Table
        The whole file.
    masked : Table
        The protected attributes.
    """
    if NEIGHBOURS not in original.schema:
        return {}
    # late: most files have no neighbours, and a run asks for the pictures of each
    from evosdc_social.drawing import group_pictures, tree_picture
    from evosdc_social.space import SCALES, space_of

    judged = [a.name for a in masked.schema.attributes if a.scale in SCALES and original.schema[a.name].categorical]
    if not judged:
        return {}
    space = space_of(original.select(judged))
    leaves, nodes = space.nodes(original.select(judged)), space.nodes(masked.select(judged))
    groups, listed = group_pictures(space, nodes, neighbours_in(original))
    drawn = {"Published groups of users, and the edges between them": groups, "What these groups publish": listed}
    for v, tree in enumerate(space.trees):
        if tree.height > 1:
            title = f"{tree.name}: what is published along its tree"
            drawn[title] = tree_picture(tree, leaves[:, v], nodes[:, v])
    return drawn
