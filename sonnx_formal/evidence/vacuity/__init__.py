"""Whether what is proved is proved of something: consistent hypotheses, and witnesses."""
