import os
import re
import sys
from importlib.metadata import version as installed_version
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))  # for gallery_setup, which sphinx-gallery imports by name
# On a busy machine threads of boosted trees wait for each other far longer than they work.
os.environ.setdefault("OMP_NUM_THREADS", "1")

project = "discriminative-risk"
author = "discriminative-risk contributors"
copyright = f"2026, {author}"
version = release = installed_version(project)

extensions = [
    "myst_parser",
    "sphinx.ext.napoleon",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "gallery"]
default_role = "py:obj"
# A name in backticks that several classes have, such as `columns`, is no link.
suppress_warnings = ["ref.python"]

autosummary_generate = True
templates_path = ["_templates"]
autodoc_typehints = "none"
# Parameters that share a text are shown as one entry, and attributes like parameters.
napoleon_use_param = False
napoleon_custom_sections = [("Attributes", "params_style")]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3

# What is copied is what can be pasted: prompts and output stay behind.
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "examples",
    "copyfile_regex": r"GALLERY_HEADER\.rst",
    "reset_modules": ("matplotlib", "gallery_setup.reset"),
    "doc_module": ("dr_core", "fairlearn_dr", "aif360_dr", "dr_adapters", "dr_integrations"),
    "backreferences_dir": "generated/examples",
    "inspect_global_variables": False,
    "remove_config_comments": True,
    "show_memory": False,
    "thumbnail_size": (720, 432),
    "show_signature": False,
    "image_scrapers": ("matplotlib",),
    "within_subsection_order": "gallery_setup.Order",
}

html_theme = "pydata_sphinx_theme"
html_title = project
html_logo = "images/logo.svg"
html_favicon = "images/logo.svg"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_sidebars = {page: [] for page in ("changelog", "cite", "architecture", "examples/index")}
html_theme_options = {
    "logo": {"text": project},
    "header_links_before_dropdown": 6,
    "navbar_align": "left",
    "navigation_with_keys": False,
    "show_prev_next": False,
    "show_toc_level": 2,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}


def skip_what_hosts_document(app, what, name, member, skip, options):
    """Leave out methods that AIF360 and scikit-learn made and document themselves."""
    made_in = getattr(member, "__module__", None) or ""
    return True if made_in.startswith(("aif360.", "sklearn.")) else None


def link_classes(app, what, name, obj, options, lines):
    """Make each class that is named as the type of a parameter a link."""
    for i, line in enumerate(lines):
        lines[i] = re.sub(r"(?<=\*\* \()\*[^*]+\*(?=\))", _link_classes_of_type, line)


def _link_classes_of_type(kind):
    parts = re.split(r"\b([A-Z][a-z]\w+)\b", kind[0].strip("*"))
    # Parts at odd positions are names of classes: ["mapping, or ", "SensitiveAttributes", ""].
    return "".join(f"`{p}`" if i % 2 else _emphasize(p) for i, p in enumerate(parts))


def _emphasize(text):
    """Put *...* around the words of a text, as reStructuredText wants it, next to a name."""
    words = text.strip()
    return f"\\ {text.replace(words, f'*{words}*')}\\ " if words else text


def setup(app):
    app.connect("autodoc-process-docstring", link_classes, priority=900)  # after napoleon
    app.connect("autodoc-skip-member", skip_what_hosts_document)
