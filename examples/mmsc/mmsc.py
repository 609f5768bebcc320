#!/usr/bin/env python3
"""A carrier of MMS for your own machine: prints the messages that Skylark hands over, keeps their
files, and reports each as retrieved. A line typed here is a message from a handset:

    +15551234567 Look at this picture.png

    mmsc.py [--port 8085] [--media-port 8086] [--listener http://127.0.0.1:8444/mm7/local]

It also serves a picture over HTTPS, so that there is something to send. Needs nothing but Python
and, for that certificate, openssl.
"""
import argparse
import email
import itertools
import mimetypes
import os
import ssl
import struct
import subprocess
import sys
import threading
import time
import urllib.request
import xml.etree.ElementTree as ET
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from xml.sax.saxutils import escape

MM7 = 'http://www.3gpp.org/ftp/Specs/archive/23_series/23.140/schema/REL-6-MM7-1-4'
SOAP = 'http://schemas.xmlsoap.org/soap/envelope/'
FOLDER = 'mmsc-files'
run = format(int(time.time()) & 0xfffff, 'x')  # so that no two runs use the same name
numbers = itertools.count(1)


def picture():
    """A PNG of 64 by 64 that goes from red to blue."""
    def chunk(name, data):
        return struct.pack('>I', len(data)) + name + data + struct.pack('>I', zlib.crc32(name + data))
    rows = b''.join(b'\0' + bytes(v for x in range(64) for v in (255 - 4 * x, 0, 4 * x)) for _ in range(64))
    return (b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', 64, 64, 8, 2, 0, 0, 0))
            + chunk(b'IDAT', zlib.compress(rows)) + chunk(b'IEND', b''))


def envelope(transaction, inside):
    return (f'<?xml version="1.0" encoding="UTF-8"?><env:Envelope xmlns:env="{SOAP}"><env:Header>'
            f'<mm7:TransactionID xmlns:mm7="{MM7}" env:mustUnderstand="1">{escape(transaction)}</mm7:TransactionID>'
            f'</env:Header><env:Body>{inside}</env:Body></env:Envelope>').encode()


def post(body, content_type):
    """To the listener of Skylark; its StatusCode."""
    request = urllib.request.Request(options.listener, body, {'Content-Type': content_type, 'SOAPAction': '""'})
    try:
        with urllib.request.urlopen(request, timeout=10) as response:
            return ET.fromstring(response.read()).findtext('.//{*}StatusCode')
    except OSError as error:
        return f'nothing: {error}'


def report(message_id):
    time.sleep(1)
    code = post(envelope(f'report-{message_id}', f'<DeliveryReportReq xmlns="{MM7}"><MM7Version>6.8.0</MM7Version>'
                         f'<MessageID>{message_id}</MessageID><MMStatus>Retrieved</MMStatus></DeliveryReportReq>'), 'text/xml')
    print(f'{message_id}  reported as Retrieved; Skylark answered {code}', flush=True)


def read_submit(content_type, body):
    """(transaction, sender, recipient, [(type, name, bytes)]) of a SubmitReq."""
    mail = email.message_from_bytes(b'Content-Type: ' + content_type.encode() + b'\r\n\r\n' + body)
    leaves = [part for part in mail.walk() if not part.is_multipart()]
    soap = ET.fromstring(leaves[0].get_payload(decode=True))
    address = [''.join(soap.find(f'.//{{*}}{name}').itertext()).strip() for name in ('SenderAddress', 'Recipients')]
    files = [(p.get_content_type(), p.get('Content-Location', 'file'), p.get_payload(decode=True)) for p in leaves[1:]]
    return soap.findtext('.//{*}TransactionID'), *address, files


