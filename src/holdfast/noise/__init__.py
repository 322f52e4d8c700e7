"""Laws of noise, their exact draws, and the calibration of their scales."""
