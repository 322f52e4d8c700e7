"""The meaning of everything: revision and update of a belief about finitely many worlds.

These are the definitions, slow and obvious. Everything fast in this house is an optimisation of
what stands here and is tested against it.

A box holds an apple, or a banana. What do we believe when told "no apple"?

>>> box = Belief({"a": Fraction(7, 10), "b": Fraction(3, 10)})
>>> without_apple = {"b", ""}

*Revise*: there never was an apple, so it is the banana.

>>> revised = box.revise(without_apple)
>>> revised["b"], revised[""]
(Fraction(1, 1), Fraction(0, 1))

*Update*: the apple is gone, so each world goes to the nearest one without an apple.

>>> nearest = {"ab": "b", "a": "", "b": "b", "": ""}
>>> updated = box.update(without_apple, nearest)
>>> updated["b"], updated[""]
(Fraction(3, 10), Fraction(7, 10))

Reason.     docs/theory/belief.md
Checked by. tests/worlds/test_belief.py
"""

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from holdfast.foundation.errors import BadBelief, Fault, HoldfastError, shown
from holdfast.foundation.exact import exact
from holdfast.worlds.divergence import Divergence, divergence

World = Hashable
Event = Collection[World]
Nearest = Mapping[Any, Any] | Callable[[Any], Any]


class Belief(Mapping[World, Fraction]):
    """A probability on finitely many worlds, in exact fractions; other worlds read 0."""

    __slots__ = ("_chances",)

    def __init__(self, chances: Mapping[Any, object]) -> None:
        if not isinstance(chances, Mapping) or not chances:
            found = f"a {type(chances).__name__}" if chances else "nothing"
            raise BadBelief(Fault("belief", "chances by world", found, 'Write {"a": "0.7", ...}.'))
        read = {world: _chance(chance) for world, chance in chances.items()}
        if sum(read.values()) != 1:
            found = f"a sum of {shown(sum(read.values(), Fraction(0)))}"
            raise BadBelief(Fault("belief", "chances that add up to 1", found, "Divide by it."))
        self._chances = {world: chance for world, chance in read.items() if chance}

    def __getitem__(self, world: World) -> Fraction:
        return self._chances.get(world, Fraction(0))

    def __iter__(self) -> Iterator[World]:
        return iter(self._chances)

    def __len__(self) -> int:
        return len(self._chances)

    def __contains__(self, world: object) -> bool:
        return world in self._chances

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Belief) and self._chances == other._chances

    def __hash__(self) -> int:
        return hash(frozenset(self._chances.items()))

    def __repr__(self) -> str:
        worlds = ", ".join(f"{world!r}: {chance}" for world, chance in self._chances.items())
        return f"Belief({{{worlds}}})"

    def chance(self, event: Event) -> Fraction:
        """Return P(event)."""
        return sum((self[world] for world in _worlds(event)), Fraction(0))

    def revise(self, event: Event) -> "Belief":
        """Return P( . | event): worlds outside are dropped, the others keep their ratios."""
        worlds = _worlds(event)
        total = self.chance(worlds)
        if not total:
            raise BadBelief(
                Fault("revise", "an event that is possible", "one of chance 0", "Update instead.")
            )
        return Belief({world: self[world] / total for world in worlds})

    def update(self, event: Event, nearest: Nearest) -> "Belief":
        """Return the image on the event: each world's chance goes to its nearest world there.

        A world of the event stays where it is. `nearest` gives the nearest world of each other
        world that has mass, and may be made by `holdfast.worlds.belief.nearest_by`.
        """
        image: dict[World, Fraction] = {}
        worlds = _worlds(event)
        for world, chance in self.items():
            target = _nearest(world, nearest, stays=world in worlds)
            if target not in worlds or (world in worlds and target != world):
                asked = "a world of the event, for a world of the event itself"
                found = f"{shown(str(target))} for {shown(str(world))}"
                raise BadBelief(Fault("nearest", asked, found, "Correct it."))
            image[target] = image.get(target, Fraction(0)) + chance
        return Belief(image)

    def mix(self, other: "Belief", weight: object) -> "Belief":
        """Return the convex combination weight * self + (1 - weight) * other."""
        share = exact(weight, "weight")
        return mixture({0: self, 1: other}, {0: share, 1: 1 - share})

    def divergence(self, other: "Belief") -> Divergence:
        """Return the Kullback-Leibler divergence of this belief from the other."""
        return divergence(self._chances, other._chances)

    def map(self, image: Callable[[World], World]) -> "Belief":
        """Return the belief about the image of the world."""
        answer: dict[World, Fraction] = {}
        for world, chance in self.items():
            target = image(world)
            answer[target] = answer.get(target, Fraction(0)) + chance
        return Belief(answer)


