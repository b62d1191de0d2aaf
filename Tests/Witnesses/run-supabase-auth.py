# Drives a backend with the Python clients of Supabase, along the flows of their documentation.
#
#   run-supabase-auth.py URL ANON_KEY SERVICE_KEY
#
# The database is that of PythonAuthTests. Prints a line for each step that went wrong, "done" at the end.
import base64
import hashlib
import hmac
import json
import struct
import sys
import time
import urllib.request
from urllib.parse import parse_qs, urlsplit

from supabase import ClientOptions, create_client
from supabase_auth import SyncGoTrueClient
from supabase_auth.errors import AuthApiError, AuthWeakPasswordError

url, anon_key, service_key = sys.argv[1:]
password = "correct horse"


def check(name, found, expected):
    if found != expected:
        print(f"{name}: {found!r} and not {expected!r}")


def inbox(recipient):
    with urllib.request.urlopen(f"{url}/inbox") as answer:
        return next(message for message in json.load(answer) if message["recipient"] == recipient)


def code(call):
    try:
        call()
    except AuthApiError as error:
        return error.code
    except AuthWeakPasswordError as error:
        return error.code
    return None


def auth_client(flow="implicit"):
    headers = {"apikey": anon_key, "Authorization": f"Bearer {anon_key}"}
    return SyncGoTrueClient(url=f"{url}/auth/v1", headers=headers, auto_refresh_token=False, flow_type=flow)


