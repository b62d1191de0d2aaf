# Prints the QR codes that segno makes of texts: byte mode, level M, the first mask. A line of 0 and 1 for each row, an
# empty line after each code.
#
#   qr-codes.py TEXT...
import sys

import segno

for text in sys.argv[1:]:
    code = segno.make(text, error="m", mode="byte", mask=0, boost_error=False, micro=False)
    for row in code.matrix:
        print("".join(str(module) for module in row))
    print()
