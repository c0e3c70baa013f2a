"""Analysis of recorded matches."""

from bgfast.analysis.matches.comparison import AnalysisComparison
from bgfast.analysis.matches.judging.analyse_match import analyse_match
from bgfast.analysis.matches.match_analysis import MatchAnalysis

__all__ = ["AnalysisComparison", "MatchAnalysis", "analyse_match"]
