"""What a notebook shows of a result, under the rules that JupyterLab has for the tables of its outputs."""

import calipers as cal

JUPYTERLAB = (
    ":not(.jp-RenderedMarkdown).jp-RenderedHTMLCommon td,:not(.jp-RenderedMarkdown).jp-RenderedHTMLCommon th"
    "{text-align:right}"
)
ALIGNED = "cells => cells.map(cell => getComputedStyle(cell).textAlign)"


def test_texts_stand_at_the_left_and_counts_at_the_right(browser):
    page = browser.new_page()
    result = cal.evaluate_counts(tp=55, fn=45, fp=50, tn=850)
    fragment = f'<div class="jp-RenderedHTMLCommon">{result._repr_html_()}</div>'
    page.set_content(f"<style>{JUPYTERLAB}</style>{fragment}")
    assert set(page.eval_on_selector_all("td.count, th.count", ALIGNED)) == {"right"}
    assert set(page.eval_on_selector_all("td:not(.count), th:not(.count)", ALIGNED)) == {"left"}
    page.close()
