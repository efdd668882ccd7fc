"""What every experiment answers."""


class Experiment:
    name = ""
    # Which of the servers it needs (size.SERVERS).
    server = "large"

    def rounds(self, size):
        return size.rounds

    def contestants(self):
        """Those that take part."""
        raise NotImplementedError

    def cases(self, size):
        """The values of its parameter; each contestant is measured in each, once a round."""
        return [""]

    def prepare(self, server, contestant, size):
        """What a contestant needs on a new server before it can be measured."""

    def measure(self, server, contestant, case, size):
        """[(parameter, metric, unit, value)...]"""
        raise NotImplementedError
