#!/usr/bin/env bash
#PBS -N evosdc
#PBS -l select=2:ncpus=4:mpiprocs=4
#PBS -l walltime=01:00:00
# qsub experiments/cluster/pbs.sh        (EXPERIMENT and RUN_DIR by -v EXPERIMENT=...,RUN_DIR=...)
# Nodes have to reach each other by ssh without a password; the run folder must lie where all of them see it.
set -euo pipefail
cd "${PBS_O_WORKDIR:-.}"
experiment=${EXPERIMENT:-experiments/cluster/islands.toml}
folder=${RUN_DIR:-runs/pbs-${PBS_JOBID:-local}}
if [ -e "$folder/resolved.json" ]; then
    exec evosdc resume "$folder"
fi
exec evosdc run "$experiment" --executor scoop -o "$folder"
