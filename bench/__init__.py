"""What is measured: one module for each `./run bench NAME`."""
