"""Laws that can be written down: one group and its total, Gaussian noise, small systems."""
