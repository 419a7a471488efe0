"""Machine code of kernels: read and run without numba, or with numba's compiler where there is none yet."""
