"""An envelope for confidential values: it shows nothing of itself.

Claim.      Printing, formatting, comparing, hashing, copying, iterating, pickling and testing
            for truth are refused or show the public description alone.
Reason.     docs/theory/confidentiality.md#the-envelope
Checked by. tests/foundation/test_confidential.py
"""

from typing import Generic, NoReturn, TypeVar

from holdfast.foundation.errors import Fault, Sealed

Content = TypeVar("Content")


class Confidential(Generic[Content]):
    """A value that leaves only through `open_inside_a_mechanism`, a name one can search for.

    >>> Confidential([3, 4, 5], "table, 3 cells")
    <confidential table, 3 cells>
    """

    __slots__ = ("__content", "__description")
    __hash__ = None  # type: ignore[assignment]  # a hash confirms a guess

    def __init__(self, content: Content, description: str) -> None:
        self.__content = content
        self.__description = description

    def open_inside_a_mechanism(self) -> Content:
        """Return the confidential value; only mechanisms may call this."""
        return self.__content

    def __repr__(self) -> str:
        return f"<confidential {self.__description}>"

    def _refuse(self, act: str) -> NoReturn:
        raise Sealed(
            Fault(
                self.__description,
                "nothing of a confidential value",
                f"an attempt to {act} it",
                "Release it through a mechanism.",
            )
        )

    def __str__(self) -> NoReturn:
        self._refuse("print")

    def __format__(self, form: str) -> NoReturn:
        self._refuse("format")

    def __eq__(self, other: object) -> NoReturn:
        self._refuse("compare")

    def __bool__(self) -> NoReturn:
        self._refuse("test")

    def __len__(self) -> NoReturn:
        self._refuse("measure")

    def __iter__(self) -> NoReturn:
        self._refuse("iterate over")

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        self._refuse("copy or pickle")

    def __getstate__(self) -> NoReturn:
        self._refuse("copy or pickle")

    def __setattr__(self, name: str, value: object) -> None:
        if name == "__orig_class__":
            return  # what `Confidential[int](...)` would note down
        if hasattr(self, "_Confidential__description"):
            self._refuse("change")
        object.__setattr__(self, name, value)
