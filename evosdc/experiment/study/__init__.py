"""Many runs of one experiment: replicates and the settings of a sweep."""
