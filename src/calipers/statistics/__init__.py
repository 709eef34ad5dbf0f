"""Statistics: small immutable values that merge, and the kernels behind them."""
