"""What a metric can be over: one `View` for each, all in the table `VIEWS` (base.py)."""
