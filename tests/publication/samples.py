"""A plan, as people write them, and small releases."""

PLAN = """\
[data]
source = "trips.csv"
levels = ["Borough", "Zone"]
domain = "zones.csv"
root = "NYC"

[privacy]
epsilon = "1"
neighbours = "add-remove"

[rules]
sums = true
nonnegative = true

[release]
ledger = "budget.sqlite"
name = "trips-2022-02"
"""
FULL = """\
[data]
source = "trips.parquet"
levels = ["Borough", "LocationID"]
domain = "taxi_zones.csv"
key = { PULocationID = "LocationID" }
label = "Zone"
count = "trips"
outside = "drop"
root = "NYC"

[privacy]
epsilon = "1"
neighbours = "replace-one"
unit = { column = "rider_id", rows = 3 }
split = { root = "0.2", Borough = "0.3", LocationID = "0.5" }

[rules]
sums = true
nonnegative = true
total = 2979431

[method]
noise = "discrete-laplace"
street = ["revise sums", "update nonnegative"]
sampler = "auto"

[release]
ledger = "budget.sqlite"
name = "trips-2022-02"
interval = "0.95"
"""


def changed(text: str, *pairs: tuple[str, str]) -> str:
    """Return a text with each old part, which must be there once, in its new words."""
    for old, new in pairs:
        if text.count(old) != 1:
            raise LookupError(old)
        text = text.replace(old, new)
    return text
