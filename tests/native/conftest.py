from hypothesis import settings

# Peers are slow and machines are shared: time is for benchmarks to judge.
settings.register_profile("native", deadline=None)
settings.load_profile("native")
