"""What is written of a release: files, a record, a folder."""
