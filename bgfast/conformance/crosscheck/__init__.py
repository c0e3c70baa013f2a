"""Cross-check of other engines against bgfast: cases, comparison, shrinking, report.

Terms: a *comparison* is the outcome of one case. It contains *disagreements*, sets of successors that are
wrong in the same way. The *symptom* of a disagreement is the evidence of the case alone: the kind of error
and its possible *causes*, sets of rules that explain it. When all cases are done, the *attribution* decides
from the collected *evidence* which rules the engine breaks. It thereby assigns symptoms to *classes*, pairs
of a kind and a rule.
"""
