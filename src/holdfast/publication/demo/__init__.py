"""The whole street on real data that comes with the package."""
