#!/usr/bin/env bash
#SBATCH --job-name=evosdc
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=4
#SBATCH --time=01:00:00
#SBATCH --requeue
# sbatch experiments/cluster/slurm.sh [EXPERIMENT.toml [RUN_DIR]]
# The run folder must lie where all nodes see it. A job that is started again goes on from its last checkpoint.
set -euo pipefail
experiment=${1:-experiments/cluster/islands.toml}
folder=${2:-runs/slurm-${SLURM_JOB_ID:-local}}
if [ -e "$folder/resolved.json" ]; then
    exec evosdc resume "$folder"
fi
exec evosdc run "$experiment" --executor scoop -o "$folder"
