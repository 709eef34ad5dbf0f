"""`evaluate(path)`: the columns by their names, or by their usual names."""


import pytest

import calipers as cal


@pytest.fixture
def file(tmp_path):
    def write(text, name="x.csv"):
        (tmp_path / name).write_text(text, encoding="utf-8")
        return tmp_path / name

    return write


def test_a_file_is_evaluated_as_its_columns_are(file):
    rows = [(i % 2, 0.2 + 0.6 * (i % 2) - 0.01 * i, "ab"[i % 3 > 0], 1 + i % 2) for i in range(30)]
    path = file("y,p,site,w\n" + "".join(f"{','.join(map(str, row))}\n" for row in rows))
    ev = cal.evaluate(path, truth="y", score="p", by="site", weights="w")
    y, p, site, w = map(list, zip(*rows, strict=True))
    own = cal.evaluate(y, p, weights=w, by={"site": site})
    assert list(ev) == list(own)
    for name in ev:
        assert ev[name] == pytest.approx(float(own[name]), nan_ok=True)
    assert list(ev.by["site"]) == ["a", "b"]


def test_usual_names_are_found_and_a_string_will_do(file):
    ev = cal.evaluate(str(file("truth,pred\ncat,cat\ndog,cat\ndog,dog\n")))
    assert ev.labels == ("cat", "dog")
    assert ev["accuracy"] == pytest.approx(2 / 3)


def test_numbers_and_labels_are_read_as_in_the_shell(file):
    assert cal.evaluate(file("truth,pred\n1.5,1.4\n2.25,2.5\n3.125,3\n")).task == "regression"
    ev = cal.evaluate(file("truth,score\n1,0.9\n0,0.2\n1,0.7\n"), positive=0)
    assert ev.positive == 0
    assert cal.evaluate(file("truth,score\n1,0.9\n0,0.2\n1,0.7\n"), positive="1").positive == 1


def test_what_cannot_be_is_refused(file, tmp_path):
    path = file("truth,pred\na,a\nb,a\n")
    with pytest.raises(cal.UnknownName, match="no column 'prediction'"):
        cal.evaluate(path, pred="prediction")
    with pytest.raises(cal.InputError, match="path of a file"):
        cal.evaluate(path, ["a", "b"])
    with pytest.raises(cal.InputError, match="pass the name of a column"):
        cal.evaluate(path, weights=[1, 2])
    with pytest.raises(cal.InputError):
        cal.evaluate(tmp_path / "absent.csv")


def test_a_schema_of_a_file_reads_its_parts(tmp_path):
    path, part = tmp_path / "all.csv", tmp_path / "part.csv"
    path.write_text("y,p,site\n1,0.9,a\nx,0.2,b\n1,0.4,b\n")
    part.write_text("site,p,y\na,1.0,1\nb,0.0,1\n")
    schema = cal.Schema.of(path, truth="y", score="p", positive="1", by="site")
    assert (schema.labels, schema.positive, schema.by) == (("1", "x"), "1", ("site",))
    assert schema == cal.evaluate(path, truth="y", score="p", positive="1", by="site").schema
    ev = cal.evaluate(part, schema=schema)
    assert (ev.labels, ev["recall"], list(ev.by["site"])) == (("1", "x"), 0.5, ["a", "b"])
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"y": ["1", "1"], "p": [1.0, 0.0], "site": ["a", "b"]})
    assert cal.evaluate(frame, schema=schema)["recall"] == 0.5
    with pytest.raises(cal.InputError, match="schema= already names the columns"):
        cal.evaluate(part, truth="y", schema=schema)
    with pytest.raises(cal.InputError, match="threshold= is already set by schema="):
        cal.evaluate(part, threshold=0.3, schema=schema)
    with pytest.raises(cal.InputError, match="is the path of a file"):
        cal.Schema.of(path, [0.1, 0.2])


def test_a_schema_of_numbers_or_of_arrays_reads_a_file(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("truth,prediction\n1,2\n3,3\n")
    numbers = cal.Schema.of([1.5, 2.5], [1.0, 2.0])
    assert cal.evaluate(path, schema=numbers)["mae"] == 0.5
    assert cal.evaluate(path).task == "multiclass"
    path.write_text("truth,score\n0,1.0\n0,0.0\n")
    ev = cal.evaluate(path, schema=cal.Schema.of([0, 1], [0.2, 0.7]))
    assert (ev.schema.scored, ev["specificity"]) == (True, 0.5)
    with pytest.raises(cal.InputError, match="a schema of the task multilabel cannot read a file"):
        cal.evaluate(path, schema=cal.Schema.of([[0, 1]], [[0, 1]], task="multilabel"))
