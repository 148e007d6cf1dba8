"""Accounts, sessions that end, links that open once, pauses that grow."""

from __future__ import annotations

import math
import sqlite3
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("argon2", reason="the pages need the extra 'serve'")
from argon2 import PasswordHasher

from calibration.errors import UnusableInput
from referee.access.accounts import Accounts, folded
from referee.access.pauses import FORGOTTEN_S, FREE_GUESSES, Pauses, address_key
from referee.access.roles import Person, Role
from referee.access.sessions import IDLE_AND_WHOLE_S, Sessions
from referee.access.store import AccessStore
from referee.moments import Moment, moment

QUICK = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
PASSWORD = "chalk and cue 17"


class Clock:
    """A clock that a test sets: of the machine's run, and of the day."""

    def __init__(self) -> None:
        self.now = Moment("first run", 1000.0, 1.8e9)

    def __call__(self) -> Moment:
        return self.now

    def passes(self, seconds: float) -> None:
        self.now = Moment(self.now.boot, self.now.boot_s + seconds, self.now.unix_s + seconds)


@pytest.fixture
def store() -> Iterator[AccessStore]:
    opened = AccessStore()
    yield opened
    opened.close()


@pytest.fixture
def accounts(store: AccessStore) -> Accounts:
    return Accounts(store, QUICK)


def test_a_password_lets_in_its_own_account_alone(accounts: Accounts) -> None:
    ann = accounts.add("Ann", Role.REFEREE, PASSWORD)
    accounts.add("Bo", Role.OWNER, PASSWORD + "!")
    assert accounts.check("ann ", PASSWORD) == ann
    for name, password in [("Bo", PASSWORD), ("Ann", PASSWORD + "!"), ("Nobody", PASSWORD), ("", "")]:
        assert accounts.check(name, password) is None


def test_the_file_holds_no_password_session_or_code_and_is_private(tmp_path: Path) -> None:
    path = tmp_path / "state" / "access.sqlite"
    store = AccessStore(path)
    accounts, sessions = Accounts(store, QUICK), Sessions(store)
    session = sessions.begin(accounts.add("Ann", Role.OWNER, PASSWORD).id)
    code = sessions.link(None)
    files = list(path.parent.iterdir())
    held = b"".join(f.read_bytes() for f in files)
    for secret in (PASSWORD, session.cookie.split(".")[0], code):
        assert secret.encode() not in held
    assert all(stat.S_IMODE(f.stat().st_mode) == 0o600 for f in files)
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    store.close()
    path.chmod(0o644)
    AccessStore(path).close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_link_or_another_file_in_its_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_bytes(b"")
    (tmp_path / "link.sqlite").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "text.sqlite").write_text("no database at all, but long enough to be read as one" * 40)
    for name in ("link.sqlite", "text.sqlite"):
        with pytest.raises(UnusableInput, match=name):
            AccessStore(tmp_path / name)
    base = sqlite3.connect(tmp_path / "newer.sqlite")
    base.execute("PRAGMA user_version = 99")
    base.close()
    with pytest.raises(UnusableInput, match="newer"):
        AccessStore(tmp_path / "newer.sqlite")


@pytest.mark.parametrize(
    ("name", "password"),
    [
        ("", PASSWORD),
        ("x" * 81, PASSWORD),
        ("Ref\u202eeve", PASSWORD),
        ("Ann", "short"),
        ("Ann", "x" * 201),
        ("Ann", "aaaaaaaaaaaaaa"),
        ("Annabelle", "annabelle-1"),
        ("ＢＯ", PASSWORD),  # the same name as Bo in wide letters
    ],
)
def test_names_and_passwords_that_are_no_good_are_refused(
    accounts: Accounts, name: str, password: str
) -> None:
    accounts.add("Bo", Role.REFEREE, PASSWORD)
    with pytest.raises(UnusableInput):
        accounts.add(name, Role.REFEREE, password)
    assert len(accounts.all()) == 1


@given(st.text(max_size=30))
def test_folding_a_name_again_changes_nothing(name: str) -> None:
    assert folded(folded(name)) == folded(name)


def test_a_short_name_within_a_long_password_is_no_harm(accounts: Accounts) -> None:
    accounts.add("A", Role.REFEREE, PASSWORD)
    accounts.add("Rea", Role.REFEREE, f"{PASSWORD} of Rea")


def test_others_are_not_left_without_an_owner(accounts: Accounts) -> None:
    ann, bo = accounts.add("Ann", Role.OWNER), accounts.add("Bo", Role.REFEREE)
    for act in (lambda: accounts.remove(ann.id), lambda: accounts.set_role(ann.id, Role.SPECTATOR)):
        with pytest.raises(UnusableInput, match="owner"):
            act()
    assert accounts.get(ann.id).role is Role.OWNER
    accounts.remove(bo.id)
    accounts.remove(ann.id)  # the token is the way in again
    assert accounts.all() == []


