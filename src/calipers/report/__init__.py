"""Reports of results: text, Markdown, HTML, LaTeX, charts and documents, in three languages."""
