"""Tables, balls, boards and pockets of every game, in millimetres. Each number cites its rule."""
