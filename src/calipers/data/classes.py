"""Which classes the rows have, in which order, and which one is the positive class."""

from __future__ import annotations

from collections.abc import Sequence

from calipers.data import labels
from calipers.data.labels import Encoded
from calipers.data.numbers import MANY
from calipers.data.schema import Names
from calipers.errors import InputError
from calipers.remarks import Remark
from calipers.settings import Label, Settings
from calipers.tasks import Task

# Pairs of classes whose positive class is obvious; if only one of a pair occurs, the pair is assumed.
OBVIOUS: dict[tuple[Label, ...], tuple[Label, Label]] = {
    (0,): (0, 1),
    (1,): (0, 1),
    (-1,): (-1, 1),
    (0, 1): (0, 1),
    (-1, 1): (-1, 1),
}
# The same in words, compared without regard to case: negative, positive.
WORDS = {
    ("no", "yes"), ("n", "y"), ("false", "true"), ("negative", "positive"), ("neg", "pos"),
    ("không", "có"), ("âm tính", "dương tính"), ("否", "是"), ("阴性", "阳性"), ("陰性", "陽性"),
}  # fmt: skip
MOST_CLASSES = 10_000  # a confusion matrix of that many takes 800 MB


def obvious(values: tuple[Label, ...]) -> tuple[Label, Label] | None:
    """The pair of classes, positive last, where that is beyond doubt.

    >>> obvious((False, True)), obvious((1,)), obvious(("No", "Yes")), obvious(("cat", "dog"))
    ((False, True), (0, 1), ('No', 'Yes'), None)
    """
    pair = OBVIOUS.get(values)
    if pair is not None:
        return (False, True) if isinstance(values[0], bool) else pair
    if len(values) == 2 and isinstance(values[0], str) and isinstance(values[1], str):
        for first, second in (values, values[::-1]):
            if (str(first).casefold(), str(second).casefold()) in WORDS:
                return first, second
    return None


def classes_of(
    q: Settings, true: Encoded, predicted: Encoded | None, width: int, names: Names
) -> tuple[tuple[Label, ...], Label | None]:
    """The classes in order, and the positive one where the task is binary; `width` score columns are given."""
    values = true.values
    if predicted is not None and (predicted.values != values or type(predicted.values[0]) is not type(values[0])):
        values = labels.union(values, predicted.values)  # also for True beside 1, which Python takes for equal
    if q.labels is not None:
        listed = labels.union(q.labels)
        unknown = [v for v in values if v not in listed]
        if unknown:
            name = names.truth if unknown[0] in true.values else names.pred
            raise InputError("data.label_not_listed", name=name, label=unknown[0], labels=list(q.labels))
        values = listed
    elif q.positive is not None and q.positive not in values and len(values) < 2:
        values = labels.union(values, (q.positive,))
    if len(values) > MOST_CLASSES:
        raise InputError(
            "data.too_many_classes",
            names=names.both,
            count=len(values),
            labels=listed_labels(values),
            most=MOST_CLASSES,
        )
    pair = obvious(values)
    if q.positive is not None:
        return _with_positive(q.positive, values, pair), q.positive
    if pair is not None and not q.facts.top_class and width <= 2:
        return tuple(sorted(pair)), pair[1]
    if width == 1:
        if len(values) > 2:
            raise InputError(
                "data.one_score_many_classes",
                score=names.score,
                truth=names.truth,
                count=len(values),
                labels=listed_labels(values),
            )
        listed_values = listed_labels(values)
        if len(values) == 1:
            raise InputError("data.which_positive_of_one", truth=names.truth, label=values[0])
        either = dict(zip(("first", "second"), values, strict=True))
        raise InputError("data.which_positive", truth=names.truth, labels=listed_values, **either)
    return values, None


def _with_positive(positive: Label, values: tuple[Label, ...], pair: tuple[Label, Label] | None) -> tuple[Label, ...]:
    if len(values) == 1:  # every row has the same class, and the name of the other class is unknown
        other: Label = f"not {values[0]}" if isinstance(values[0], str) else int(not values[0])
        values = pair or labels.union(values, (other,))
    if positive not in values:
        raise InputError("data.positive_not_a_label", positive=positive, labels=listed_labels(values))
    if len(values) > 2:
        raise InputError("data.positive_of_many", count=len(values), labels=listed_labels(values))
    return values


def remarks(q: Settings, values: tuple[Label, ...], positive: Label | None, width: int) -> tuple[str, ...]:
    """Notes about a guess that looks odd, with the remedy; none where task= or labels= says that it is meant so."""
    if q.task is not None or q.positive is not None:
        return ()
    if isinstance(positive, str):
        return (Remark("data.words_say", label=positive),)
    if positive is not None or q.labels is not None:
        return ()
    if type(values[0]) is int and len(values) > MANY:
        return (Remark("data.many_integers", count=len(values)),)
    if width == len(values) == 2:
        return (Remark("data.both_classes", first=values[0], second=values[1]),)
    return ()


def unseen(q: Settings, true: Encoded, predicted: Encoded, names: Names) -> tuple[str, ...]:
    """A note about predicted labels that never occur in the truth; an error if there are so many that they must be
    scores."""
    if q.labels is not None or predicted.values == true.values:
        return ()
    lacking = [v for v in predicted.values if v not in true.values]
    if len(lacking) > 8 + 2 * len(true.values):
        code = "data.predictions_unknown_numbers" if type(lacking[0]) is int else "data.predictions_unknown"
        columns = {"pred": names.pred, "truth": names.truth}
        raise InputError(code, **columns, count=len(lacking), labels=listed_labels(lacking))
    known = obvious(true.values)
    hidden = [v for v in lacking if known is None or v not in known]
    return (Remark("data.unseen_predictions", labels=listed_labels(hidden)),) if hidden else ()


def matched(columns: Sequence[str], values: tuple[Label, ...]) -> tuple[list[int], str]:
    """The score column of each class, and a note that says which was taken for which.

    They are matched by name, also after a prefix that all share (p_cat, p_dog); else taken in order.

    >>> matched(["p_dog", "p_cat"], ("cat", "dog"))
    ([1, 0], 'score columns: cat = p_cat, dog = p_dog')
    """
    order = list(range(len(values)))
    for length in range(min(map(len, columns)) + 1):
        ends = [name[length:] for name in columns]
        if len({name[:length] for name in columns}) == 1 and sorted(ends) == sorted(map(str, values)):
            order = [ends.index(str(v)) for v in values]
            break
    pairs = [f"{v} = {columns[i]}" for v, i in zip(values[:6], order, strict=False)]
    return order, Remark("data.score_columns", pairs=pairs + (["..."] if len(values) > 6 else []))


def wrong_task(task: Task, values: tuple[Label, ...], names: Names) -> InputError:
    """The error for rows that a task does not fit."""
    if task.has_positive and len(values) == 2:
        return InputError("data.binary_needs_positive", first=values[0], second=values[1])
    if task.label_sets:
        return InputError("data.multilabel_needs_sets", truth=names.truth)
    return InputError("data.task_does_not_fit", task=task.name, names=names.both, labels=listed_labels(values))


def listed_labels(values: Sequence[Label]) -> Remark:
    """Some labels in a sentence.

    >>> listed_labels(("a", "b", "c")), listed_labels(())
    ("'a', 'b' and 'c'", 'none')
    """
    if not len(values):
        return Remark("data.none")
    return Remark("data.labels_listed", labels=[*map(repr, values[:6]), *(["..."] if len(values) > 6 else [])])
