"""`calipers power`."""

from __future__ import annotations

from typing import Any

import click

from calipers.cli.output import Output, Ready, outputs


@click.command()
@click.option("--auc", type=float, nargs=2, metavar="A B", help="Two values of ROC AUC.")
@click.option("--accuracy", type=float, nargs=2, metavar="A B", help="Two accuracies or other proportions.")
@click.option("--difference", type=float, help="Difference of means, such as log loss; needs --sd.")
@click.option("--sd", type=float, help="Standard deviation of the row differences.")
@click.option("--prevalence", type=float, default=0.5, show_default=True, help="Share of positives, for --auc.")
@click.option("--correlation", type=float, default=0.5, show_default=True,
              help="Correlation of the two AUC values, for --auc.")  # fmt: skip
@click.option("--discordance", type=float,
              help="Share of rows that only one model gets right, for --accuracy. "
              "Default: independent errors.")  # fmt: skip
@click.option("--power", type=float, default=0.8, show_default=True, help="Probability of detecting the difference.")
@click.option("--level", type=float, default=0.95, show_default=True, help="Confidence level.")
@click.option("--rows", type=int, help="Show the power and the detectable difference for this number of rows.")
@outputs
def power(
    auc: tuple[float, float] | None,
    accuracy: tuple[float, float] | None,
    difference: float | None,
    sd: float | None,
    prevalence: float,
    correlation: float,
    discordance: float | None,
    power: float,
    level: float,
    rows: int | None,
    out: Output,
) -> None:
    """Number of rows needed to compare two models.

    Both models are evaluated on the same rows.

    \b
    Examples:
      calipers power --auc 0.80 0.82 --prevalence 0.1
      calipers power --accuracy 0.90 0.92 --discordance 0.08
      calipers power --difference 0.01 --sd 0.2
      calipers power --auc 0.80 0.82 --rows 5000
    """
    import json

    import calipers

    out.check(calipers.Power)

    options: dict[str, Any] = {"rows": rows, "prevalence": prevalence, "correlation": correlation, "sd": sd}
    options |= {"discordance": discordance, "power": power, "level": level}
    pairs: dict[str, Any] = {name: pair for name, pair in (("auc", auc), ("accuracy", accuracy)) if pair is not None}
    differ = difference is not None or any(first != second for first, second in pairs.values())
    answers = []
    if rows is None or differ:
        answers.append(calipers.power(**pairs, difference=difference, **options))
    if rows is not None:  # also show which difference this number of rows can detect
        first: dict[str, Any] = {name: pair[0] for name, pair in pairs.items()}
        answers.append(calipers.power(**first, **options))
    texts = [out.formatted(answer) for answer in answers]
    if out.format == "json" and len(answers) > 1:
        texts = [json.dumps([answer.to_dict() for answer in answers], indent=2)]
    out.show(Ready("\n".join(texts), out.files(answers[0])))
