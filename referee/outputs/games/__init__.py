"""The nine games that are refereed from declared facts: names, states, words and report."""
