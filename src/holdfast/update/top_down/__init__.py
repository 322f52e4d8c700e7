"""TopDown, the update of the 2020 census, to compare with."""
