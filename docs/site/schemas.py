"""The JSON schemas of documents, inferred from documents of every kind: `make pages` writes them to docs/schemas."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[1] / "schemas"
# Objects whose keys are names of the data: metrics, labels, models, columns, remarks and their values.
MAPS = {"metrics", "by", "classes", "models", "candidates", "codes", "numbers", "translations", "estimates", "periods",
        "parameters", "costs", "differences", "columns", "changes", "schema", "map", "curves", "values"}  # fmt: skip
UNTYPED = {"labels", "label", "positive", "class", "truth", "predicted", "settings", "schema", "codes", "numbers"}
TEXTS = {"link"}  # there once the documentation has an address
TYPES = {bool: "boolean", int: "integer", float: "number", str: "string", type(None): "null"}
DRAFT = "https://json-schema.org/draft/2020-12/schema"


def schema(kind: str, documents: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The schema of a kind of document."""
    inferred = infer(documents, "")
    constants = {"format": {"const": documents[0]["format"]}, "kind": {"const": kind}}
    inferred["properties"] = {**inferred["properties"], **constants}
    return {"$schema": DRAFT, "title": f"Calipers document: {kind}", **inferred}


def infer(values: Sequence[Any], key: str) -> dict[str, Any]:
    """What values at one place of documents have in common."""
    objects = [value for value in values if isinstance(value, dict)]
    lists = [value for value in values if isinstance(value, list)]
    types = {TYPES[type(value)] for value in values if not isinstance(value, (dict, list))}
    if types == {"null"}:  # what it is when it is there, these documents do not show
        return {"type": ["null", "string"]} if key in TEXTS else {}
    if key in UNTYPED:  # labels of the data, arguments as they were given, values of messages
        return {}
    if types & {"integer", "number"}:
        types = types - {"integer"} | {"number"}
    types |= {"null"} if types else set()  # what is undefined, or was not given
    parts: list[dict[str, Any]] = [{"type": sorted(types)[0] if len(types) == 1 else sorted(types)}] if types else []
    if lists:
        inner = [item for each in lists for item in each]
        parts.append({"type": "array", **({"items": infer(inner, key)} if inner else {})})
    if objects:
        parts.append(of_objects(objects, key))
    return parts[0] if len(parts) == 1 else {"anyOf": parts} if parts else {}


def of_objects(objects: Sequence[dict[str, Any]], key: str) -> dict[str, Any]:
    """Objects with fixed keys, or maps by names of the data."""
    names = list(dict.fromkeys(name for each in objects for name in each))
    always = [name for name in names if all(name in each for each in objects)]
    if key in MAPS or (key and len(always) < len(names) / 2):
        inner = [value for each in objects for value in each.values()]
        return {"type": "object", **({"additionalProperties": infer(inner, "")} if inner else {})}
    fields = {name: infer([each[name] for each in objects if name in each], name) for name in names}
    return {"type": "object", "properties": fields, "required": always}


def written() -> Iterator[tuple[str, str]]:
    """The schemas by kind, as the files have them."""
    from example_results import results

    for kind, found in results().items():
        document = schema(kind, [json.loads(result.to_json()) for result in found])
        yield kind, json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def pages() -> Iterator[tuple[str, str]]:
    """The page that lists the kinds of documents with their fields."""
    parts = [
        "# File formats\n",
        '`result.save("x.json")` writes a document: plain values, never a row of the data. `cal.load` reads it again '
        '([guide](../results.md)). `"format"` is its version and `"kind"` what it is. Each kind has a JSON schema, '
        'made from documents of the example data. Numbers that are not finite are `null`, `"inf"` or `"-inf"`. '
        "A `.calipers` file holds the statistics of an evaluation in a binary form that can be "
        "[merged](../merging.md). `.csv`, `.md`, `.tex`, `.txt` and `.html` are for people and other programs.\n",
    ]
    for file in sorted(FOLDER.glob("*.json")):
        document = json.loads(file.read_text(encoding="utf-8"))
        always = document["required"]
        fields = [f"| `{name}` | {kind_of(part)} | {'always' if name in always else 'sometimes'} |"
                  for name, part in document["properties"].items()]  # fmt: skip
        parts += [f"## {file.stem}\n", f"[JSON schema](../schemas/{file.name})\n",
                  "| field | type | |\n|---|---|---|", *fields, ""]  # fmt: skip
    yield "api/formats.md", "\n".join(parts)


def kind_of(part: dict[str, Any]) -> str:
    """The type of a field in words."""
    if "const" in part:
        return f"`{json.dumps(part['const'])}`"
    if "anyOf" in part:
        return " or ".join(kind_of(each) for each in part["anyOf"])
    kinds = part.get("type", "any")
    return kinds if isinstance(kinds, str) else " or ".join(kinds)


def main() -> None:
    """Write the schemas."""
    FOLDER.mkdir(exist_ok=True)
    for kind, text in written():
        (FOLDER / f"{kind}.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
