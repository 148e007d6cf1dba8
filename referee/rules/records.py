"""Records of the rules (states, facts, rulings: frozen dataclasses without slots) changed in few fields."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from dataclasses import replace as replace  # the checker knows its fields
else:
    Record = TypeVar("Record")

    def replace(record: Record, /, **changes: Any) -> Record:
        """As `dataclasses.replace`; copies what stays as a whole: a tenth of the time for thirty fields, and
        rules are run once for each explanation of each stroke. Raises `TypeError` for a field it has not.
        """
        fields = vars(record)
        if not changes.keys() <= fields.keys():
            raise TypeError(f"{type(record).__name__} has no {min(changes.keys() - fields.keys())}")
        changed = object.__new__(type(record))
        vars(changed).update(fields, **changes)
        check = getattr(changed, "__post_init__", None)
        if check is not None:
            check()
        return changed
