"""Evaluations of data in partitions: a partition and a schema in, bytes out, merged in a tree."""
