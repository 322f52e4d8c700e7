"""Messages: for each part of a tree, the weight of every total that its noise may have."""
