"""Legend of a match report: every number in a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_SENTENCES: Mapping[str, str] = MappingProxyType(
    {
        "Equity, EMG": (
            "Expected result for the player who decides, scaled so that winning the points on the "
            "cube is +1 and losing them −1 at this score (equivalent to a money game)."
        ),
        "MWC": "Match winning chance: the probability of winning the match.",
        "Error, cost, loss": (
            "Equity of the best choice less that of the choice made; in a match also the MWC that it "
            "gave away."
        ),
        "Errors, blunders": (
            "Errors are choices that cost 0.03 or more; those that cost 0.12 or more are blunders. "
            "Doubtful is 0.03 to 0.06, bad 0.06 to 0.12, very bad 0.12 or more."
        ),
        "PR": (
            "Performance rating: 500 times the mean error of the decisions that count, so that "
            "smaller is better. The scale is eXtreme Gammon's: World Champion below 2.5, World Class "
            "below 5, Expert below 7.5, Advanced below 12.5, Intermediate below 17.5, Casual Player "
            "below 22.5, then Beginner."
        ),
        "GNU Backgammon's error rate": "1,000 times the error per unforced play and close cube action.",
        "Snowie's error rate": "1,000 times the error per turn of both players.",
        "Luck": (
            "How much better the rolls were than the average of all rolls, each played best; positive "
            "is lucky."
        ),
        "Luck-adjusted result": "The result without luck: what the play of both was worth.",
        "Plays, unforced": "Turns with a legal play, and those with more than one.",
        "Cube actions, close": (
            "Turns in which a double was legal and answers to doubles, and those in which a wrong "
            "action was near."
        ),
        "Counted for PR": "Decisions that are neither forced nor trivial.",
        "Missed double, wrong double": (
            "Not doubling when it was right; doubling too early, or when too good."
        ),
        "Wrong take, wrong drop": "Accepting a double that costs less to refuse, and the reverse.",
        "Level": (
            "How a choice was evaluated: 0-ply without a search, 2-ply by a search two turns deep, or "
            "by a rollout of so many games. Equities of different levels differ a little for that "
            "reason alone."
        ),
        "Shots": "Rolls of 36 with which the opponent hits on the next turn.",
        "Back checkers": "Checkers on the 18-point or further back.",
        "Market": (
            "The market is lost if the next roll of each player leaves a position in which a double "
            "would be dropped; by the built-in network at 0 plies."
        ),
        "Doubling point, take point": (
            "Winning chance from which to double, or to take, at this score and with the gammons of "
            "this position."
        ),
        "Wastage": "Pips that a bear-off needs beyond the pip count.",
    }
)

LEGEND = (
    '<dl class="legend">'
    + "".join(f"<dt>{word}</dt><dd>{sentence}</dd>" for word, sentence in _SENTENCES.items())
    + "</dl>"
)
"""Definition list in HTML."""
