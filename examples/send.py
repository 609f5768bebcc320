#!/usr/bin/env python3
"""Sends a message, waits until it has arrived, and lists the newest ones. With Python's standard library alone.

    examples/send.py [TO [TEXT [ORDER]]]

ORDER makes the message one of a kind: the same ORDER twice is one message. See README.md beside this.
"""
import json
import os
import pathlib
import ssl
import sys
import time
import urllib.error
import urllib.request
import uuid

URL = os.environ.get("SKYLARK_URL", "https://127.0.0.1:8443")
CA = os.environ.get("SKYLARK_CA", str(pathlib.Path.home() / ".local/share/skylark/ca.pem"))


class ApiError(Exception):
    def __init__(self, answer):
        field = f" (field {answer['field']})" if "field" in answer else ""
        super().__init__(f"{answer['code']}: {answer['message']}{field}")
        self.retry_after = answer.get("retryAfter")


def request(method, path, body=None, headers=None):
    call = urllib.request.Request(URL + path, method=method)
    call.add_header("Authorization", "Bearer " + os.environ.get("SKYLARK_API_KEY", ""))
    for name, value in (headers or {}).items():
        call.add_header(name, value)
    if body is not None:
        call.data = json.dumps(body).encode()
        call.add_header("Content-Type", "application/json")
    try:
        with urllib.request.urlopen(call, context=ssl.create_default_context(cafile=CA)) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        raise ApiError(json.load(error)) from None


def patiently(*call):
    """Tries again what is worth it: the server says when. Thanks to the key nothing is sent twice."""
    for tries in range(3):
        try:
            return request(*call)
        except ApiError as error:
            if error.retry_after is None or tries == 2:
                raise
            time.sleep(error.retry_after)


def main(to="+15551234567", text="Hello from Python", order=None):
    once = {"Idempotency-Key": order or str(uuid.uuid4())}
    message = patiently("POST", "/v1/send", {"to": to, "text": text}, once)
    print(f"accepted {message['messageId']}: {message['status']}")
    while message["status"] in ("scheduled", "queued", "sent"):
        time.sleep(0.2)
        before = message["status"]
        message = patiently("GET", "/v1/messages/" + message["messageId"])
        if message["status"] != before:
            print("now", message["status"])
    print("newest messages:")
    for entry in patiently("GET", "/v1/messages?limit=3")["data"]:
        print(f"  {entry['messageId']}  {entry['status']}  {entry['to']}")
    return 0 if message["status"] == "delivered" else 1


try:
    sys.exit(main(*sys.argv[1:]))
except ApiError as error:
    sys.exit(str(error))
