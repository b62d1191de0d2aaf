"""Runs the Autobahn test suite, which needs Python 2.7, from the folder that `./dev test` has installed it into.

python2.7 run-autobahn.py FOLDER --mode fuzzingserver|fuzzingclient --spec FILE
"""
import site
import sys

# The folder has namespace packages, which only a site folder makes importable.
site.addsitedir(sys.argv.pop(1))

from autobahntestsuite.wstest import run  # noqa: E402

run()
