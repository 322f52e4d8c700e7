"""The outcome of a word by counting floors."""


def look_up(words: list[int], floors: list[int]) -> tuple[list[int], list[int]]:
    outcomes = [sum(floor < word for floor in floors) for word in words]
    return outcomes, [place for place, word in enumerate(words) if word in floors]
