"""Analysis of a decision: cube action, best plays, and maps over scores and rolls."""
