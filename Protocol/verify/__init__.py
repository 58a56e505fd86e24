"""A second reading of the StreakMesh protocol: checks vectors and captures from the text of Protocol/*.md alone."""
