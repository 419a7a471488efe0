"""The pages of a certified file: the custodian's report, and the page that may be published with the file."""

from collections.abc import Mapping
from typing import Any

import jinja2

from evosdc._version import __version__
from evosdc.report.resources import resource

_TEMPLATE = """{% from "macros.html" import head %}
{{ head("A certified file" ~ (": for its users" if for_users else ""), style, version, "") }}
<body class="users">
<header>
  <p class="kind">{% if for_users %}For users of the file; this page may be published with it\
{% else %}For the custodian: confidential, since judges read the original{% endif %}</p>
  <h1>A certified file{% if not for_users %}: {{ r.verdict.headline }}{% endif %}</h1>
  <p class="written">Made with evosdc {{ version }}. {{ r.records }} records in {{ r.best.file }}.</p>
</header>
<main>
<section>
  <h2 class="section-title">The proof</h2>
  {% for sentence in r.verdict.reasons %}<p class="lead">{{ sentence }}</p>
  {% endfor %}
</section>
{% if for_users %}
<section>
  <h2 class="section-title">Rules</h2>
  <ul class="prose">
    <li>A record is nobody's: use tables and models, and do not look up, quote or link single records.</li>
    <li>Tables that were measured are right up to the noise stated below; others are as good as a model.</li>
    <li>Usual standard errors leave out the noise. Add its variance to that of counts.</li>
    <li>Do not rely on cells that are not well above the noise, nor on rare combinations.</li>
  </ul>
  <p class="lead">This page is made from the noisy tables alone, so the proof covers it. Attacks that the custodian ran
  need the original: their figures are not here.</p>
</section>
{% else %}
<section>
  <h2 class="section-title">On these conditions</h2>
  <ul>{% for sentence in r.verdict.conditions %}<li>{{ sentence }}</li>{% endfor %}</ul>
</section>
<section id="opinion">
  <h2 class="section-title">What independent attacks found</h2>
  <p class="notice{% if r.second_opinion.holds %} holds{% endif %}">{{ r.second_opinion.text }}</p>
  {% if r.second_opinion.answered %}
  <p class="lead">{{ r.second_opinion.members.members }} people, drawn by coins, got a file made the same way at the
  same epsilon; {{ r.second_opinion.members.others }} others did not. {{ r.second_opinion.custodian }}</p>
  <div class="scroll"><table class="figures"><thead><tr><th>judge</th><th class="n">by this file</th>
  <th class="n">95 % interval</th><th class="n">by chance</th><th class="n">by the original</th></tr></thead><tbody>
  {% for name, one in r.second_opinion.members.judges.items() %}<tr><th scope="row">{{ name }}</th>
  <td class="n">{{ "%.1f"|format(one.value) }}</td>
  <td class="n">{% if one.low < one.high %}{{ "%.1f to %.1f"|format(one.low, one.high) }}{% endif %}</td>
  <td class="n">{{ "%.1f"|format(one.chance) }}</td><td class="n">{{ "%.1f"|format(one.original) }}</td></tr>
  {% endfor %}</tbody></table></div>
  <ul>{% for one in r.second_opinion.members.judges.values() %}<li>{{ one.words }}</li>{% endfor %}</ul>
  {% for name, why in r.second_opinion.members.not_applicable.items() %}<p>{{ name }}: not checked ({{ why }}).</p>
  {% endfor %}
  {% endif %}
</section>
{% endif %}
<section>
  <h2 class="section-title">What was taken as public</h2>
  <ul>{% for sentence in r.privacy.public %}<li>{{ sentence }}</li>{% endfor %}</ul>
</section>
<section>
  <h2 class="section-title">How near the file is to its tables</h2>
  <p class="lead">The squared differences to {{ r.privacy.account|length }} measurements, over the variance of their
  noise, sum to {{ "%.0f"|format(r.misfit.file) }}; the original itself is expected at
  {{ "%.0f"|format(r.misfit.expected_of_the_original) }}.</p>
  {% for note in r.notes %}<p>{{ note }}</p>{% endfor %}
</section>
{% if r.front|length > 1 and not for_users %}
<section>
  <h2 class="section-title">What other values of epsilon would give</h2>
  <p class="lead">How far each file is from the most precise of all tables: 50 where it differs from them as the
  original is expected to, more where it is further off.</p>
  <table class="figures narrow"><thead><tr><th>epsilon</th><th>surest guess</th><th>verdict</th>
  <th>distance from the tables</th></tr></thead>
  <tbody>{% for row in r.front %}<tr><td>{{ row.epsilon }}</td><td>{{ "%.1f"|format(100 * row.surest_guess) }} %</td>
  <td>{{ row.verdict }}</td><td>{{ "%.1f"|format(row["private-tables"]) }}</td></tr>
  {% endfor %}</tbody></table>
</section>
{% endif %}
<section>
  <h2 class="section-title">What was measured, and its price</h2>
  <p class="lead">epsilon {{ r.privacy.epsilon }}, delta {{ r.privacy.delta }}, unit {{ r.privacy.unit }}: rho
  {{ "%.6f"|format(r.privacy.rho) }} of zero-concentrated differential privacy, of which
  {{ "%.6f"|format(r.privacy.rho_spent) }} was spent.</p>
  <table class="figures narrow"><thead><tr><th>measured</th><th class="n">rho</th>
  <th class="n">standard deviation of the noise</th></tr></thead><tbody>
  {% for p in r.privacy.account %}<tr><td>{{ p.what }}</td><td class="n">{{ "%.2e"|format(p.rho) }}</td>
  <td class="n">{{ "" if p.sigma is none else "%.1f"|format(p.sigma) }}</td></tr>
  {% endfor %}</tbody></table>
  {% if for_users %}<p class="quiet">SHA-256 of {{ r.best.file }}: <code>{{ r.digest }}</code></p>{% endif %}
</section>
</main>
</body>
</html>
"""


def page(result: Mapping[str, Any], for_users: bool = False) -> str:
    """Return the report of what ``result.json`` holds, or the page for users of the file, as HTML."""
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(resource), autoescape=True, trim_blocks=True, lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )  # fmt: skip
    template = environment.from_string(_TEMPLATE)
    return template.render(r=result, for_users=for_users, style=resource("style.css"), version=__version__)
