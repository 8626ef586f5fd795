from importlib.metadata import version as installed_version

project = "discriminative-risk"
author = "The discriminative-risk developers"
copyright = f"2026, {author}"
version = release = installed_version(project)

extensions = [
    "myst_parser",
    "sphinx.ext.napoleon",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.viewcode",
]
autosummary_generate = True
autodoc_typehints = "none"
myst_enable_extensions = ["colon_fence"]
html_theme = "pydata_sphinx_theme"
html_title = project
exclude_patterns = ["_build"]
# Methods inherited from scikit-learn refer to labels of its own site.
suppress_warnings = ["ref.ref"]
