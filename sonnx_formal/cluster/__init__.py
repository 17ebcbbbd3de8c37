"""The work of slow commands on the workers of a Dask cluster."""
