"""Writing to local partitions as a broker does: appending, rolling, flushing, closing."""
