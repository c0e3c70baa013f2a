"""Other engines against bgfast: cases, comparison, the smallest position that still differs, a report.

What is wrong has these names. A *comparison* is what came of one case; each *disagreement* in it is some
results that are wrong in the same way. Its *symptom* is what is known of that without looking at other cases:
the kind, and the *causes*, sets of rules each of which would explain it. The *attribution*, made at the end
of the *evidence* from all cases, says which rules the engine breaks, and with them into which *class*, a kind
and a rule, a symptom comes.
"""
