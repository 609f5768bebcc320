#!/usr/bin/env python3
"""Receives webhooks: checks who sent them, drops repetitions, prints a line for each event. With Python's standard library alone.

    SKYLARK_WEBHOOK_SECRET=whsec_… examples/webhooks/receiver.py [PORT]

It speaks plain HTTP, and only to this machine: for `skylark webhooks listen --forward-to http://127.0.0.1:4000`, or
behind something that speaks TLS.
"""
import hashlib
import hmac
import http.server
import json
import os
import sys
import threading

SECRETS = os.environ.get("SKYLARK_WEBHOOK_SECRET", "").split()  # two of them during a rotation
LONGEST = 256 * 1024


def signed(secret, signature, body):
    """X-Service-Signature: the key is the whole secret as it is written, `whsec_` included."""
    wanted = "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    # In the same time whether the first byte differs or the last, so that nobody can guess byte by byte.
    return hmac.compare_digest(signature.encode(), wanted.encode())


# Deliveries come at least once. Yours remembers the ids where it keeps what the events change, in one transaction.
seen = {}
lock = threading.Lock()


def handle(event):
    with lock:
        if event["id"] in seen:
            return
        data = event["data"]
        print(event["id"], event["type"], data.get("messageId", data.get("webhookId")), sep="  ", flush=True)
        seen[event["id"]] = True
        if len(seen) > 10_000:
            del seen[next(iter(seen))]


class Receiver(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # so that the sender can keep the connection
    timeout = 60

    def do_POST(self):
        size = self.headers.get("Content-Length", "")
        if not size.isdecimal() or int(size) > LONGEST:
            self.close_connection = True
            return self.answer(400)
        body = self.rfile.read(int(size))  # the bytes as they came: parsed and written again they could be others
        signature = self.headers.get("X-Service-Signature", "")
        if not any(signed(secret, signature, body) for secret in SECRETS):
            return self.answer(401)
        handle(json.loads(body))
        self.answer(204)

    def answer(self, status):
        self.send_response(status)
        if status != 204:
            self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


if not SECRETS:
    sys.exit("SKYLARK_WEBHOOK_SECRET is not set. `skylark webhooks listen --print-secret` prints it.")
server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 4000), Receiver)
print(f"listening on http://127.0.0.1:{server.server_port}", flush=True)
try:
    server.serve_forever()
except KeyboardInterrupt:
    pass
