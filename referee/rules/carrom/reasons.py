"""Carrom: why the umpire ruled so, each with its law and his words; violations, and losses of the match."""

from __future__ import annotations

from enum import Enum


class Coded(Enum):
    """(stable code, clause, words)"""

    @property
    def code(self) -> str:
        return str(self.value[0])

    @property
    def clause(self) -> str:
        return str(self.value[1])

    @property
    def words(self) -> str:
        return str(self.value[2])


class Reason(Coded):
    """Every ruling's reason: (stable code, clause, the umpire's words)."""

    # turns (48, 125) and dues (72 to 77)
    NOTHING = ("nothing", "48", "")
    OWN = ("own", "48", "")
    OPPONENT = ("opponent", "125(a)", "Stop")
    OPPONENT_UNNOTICED = ("opponent_unnoticed", "125(b)", "")
    NOTICED_LATER = ("noticed_later", "125(b)", "Stop")
    DUE = ("due", "72(a)", "Due")
    DUE_AND_FOUL = ("due_and_foul", "72(b)", "Due and foul")
    OWN_WITH_STRIKER = ("own_with_striker", "73", "Due")
    OPPONENT_WITH_STRIKER = ("opponent_with_striker", "74", "Due")
    BOTH_WITH_STRIKER = ("both_with_striker", "75", "Due")
    IMPROPER_OPPONENT = ("improper_opponent", "76", "Foul")
    IMPROPER_OWN = ("improper_own", "77(a)", "Foul")
    IMPROPER_OWN_WITH_STRIKER = ("improper_own_with_striker", "77(b)", "Due and foul")
    IMPROPER = ("improper", "64(a)", "Foul")
    IMPROPER_QUEEN = ("improper_queen", "64(b)", "Foul")
    # the Queen (92 to 101)
    QUEEN = ("queen", "92", "Queen to be covered")
    QUEEN_NO_RIGHT = ("queen_no_right", "95(a)", "Queen out")
    QUEEN_UNDER_DUE = ("queen_under_due", "95(b)", "Queen out")
    QUEEN_STRIKER_NINE = ("queen_striker_nine", "95(d)", "Queen out, due")
    QUEEN_NOT_COVERED = ("queen_not_covered", "96", "Queen out")
    QUEEN_UNNOTICED = ("queen_unnoticed", "96", "")
    QUEEN_RECORDED_COVERED = ("queen_recorded_covered", "96", "Queen covered")
    QUEEN_COVERED = ("queen_covered", "97(a)", "Queen covered")
    QUEEN_ONE_OF_NINE = ("queen_one_of_nine", "97(b)", "Queen to be covered")
    QUEEN_TWO_OF_NINE = ("queen_two_of_nine", "97(b)", "Queen covered")
    QUEEN_OWN_STRIKER = ("queen_own_striker", "98(a)", "Queen out, due")
    QUEEN_OWN_STRIKER_IMPROPER = ("queen_own_striker_improper", "98(b)", "Queen out, due and foul")
    QUEEN_STRIKER = ("queen_striker", "99(a)", "Queen out, due")
    QUEEN_STRIKER_IMPROPER = ("queen_striker_improper", "99(b)", "Queen out, due and foul")
    COVERING_STRIKER = ("covering_striker", "100(a)", "Queen out, due")
    COVERING_STRIKER_IMPROPER = ("covering_striker_improper", "100(b)", "Queen out, due and foul")
    COVERING_OWN_STRIKER = ("covering_own_striker", "101(a)", "Due, Queen to be covered")
    COVERING_OWN_STRIKER_IMPROPER = ("covering_own_striker_improper", "101(b)", "Queen out, due and foul")
    # a board's end (52, 102 to 112)
    BOARD_WON = ("board_won", "52(a)", "Board")
    COVER_BOTH = ("cover_both_last", "102(a)", "Board")
    COVER_BOTH_IMPROPER = ("cover_both_last_improper", "102(b)", "Board")
    COVER_OPPONENT = ("cover_opponent_last", "103(a)", "Board")
    COVER_OPPONENT_IMPROPER = ("cover_opponent_last_improper", "103(b)", "Board")
    QUEEN_BOTH = ("queen_both_last", "104(a)", "Board")
    QUEEN_BOTH_IMPROPER = ("queen_both_last_improper", "104(b)", "Board")
    BOTH_QUEEN_ON = ("both_last_queen_on", "105(a)", "Board")
    BOTH_QUEEN_ON_IMPROPER = ("both_last_queen_on_improper", "105(b)", "Board")
    OPPONENT_QUEEN_ON = ("opponent_last_queen_on", "106(a)", "Board")
    OPPONENT_QUEEN_ON_IMPROPER = ("opponent_last_queen_on_improper", "106(b)", "Board")
    OWN_QUEEN_ON = ("own_last_queen_on", "107(a)", "Board")
    OWN_QUEEN_ON_IMPROPER = ("own_last_queen_on_improper", "107(b)", "Board")
    OWN_STRIKER_QUEEN_ON = ("own_last_striker_queen_on", "108(a)", "Board")
    OWN_STRIKER_QUEEN_ON_IMPROPER = ("own_last_striker_queen_on_improper", "108(b)", "Board")
    QUEEN_BOTH_STRIKER = ("queen_both_last_striker", "109(a)", "Board")
    QUEEN_BOTH_STRIKER_IMPROPER = ("queen_both_last_striker_improper", "109(b)", "Board")
    BOTH_STRIKER_MINE = ("both_last_striker_queen_his", "110(a)", "Board")
    BOTH_STRIKER_MINE_IMPROPER = ("both_last_striker_queen_his_improper", "110(b)", "Board")
    OPPONENT_STRIKER_QUEEN_ON = ("opponent_last_striker_queen_on", "111(a)", "Board")
    OPPONENT_STRIKER_QUEEN_ON_IMPROPER = ("opponent_last_striker_queen_on_improper", "111(b)", "Board")
    BOTH_STRIKER_THEIRS = ("both_last_striker_queen_theirs", "112(a)", "Board")
    BOTH_STRIKER_THEIRS_IMPROPER = ("both_last_striker_queen_theirs_improper", "112(b)", "Board")
    # the break (45, 47)
    BREAK_NOT_MADE = ("break_not_made", "45(a)", "Break not made")
    BREAK_LOST = ("break_lost", "45(b)", "Turn to the opponent")
    BREAK_FAULT = ("break_fault", "45(c)", "Turn to the opponent")
    BEFORE_PLAY = ("before_play", "47", "Foul")
    # acts without a stroke
    TECHNICAL_FOUL = ("technical_foul", "63(a)", "Technical foul")
    TECHNICAL_FOUL_OUT_OF_TURN = ("technical_foul_out_of_turn", "63(b)", "Technical foul")
    FOUL = ("foul", "64(a)", "Foul")
    OUT_OF_TURN = ("out_of_turn", "51", "Board")
    OUT_OF_TURN_ALLOWED = ("out_of_turn_allowed", "51", "")
    GOT_UP = ("got_up", "91", "Board")
    PLAYED_ON_APPEAL = ("played_during_appeal", "121(b)", "Board")
    WRECKED = ("arrangement_wrecked", "126(b)", "Board")
    NO_SET_OFF = ("no_set_off", "89(a)", "")
    FORGONE = ("forgone", "87(a)", "Foregone")
    FORGO_PARTLY = ("forgo_partly", "87(a)", "In total only")
    PLACING_FORFEITED = ("placing_forfeited", "83", "Forfeited")
    PLACING_DECLINED = ("placing_declined", "80", "Forfeited")
    PLACING_EXPIRED = ("placing_time_expired", "88(b)", "Foul")
    PLACED = ("placed", "84(a)", "")
    NO_SPACE_TO_PLACE = ("no_space_to_place", "79(a)", "")
    FELL_AT_MOUTH = ("fell_at_mouth", "71", "")
    QUEEN_FELL_AT_MOUTH = ("queen_fell_at_mouth", "113", "")
    FELL_WITH_STRIKER_REMOVED = ("fell_when_striker_removed", "69(b)", "")
    STRIKER_FELL = ("striker_fell_when_removed", "70(b)", "Due")
    STRIKER_STAYED = ("striker_removed", "70(a)", "")
    SLIP_NO_STROKE = ("slip_no_stroke", "127(b)", "Not a stroke")
    SLIP_STROKE = ("slip_stroke", "127(a)", "")
    PASSED = ("passed", "137", "")
    THREE_PASSES = ("three_passes_each", "137", "Board cancelled")
    NO_SPACE_FOR_STRIKER = ("no_space_for_striker", "142", "Board to be replayed")
    UNFORESEEN = ("unforeseen", "140", "Board to be replayed")
    PROTEST_UPHELD = ("protest_upheld", "148(a)", "Board to be replayed")
    PROTEST_OVERRULED = ("protest_overruled", "148(b)", "The result stands")
    EXTRA_DEMANDED = ("extra_demanded", "87(b)", "")
    CONCEDED = ("conceded", "139", "Conceded")
    MATCH_LOST = ("match_lost", "143", "Match")
    RESTORED = ("restored", "134", "")
    LEFT_ON_RIM = ("left_on_rim", "67", "")
    LEFT_OVERLAPPING = ("left_overlapping", "68", "")
    NOTED = ("noted", "", "")
    APPEAL = ("appeal", "121(a)", "Time stopped")
    REPLACED_DAMAGED = ("replaced_damaged", "120", "")
    PLAY = ("play", "46", "Play")


