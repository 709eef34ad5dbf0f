"""Users and items in files and frames: the usual names of their columns, and reading them from files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from calipers.files.column_names import SCORE, fold
from calipers.files.delimited import NUMBER
from calipers.files.rankings import Named, Usual, find_columns
from calipers.files.table import Table

USUAL: Usual = {
    "user": ("user", "user_id", "userid", "uid", "customer", "customer_id", "session", "session_id", "người_dùng",
             "nguoi_dung", "khách_hàng", "用户", "用户_id"),
    "item": ("item", "item_id", "itemid", "iid", "product", "product_id", "movie", "movie_id", "movieid", "film",
             "film_id", "track_id", "sản_phẩm", "san_pham", "物品", "商品", "物品_id"),
    "rating": ("rating", "ratings", "stars", "relevance", "grade", "đánh_giá", "danh_gia", "评分"),
    "score": (*SCORE, "prediction", "predicted", "predicted_rating", "rating_pred"),
    "rank": ("rank", "position", "hạng", "thứ_hạng", "thu_hang", "排名", "名次"),
}  # fmt: skip


def find(known: Sequence[str], numbers: Sequence[str], named: Named, where: str) -> Named:
    """The columns of user and item, and the first of `numbers` that there is.

    >>> find(["userID", "item", "rank", "score"], ["score", "rank"], {}, "the frame")
    {'user': 'userID', 'item': 'item', 'score': 'score'}
    """
    number = next((what for what in numbers if named.get(what) or has(known, what)), None)
    return find_columns(known, ["user", "item", *([number] if number else [])], named, where, USUAL)


def has(known: Sequence[str], what: str) -> bool:
    """Whether a column has one of the usual names."""
    usual = set(map(fold, USUAL[what]))
    return any(fold(name) in usual for name in known)


def read(path: Any, numbers: Sequence[str], named: Named, reading: dict[str, Any]) -> dict[str, Any]:
    """Columns of users, items and a number, by what they hold."""
    with Table([str(path)], **reading) as table:
        columns = find(table.names, numbers, named, Path(str(path)).name)
        texts = [columns["user"], columns["item"]]
        data = table.read([], [name for what, name in columns.items() if what in numbers], texts)
        return {what: data["number" if what in numbers else "group", name] for what, name in columns.items()}


def read_items(path: Any, named: Named, reading: dict[str, Any]) -> dict[str, Any]:
    """All columns of a table of items: numbers where all cells are, else text."""
    with Table([str(path)], **reading) as table:
        item = find_columns(table.names, ["item"], named, Path(str(path)).name, USUAL)["item"]
        rest = [name for name in table.names if name != item]
        numbers = [name for name in rest if all(map(NUMBER.fullmatch, table.sample(name)))]
        texts = [name for name in rest if name not in numbers]
        data = table.read(texts, numbers, [item])
        features = {name: data["number" if name in numbers else "label", name] for name in rest}
        return {item: data["group", item], **features}
