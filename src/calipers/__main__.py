"""`python -m calipers COMMAND` is `calipers COMMAND`."""

from calipers.cli import main

if __name__ == "__main__":
    main()
