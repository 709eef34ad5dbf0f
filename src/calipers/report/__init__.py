"""How an evaluation is shown."""
