"""Property tests draw the same cases every time: no test is flaky, and none is timed."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "house", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("house")
