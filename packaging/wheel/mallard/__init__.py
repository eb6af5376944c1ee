"""Mallard's command and its mallocs, as a wheel carries them."""