def test_sessions_end_by_idleness_by_age_by_logout_by_password_and_with_the_account(
    store: AccessStore, accounts: Accounts
) -> None:
    clock = Clock()
    sessions = Sessions(store, clock)
    ann = accounts.add("Ann", Role.REFEREE, PASSWORD)
    idle_s, whole_s = IDLE_AND_WHOLE_S[Role.REFEREE]
    session = sessions.begin(ann.id)
    clock.passes(idle_s + 1)
    assert sessions.find(session.cookie) is None
    session, used_s = sessions.begin(ann.id), 0.0
    while used_s + idle_s / 2 < whole_s:
        clock.passes(idle_s / 2)
        used_s += idle_s / 2
        assert sessions.find(session.cookie) is not None
    clock.passes(idle_s / 2 + 1)
    assert sessions.find(session.cookie) is None
    a, b, c = (sessions.begin(ann.id).cookie for _ in range(3))
    sessions.end(a)
    assert sessions.find(a) is None and sessions.find(b) is not None
    accounts.set_password(ann.id, PASSWORD + "2")
    assert sessions.find(b) is None and sessions.find(c) is None
    d = sessions.begin(ann.id).cookie
    accounts.set_role(ann.id, Role.SPECTATOR)
    found = sessions.find(d)
    assert found is not None and found.person.role is Role.SPECTATOR  # at once
    accounts.remove(ann.id)
    assert sessions.find(d) is None


@pytest.mark.parametrize("jump_s", [-7200.0, 7200.0, 30 * 86400.0])
def test_a_jump_of_the_machines_clock_neither_ends_nor_prolongs_a_session(
    store: AccessStore, jump_s: float
) -> None:
    clock = Clock()
    sessions = Sessions(store, clock)
    session = sessions.begin(None)
    clock.now = Moment(clock.now.boot, clock.now.boot_s + 5.0, clock.now.unix_s + 5.0 + jump_s)
    assert sessions.find(session.cookie) is not None
    clock.now = Moment(clock.now.boot, clock.now.boot_s + 5 * 3600.0, clock.now.unix_s)
    assert sessions.find(session.cookie) is None


def test_after_a_restart_of_the_machine_the_time_of_day_counts() -> None:
    then = Moment("first run", 1000.0, 1.8e9)
    assert then.age_s(Moment("second run", 3.0, 1.8e9 + 60)) == 60
    assert then.age_s(Moment("second run", 3.0, 1.8e9 - 60)) == math.inf  # not believed
    assert 0 <= moment().age_s(moment()) < 60


def test_a_changed_or_foreign_cookie_is_nobodys(store: AccessStore) -> None:
    sessions = Sessions(store)
    cookie = sessions.begin(None).cookie
    foreign = Sessions(AccessStore()).begin(None).cookie
    for wrong in (
        "",
        ".",
        cookie[:-1],
        cookie + "A",
        cookie.swapcase(),
        foreign,
        "\ud800",
        "ü.ü",
        "A" * 5000,
    ):
        assert sessions.find(wrong) is None
    assert sessions.find(cookie) is not None


def test_a_link_opens_once_and_not_too_late(store: AccessStore, accounts: Accounts) -> None:
    clock = Clock()
    sessions = Sessions(store, clock)
    ann = accounts.add("Ann", Role.REFEREE)
    code = sessions.link(ann.id)
    opened = sessions.open(code)
    assert opened is not None and opened.person == Person(Role.REFEREE, "Ann", ann.id)
    assert sessions.open(code) is None and sessions.open("guess") is None
    late = sessions.link(None, lasts_s=60.0)
    clock.passes(61.0)
    assert sessions.open(late) is None


def test_a_tablet_referees_at_its_own_table_alone(accounts: Accounts, store: AccessStore) -> None:
    made = accounts.add("Tablet 1", Role.REFEREE, table="Table 1")
    person = Sessions(store).begin(made.id).person
    assert person.role_at("Table 1") is Role.REFEREE
    assert person.role_at("Table 2") is person.role_at(None) is Role.NOBODY
    for role in (Role.OWNER, Role.SPECTATOR):
        with pytest.raises(UnusableInput):
            accounts.add("Tablet 2", role, table="Table 1")
    with pytest.raises(UnusableInput):
        accounts.set_role(made.id, Role.OWNER)


def test_pauses_double_up_to_the_longest_and_are_forgotten() -> None:
    now = [0.0]
    pauses = Pauses(60.0, lambda: now[0])
    for k in range(FREE_GUESSES):
        pauses.wrong("a", f"guess {k}")
    assert pauses.left_s("a") == 0
    left = []
    for k in range(10):
        pauses.wrong("a", f"more {k}")
        left.append(pauses.left_s("a"))
    assert left == [1, 2, 4, 8, 16, 32, 60, 60, 60, 60] and pauses.left_s("b") == 0
    pauses.wrong("a", "more 9")  # the same again teaches nobody anything
    now[0] = 60.0
    assert pauses.left_s("a") == 0
    now[0] += FORGOTTEN_S
    pauses.wrong("a", "mistyped")
    assert pauses.left_s("a") == 0


def test_a_right_secret_does_not_clear_the_wrong_ones_before_it() -> None:
    """Else somebody with an account would log in after every third guess at another's."""
    now = [0.0]
    pauses = Pauses(60.0, lambda: now[0])
    for k in range(FREE_GUESSES):
        pauses.wrong("a", f"guess {k}")
        pauses.wrong("a", "the right one")  # noted before it is known
        pauses.right("a", "the right one")
    assert pauses.left_s("a") == 0
    pauses.wrong("a", "one more")
    assert pauses.left_s("a") == 1
    pauses.forget("a")
    assert pauses.left_s("a") == 0


def test_a_house_of_ipv6_addresses_is_one_guesser() -> None:
    assert address_key("2001:db8::1") == address_key("2001:db8::ffff:2") != address_key("2001:db8:0:1::1")
    assert address_key("::ffff:192.0.2.7") == address_key("192.0.2.7")
    assert address_key("fe80::1%eth0") == "fe80::/64" and address_key("testclient") == "testclient"
