"""The settings of Sphinx for the site, which is built from a copy of docs/ by `make docs`."""

import calipers
from calipers.addresses import REPOSITORY, SITE

project = "Calipers"
author = "The Calipers authors"
release = version = calipers.__version__
language = "en"

extensions = ["myst_parser", "sphinx_copybutton", "sphinx_design"]
myst_enable_extensions = ["colon_fence", "html_image"]
myst_heading_anchors = 4  # headings have the anchors that GitHub gives them

html_theme = "furo"
html_title = f"Calipers {release}"
html_baseurl = f"{SITE}/"
html_static_path = ["_static"]
html_extra_path = ["extra"]  # reports of the gallery, as they are
html_css_files = ["site.css"]
html_show_sphinx = False
html_show_copyright = False
html_copy_source = False
html_theme_options = {
    "source_repository": REPOSITORY,
    "source_branch": "main",
    "source_directory": "docs/",
    "top_of_page_buttons": [],
}
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_only_copy_prompt_lines = True
copybutton_remove_prompts = True