class Violation(Coded):
    """Acts that are a technical foul or a foul by their phase (62 to 64): (code, clause, what it is)."""

    OTHER = ("other", "62", "an act contrary to the laws")
    MOVED_SEAT = ("moved_seat", "29", "chair lifted or moved during the turn")
    BODY_TOUCHED = ("body_touched", "30(a)", "body, other than the playing arm, touched board or stand")
    BEYOND_ARROWS = ("beyond_arrows", "32", "body beyond the lines of the arrows")
    PUSHED = ("pushed", "33", "striker pushed")
    NOT_FINGER = ("not_finger", "34", "stroke not with the finger")
    ELBOW = ("elbow", "37(a)", "elbow within the surface or beyond the arrows")
    SUPPORT = ("support", "38(a)", "support taken from stool, stand or table")
    TIME = ("time", "50", "more than fifteen seconds for a stroke")
    OWN_PLACED = ("own_placed", "82(a)", "own C/m placed as due")
    HELD_WHILE_PLACING = ("held_while_placing", "84(b)", "other pieces held while placing")
    OUTSIDE_OUTER_CIRCLE = ("outside_outer_circle", "85", "placed outside the outer circle")
    DISTURBED_WHILE_PLACING = ("disturbed_while_placing", "86", "other pieces moved while placing")
    COVERED_CENTRE = ("covered_centre", "89(b)", "placed on the centre circle")
    DUE_FOR_QUEEN = ("due_for_queen", "114", "due C/m used for a shot with the Queen")
    UNCERTIFIED_STRIKER = ("uncertified_striker", "115", "striker not certified")
    POWDER = ("powder", "122(b)", "powder applied or removed during play")
    EARLY_STROKE = ("early_stroke", "124(c)", "stroke before the opponent lifted his striker")
    TAPPED_BOARD = ("tapped_board", "126(a)", "board hit, tapped or disturbed")
    BASE_LINES = ("base_lines", "130(a)", "striker not touching both base lines")
    BASE_CIRCLE = ("base_circle", "130(b)", "base circle not covered, or arrow touched")
    PARTNERS_TALKED = ("partners_talked", "131", "partners communicated")
    HELD_SOLID = ("held_solid", "133", "something held in the hands")
    PIECES_MOVED = ("pieces_moved", "134", "pieces moved other than by a stroke")
    TESTED_STRIKER = ("tested_striker", "135", "run of the striker tested")
    STRIKER_ON_FRAME = ("striker_on_frame", "136(a)", "striker kept on the frame or in a pocket")


