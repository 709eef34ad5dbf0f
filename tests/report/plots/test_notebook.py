"""Charts in a notebook, run by a real kernel with its own backend."""

import nbclient
import nbformat

FIRST = """
import calipers as cal
ev = cal.evaluate([0, 0, 1, 1], score=[0.1, 0.6, 0.4, 0.9], positive=1)
ev.plot("roc");
"""
CELLS = (FIRST, 'ev.plot("pr");', "from matplotlib import pyplot\npyplot.plot([1, 2]);", 'ev.plot("scores");')


def test_item_10_every_chart_of_a_notebook_is_shown():
    cells = [nbformat.v4.new_code_cell(source) for source in CELLS]
    notebook = nbformat.v4.new_notebook(cells=cells)
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    images = [sum("image/png" in output.get("data", {}) for output in cell.outputs) for cell in notebook.cells]
    assert images == [1, 1, 1, 1]