def authenticator(secret):
    key = base64.b32decode(secret + "=" * (-len(secret) % 8))
    digest = hmac.new(key, struct.pack(">Q", int(time.time()) // 30), hashlib.sha1).digest()
    place = digest[19] & 15
    number = struct.unpack(">I", digest[place:place + 4])[0] & 0x7FFFFFFF
    return f"{number % 1000000:06}"


def location(address):
    class Stay(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *arguments):
            return None

    try:
        urllib.request.build_opener(Stay).open(address)
    except urllib.error.HTTPError as answer:
        return answer.headers["Location"]


def signing_up():
    client = auth_client()
    response = client.sign_up({"email": "ada@example.com", "password": password, "options": {"data": {"name": "Ada"}}})
    check("sign-up", (response.session, response.user.email), (None, "ada@example.com"))
    check("identities", [identity.provider for identity in response.user.identities], ["email"])
    early = code(lambda: client.sign_in_with_password({"email": "ada@example.com", "password": password}))
    check("sign-in before confirmation", early, "email_not_confirmed")
    check("weak", code(lambda: client.sign_up({"email": "b@example.com", "password": "x"})), "weak_password")
    token = inbox("ada@example.com")["token"]
    confirmed = client.verify_otp({"email": "ada@example.com", "token": token, "type": "signup"})
    check("confirmation", confirmed.user.user_metadata["name"], "Ada")
    signed_in = client.sign_in_with_password({"email": "ada@example.com", "password": password})
    check("sign-in", signed_in.user.id, response.user.id)
    check("get_user", client.get_user().user.id, response.user.id)
    check("get_claims", client.get_claims()["claims"]["email"], "ada@example.com")
    wrong = code(lambda: client.sign_in_with_password({"email": "ada@example.com", "password": "wrong"}))
    check("wrong password", wrong, "invalid_credentials")


def sessions():
    client = auth_client()
    first = client.sign_in_with_password({"email": "ada@example.com", "password": password}).session
    second = client.refresh_session().session
    check("refresh", first.refresh_token == second.refresh_token, False)
    other = auth_client()
    again = other.refresh_session(first.refresh_token).session
    check("refresh with the old token", again.refresh_token, second.refresh_token)
    third = other.set_session(second.access_token, second.refresh_token).session
    check("set_session", third.access_token, second.access_token)
    updated = client.update_user({"data": {"color": "red"}})
    check("update_user", updated.user.user_metadata["color"], "red")
    client.sign_out()
    check("sign-out", code(lambda: other.get_user(second.access_token)), "session_not_found")
    check("refresh of nothing", code(lambda: auth_client().refresh_session("nonsense")), "refresh_token_not_found")


def codes():
    client = auth_client()
    client.sign_in_with_otp({"email": "eve@example.com"})
    link = inbox("eve@example.com")["link"]
    fragment = parse_qs(urlsplit(location(link)).fragment)
    check("magic link", fragment["token_type"], ["bearer"])
    client.sign_in_with_otp({"phone": "+491701234567"})
    token = inbox("491701234567")["token"]
    session = client.verify_otp({"phone": "+491701234567", "token": token, "type": "sms"})
    check("phone", session.user.phone, "491701234567")
    client.reset_password_for_email("ada@example.com")
    hashed = inbox("ada@example.com")["token_hash"]
    session = client.verify_otp({"token_hash": hashed, "type": "recovery"})
    check("recovery", session.user.email, "ada@example.com")
    used = code(lambda: client.verify_otp({"token_hash": hashed, "type": "recovery"}))
    check("a used link", used, "otp_expired")
    anonymous = auth_client().sign_in_anonymously()
    check("anonymous", anonymous.user.is_anonymous, True)
    # With PKCE the link leads to a code.
    flow = auth_client("pkce")
    flow.reset_password_for_email("eve@example.com", {"redirect_to": "http://127.0.0.1:3000/reset"})
    target = location(inbox("eve@example.com")["link"])
    session = flow.exchange_code_for_session({"auth_code": parse_qs(urlsplit(target).query)["code"][0]})
    check("code", session.user.email, "eve@example.com")
    check("place", target.split("?")[0], "http://127.0.0.1:3000/reset")


def factors():
    client = auth_client()
    client.sign_in_with_password({"email": "ada@example.com", "password": password})
    levels = client.mfa.get_authenticator_assurance_level()
    check("level before", (levels.current_level, levels.next_level), ("aal1", "aal1"))
    enrolled = client.mfa.enroll({"factor_type": "totp", "friendly_name": "app", "issuer": "Test"})
    check("picture", enrolled.totp.qr_code.startswith("data:image/svg+xml"), True)
    challenge = client.mfa.challenge({"factor_id": enrolled.id})
    wrong = code(lambda: client.mfa.verify(
        {"factor_id": enrolled.id, "challenge_id": challenge.id, "code": "abcdef"}))
    check("wrong code", wrong, "mfa_verification_failed")
    client.mfa.verify(
        {"factor_id": enrolled.id, "challenge_id": challenge.id, "code": authenticator(enrolled.totp.secret)})
    levels = client.mfa.get_authenticator_assurance_level()
    check("level after", (levels.current_level, levels.next_level), ("aal2", "aal2"))
    listed = client.mfa.list_factors()
    check("factors", [factor.id for factor in listed.totp], [enrolled.id])
    check("unenroll", client.mfa.unenroll({"factor_id": enrolled.id}).id, enrolled.id)


def administration():
    admin = create_client(url, service_key).auth.admin
    user = admin.create_user({
        "email": "bob@example.com", "password": password, "email_confirm": True, "user_metadata": {"a": 1}}).user
    check("create_user", (user.email, user.user_metadata), ("bob@example.com", {"a": 1}))
    check("get_user_by_id", admin.get_user_by_id(user.id).user.id, user.id)
    check("list_users", user.id in [listed.id for listed in admin.list_users()], True)
    check("a page", len(admin.list_users(page=1, per_page=2)), 2)
    updated = admin.update_user_by_id(user.id, {"app_metadata": {"plan": "free"}, "ban_duration": "24h"}).user
    check("update_user_by_id", updated.app_metadata["plan"], "free")
    banned = code(lambda: auth_client().sign_in_with_password({"email": "bob@example.com", "password": password}))
    check("ban", banned, "user_banned")
    admin.update_user_by_id(user.id, {"ban_duration": "none"})
    invited = admin.invite_user_by_email("guest@example.com").user
    check("invite", (invited.email, inbox("guest@example.com")["kind"]), ("guest@example.com", "invite"))
    link = admin.generate_link({"type": "magiclink", "email": "bob@example.com"})
    session = auth_client().verify_otp({"token_hash": link.properties.hashed_token, "type": "magiclink"})
    check("generate_link", session.user.id, user.id)
    check("sign_out", admin.sign_out(session.session.access_token), None)
    admin.delete_user(user.id)
    check("delete_user", code(lambda: admin.get_user_by_id(user.id)), "user_not_found")
    refused = code(lambda: create_client(url, anon_key).auth.admin.list_users())
    check("without the key", refused, "not_admin")


def rows():
    client = create_client(url, anon_key, ClientOptions(auto_refresh_token=False))
    other = create_client(url, anon_key, ClientOptions(auto_refresh_token=False))
    client.auth.sign_in_with_password({"email": "ada@example.com", "password": password})
    other.auth.sign_in_anonymously()
    client.table("notes").insert({"note": "mine"}).execute()
    check("own rows", client.table("notes").select("note").execute().data, [{"note": "mine"}])
    check("others' rows", other.table("notes").select("note").execute().data, [])
    client.auth.sign_out()
    check("signed out", client.table("notes").select("note").execute().data, [])


for part in [signing_up, sessions, codes, factors, administration, rows]:
    try:
        part()
    except Exception as failure:
        print(f"{part.__name__}: {failure!r}")
print("done")
