"""`calipers topics`."""

from __future__ import annotations

from typing import Any

import click

from calipers.cli.options import intervals, names
from calipers.cli.output import Output, outputs


@click.command()
@click.argument("topics", metavar="TOPICS")
@click.argument("texts", metavar="TEXTS")
@click.option("-m", "--metrics", metavar="NAME,...", multiple=True, callback=names, help="Compute only these metrics.")
@click.option("--top", type=int, metavar="N", help="Use only the first N words of each topic.")
@intervals("jackknife, percentile, basic, bca")
@click.option("--model", metavar="NAME", help="Name of the model.")
@outputs
def topics(topics: str, texts: str, metrics: list[str] | None, out: Output, **options: Any) -> None:
    """Evaluate topics: coherence in texts, diversity, perplexity.

    TOPICS has one topic per line, words separated by spaces, or is JSON: a
    list of lists of words, or an object with a list per name. TEXTS has one
    document per line, tokens separated by spaces, or JSON lines: a list of
    tokens, or an object with "tokens" or "text" and, optionally,
    "log_likelihood". Use - for standard input.

    \b
    Examples:
      calipers topics topics.txt texts.txt
      calipers topics topics.json texts.jsonl.gz -m c_v,c_npmi --top 10
      calipers topics topics.txt texts.txt -m "c_v(window=50)" --html t.html
    """
    import calipers

    out.check(calipers.Evaluation)
    out.show(calipers.evaluate_topics(topics, texts, metrics, source=texts, **options))