def mixture(beliefs: Mapping[Any, Belief], weights: Mapping[Any, object]) -> Belief:
    """Return the belief of one who draws a key by its weight and then believes that belief."""
    drawn = Belief(weights)
    if any(key not in beliefs for key in drawn):
        raise BadBelief(Fault("mixture", "a belief for every weight", "none", "Add it."))
    answer: dict[World, Fraction] = {}
    for key, weight in drawn.items():
        for world, chance in beliefs[key].items():
            answer[world] = answer.get(world, Fraction(0)) + weight * chance
    return Belief(answer)


def nearest_by(
    distance: Callable[[World, World], Any],
    event: Event,
    tie: Callable[[Collection[World]], World] | None = None,
) -> Callable[[World], World]:
    """Return the nearest-world map of a distance; a tie is refused, or settled by `tie`."""

    worlds = _worlds(event)

    def nearest(world: World) -> World:
        far = {target: distance(world, target) for target in worlds}
        if not far:
            raise BadBelief(Fault("event", "at least one world", "none", "Add worlds."))
        closest = [target for target in far if far[target] == min(far.values())]
        if len(closest) > 1 and tie is None:
            found = f"a tie of {len(closest)} for {shown(str(world))}"
            raise BadBelief(
                Fault("nearest", "one nearest world", found, "Give `tie`, a fixed public choice.")
            )
        return closest[0] if tie is None or len(closest) == 1 else tie(closest)

    return nearest


def product(beliefs: Iterable[Belief]) -> Belief:
    """Return the belief about tuples of independent worlds."""
    answer: dict[World, Fraction] = {(): Fraction(1)}
    for belief in beliefs:
        answer = {
            (*before, world): chance * share  # type: ignore[misc]
            for before, chance in answer.items()
            for world, share in belief.items()
        }
    return Belief(answer)


def _worlds(event: Any) -> frozenset[World]:
    """Return the worlds of an event, read once; a text is no set of worlds."""
    if isinstance(event, str | bytes) or not hasattr(event, "__iter__"):
        found = f"a {type(event).__name__}"
        raise BadBelief(Fault("event", "a set of worlds", found, 'Write for example {"b", ""}.'))
    return frozenset(event)


def _chance(value: object) -> Fraction:
    """Return a chance of at least 0, whole numbers and fractions kept exact."""
    try:
        number = value if isinstance(value, Fraction) else exact(value, "chance")
    except HoldfastError as error:
        raise BadBelief(*error.faults) from None
    if number < 0:
        raise BadBelief(Fault("chance", "a number of at least 0", shown(number), "Correct it."))
    return number


def _nearest(world: World, nearest: Nearest, stays: bool) -> World:
    """Return the nearest world by a mapping or a function; one that stays need not be given."""
    if stays and isinstance(nearest, Mapping):
        given: World = nearest.get(world, world)
        return given
    if callable(nearest):
        chosen: World = nearest(world)
        return chosen
    if not isinstance(nearest, Mapping) or world not in nearest:
        found = f"none for {shown(str(world))}"
        raise BadBelief(Fault("nearest", "a nearest world for every world", found, "Add it."))
    target: World = nearest[world]
    return target
