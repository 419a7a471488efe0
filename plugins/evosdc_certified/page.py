"""The report of a certified file: one page."""

from collections.abc import Mapping
from typing import Any

import jinja2

from evosdc.report.resources import resource

_TEMPLATE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{ r.title }}</title><style>{{ style|safe }}</style></head><body><main>
<h1>A certified file: {{ r.verdict.headline }}</h1>
{% for sentence in r.verdict.reasons %}<p>{{ sentence }}</p>
{% endfor %}
<h2>On these conditions</h2>
<ul>{% for sentence in r.verdict.conditions %}<li>{{ sentence }}</li>{% endfor %}</ul>
<h2>What was taken as public</h2>
<ul>{% for sentence in r.privacy.public %}<li>{{ sentence }}</li>{% endfor %}</ul>
<h2>How near the file is to its tables</h2>
<p>{{ r.records }} records. The squared differences to {{ r.privacy.account|length }} measurements, over the variance of
their noise, sum to {{ "%.0f"|format(r.misfit.file) }}; the original itself is expected at
{{ "%.0f"|format(r.misfit.expected_of_the_original) }}.</p>
{% if r.front|length > 1 %}<h2>What other values of epsilon would give</h2>
<p>How far each file is from the most precise of all tables: 50 where it differs from them as the original is expected
to, more where it is further off.</p>
<table><thead><tr><th>epsilon</th><th>surest guess</th><th>verdict</th><th>distance from the tables</th></tr></thead>
<tbody>{% for row in r.front %}<tr><td>{{ row.epsilon }}</td><td>{{ "%.1f"|format(100 * row.surest_guess) }} %</td>
<td>{{ row.verdict }}</td><td>{{ "%.1f"|format(row["private-tables"]) }}</td></tr>
{% endfor %}</tbody></table>{% endif %}
{% for note in r.notes %}<p>{{ note }}</p>{% endfor %}
<h2>What was measured, and its price</h2>
<p>epsilon {{ r.privacy.epsilon }}, delta {{ r.privacy.delta }}: rho {{ "%.6f"|format(r.privacy.rho) }} of
zero-concentrated differential privacy, of which {{ "%.6f"|format(r.privacy.rho_spent) }} was spent.</p>
<table><thead><tr><th>measured</th><th>rho</th><th>standard deviation of the noise</th></tr></thead><tbody>
{% for p in r.privacy.account %}<tr><td>{{ p.what }}</td><td>{{ "%.2e"|format(p.rho) }}</td>
<td>{{ "" if p.sigma is none else "%.1f"|format(p.sigma) }}</td></tr>
{% endfor %}</tbody></table>
</main></body></html>
"""


def page(result: Mapping[str, Any]) -> str:
    """Return the report of what ``result.json`` holds, as HTML."""
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined)
    return environment.from_string(_TEMPLATE).render(r=result, style=resource("style.css"))
