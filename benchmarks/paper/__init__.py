"""The paper's four research questions and its case study, run again.

`python -m benchmarks.paper quality | bounds | aware | pruning | lawschool | all [--quick]` prints
published figures beside measured ones and writes CSV, PNG and SVG files. Each experiment is a
module with a `main(settings)`; they share

- `published`: what the paper reports;
- `protocol`: data, folds, learners, ensembles, and what "paper" and "recommended" mean;
- `store`: pieces of work, computed in parallel, kept so that a killed run goes on;
- `output`, `figures`: tables and drawings.
"""
