"""How a metric varies when its rows are drawn again."""
