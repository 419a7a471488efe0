"""What the process does that is copied for each command, before the first copy is made."""

from evosdc_app.prepared import prepare

prepare()
