# A mail server that prints each mail, a line of JSON, and its port first.
import email
import json
import socket

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult


class Printer:
    async def handle_DATA(self, server, session, envelope):
        mail = email.message_from_bytes(envelope.content)
        text = mail.get_payload(decode=True).decode()
        print(json.dumps({
            "from": envelope.mail_from, "to": envelope.rcpt_tos, "subject": mail["Subject"], "text": text,
            "header": mail["To"], "user": getattr(session, "auth_data", None)}), flush=True)
        return "250 OK"


def authenticate(server, session, envelope, mechanism, data):
    return AuthResult(success=data.login == b"ada" and data.password == b"secret", auth_data=data.login.decode())


with socket.socket() as probe:
    probe.bind(("127.0.0.1", 0))
    port = probe.getsockname()[1]
controller = Controller(
    Printer(), hostname="127.0.0.1", port=port, authenticator=authenticate, auth_require_tls=False)
controller.start()
print("port", port, flush=True)
controller._thread.join()
