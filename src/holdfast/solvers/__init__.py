"""Numerical work that outside libraries do, measured here. Knows no trees and no laws."""
