"""What is measured, one file an experiment, in the order in which a round does it."""

from experiments import concurrent, generation, growth, insert, layouts, lookup, order, reading

ALL = [
    generation.Generation(),
    layouts.Layouts(),
    insert.Insert(),
    concurrent.Concurrent(),
    order.Order(),
    reading.Reading(),
    growth.Growth(),
    lookup.Lookup(),
]