class Mmsc(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers['Content-Length']))
        transaction, sender, recipient, files = read_submit(self.headers['Content-Type'], body)
        message_id = f'{run}-{next(numbers)}'
        print(f'{message_id}  {sender} -> {recipient}', flush=True)
        for kind, name, content in files:
            if kind == 'text/plain':
                print(f'    {content.decode()}')
            elif kind != 'application/smil':
                path = os.path.join(FOLDER, f'{message_id}-{os.path.basename(name)}')
                with open(path, 'wb') as file:
                    file.write(content)
                print(f'    {kind}, {len(content)} bytes: {path}', flush=True)
        answer = envelope(transaction, f'<SubmitRsp xmlns="{MM7}"><MM7Version>6.8.0</MM7Version><Status><StatusCode>1000</StatusCode>'
                          f'<StatusText>Success</StatusText></Status><MessageID>{message_id}</MessageID></SubmitRsp>')
        self.send_response(200)
        self.send_header('Content-Type', 'text/xml; charset=utf-8')
        self.send_header('Content-Length', str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)
        threading.Thread(target=report, args=(message_id,), daemon=True).start()

    def log_message(self, *_):
        pass


class Media(BaseHTTPRequestHandler):
    def do_GET(self):
        content = picture()
        self.send_response(200)
        self.send_header('Content-Type', 'image/png')
        self.send_header('Content-Length', str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


def deliver(line):
    """A message from a handset: a number, words, and names of files among them."""
    number, *words = line.split()
    files = [word for word in words if os.path.isfile(word)]
    text = ' '.join(word for word in words if word not in files)
    soap = envelope(f'deliver-{run}-{next(numbers)}', f'<DeliverReq xmlns="{MM7}"><MM7Version>6.8.0</MM7Version><Sender><Number>{escape(number)}</Number></Sender>'
                    f'<Recipients><To><Number>{options.to}</Number></To></Recipients><Content href="cid:content"/></DeliverReq>')
    parts = [('text/xml; charset=utf-8\r\nContent-ID: <soap>', soap), ('text/plain; charset=utf-8', text.encode())]
    for name in files:
        with open(name, 'rb') as file:
            parts.append((mimetypes.guess_type(name)[0] or 'application/octet-stream', file.read()))
    body = b''.join(b'--b0undary\r\nContent-Type: ' + kind.encode() + b'\r\n\r\n' + content + b'\r\n' for kind, content in parts)
    code = post(body + b'--b0undary--\r\n', 'multipart/related; type="text/xml"; start="<soap>"; boundary=b0undary')
    print(f'delivered; Skylark answered {code}', flush=True)


def serve(port, handler, tls=None):
    try:
        server = ThreadingHTTPServer(('127.0.0.1', port), handler)
    except OSError as error:
        sys.exit(f'port {port}: {error.strerror}; --port and --media-port choose others')
    if tls:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


def certificate():
    """For 127.0.0.1, made once; it is its own authority."""
    cert, key = os.path.join(FOLDER, 'media.pem'), os.path.join(FOLDER, 'media.key')
    if not os.path.exists(cert):
        subprocess.run(['openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '365', '-subj', '/CN=media',
                        '-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', cert], check=True, stderr=subprocess.DEVNULL)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(cert, key)
    return tls


arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
arguments.add_argument('--port', type=int, default=8085, help='where messages are taken')
arguments.add_argument('--media-port', type=int, default=8086, help='where the picture is')
arguments.add_argument('--listener', default='http://127.0.0.1:8444/mm7/local', help='where Skylark takes reports')
arguments.add_argument('--to', default='+18005551234', help='whom typed messages are to')
options = arguments.parse_args()

os.makedirs(FOLDER, exist_ok=True)
port, media_port = serve(options.port, Mmsc), serve(options.media_port, Media, certificate())
print(f'MMSC     http://127.0.0.1:{port}/mm7\npicture  https://127.0.0.1:{media_port}/cat.png\nfiles    {FOLDER}/', flush=True)
for typed in sys.stdin:
    if typed.strip():
        deliver(typed)
threading.Event().wait()
