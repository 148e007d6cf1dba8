"""What holds for every test: how Hypothesis draws."""

from hypothesis import HealthCheck, settings

# a busy machine is no fault of a law: no limit of time for one example, nor for drawing them
settings.register_profile("cueref", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("cueref")
