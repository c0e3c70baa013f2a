"""Analysis of recorded matches."""

from bgfast.analysis.matches.comparison import AnalysisComparison
from bgfast.analysis.matches.judging.analyse_match import analyse_match
from bgfast.analysis.matches.match_analysis import MatchAnalysis
from bgfast.analysis.reports.flash_cards import write_anki
from bgfast.analysis.reports.report_files import write_report

__all__ = ["AnalysisComparison", "MatchAnalysis", "analyse_match", "write_anki", "write_report"]
