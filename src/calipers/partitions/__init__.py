"""Evaluations of data in partitions: a partition and a schema in, statistics out, merged in a tree."""
