"""Tables, balls, boards and pockets of every game, in millimetres; each number cites its rule."""