_WHILE_PLACING = frozenset(
    (
        Violation.OWN_PLACED,
        Violation.HELD_WHILE_PLACING,
        Violation.OUTSIDE_OUTER_CIRCLE,
        Violation.DISTURBED_WHILE_PLACING,
        Violation.COVERED_CENTRE,
        Violation.DUE_FOR_QUEEN,
    )
)
INFRINGEMENTS: dict[str, Violation] = {v.code: v for v in Violation if v not in _WHILE_PLACING}
"""What a person may enter as done wrong in a stroke: it makes the stroke improper (64(a)). What is done wrong
while dues are placed is an act without a stroke.
"""


class MatchLoss(Coded):
    """Law 143: what loses the whole match at the coordinator's discretion."""

    LEFT_AREA = ("left_area", "143(a)", "left the board area without permission")
    OVERSTAYED_REST = ("overstayed_rest", "143(b)", "did not keep to the rest's time")
    REFUSED_DECISION = ("refused_decision", "143(c)", "refused a decision")
    INSULTED = ("insulted", "143(d)", "insulting remarks")
    SMOKED = ("smoked", "143(e)", "smoking or intoxication")
    UNCERTIFIED = ("uncertified_striker", "143(f)", "played with an uncertified striker")
    DISCONTINUED = ("discontinued", "143(g)", "stopped play without permission")
    DISTRACTED = ("distracted", "143(h)", "distracted the opponent more than twice despite warning")
    LATE = ("late", "143(i)", "not at the board within 15 minutes")
    INDISCIPLINE = ("indiscipline", "143", "act of indiscipline")
