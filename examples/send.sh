#!/bin/sh
# Sends a message, waits until it has arrived, and lists the newest ones. With curl and jq.
#
#   examples/send.sh [TO [TEXT [ORDER]]]
#
# ORDER makes the message one of a kind: the same ORDER twice is one message. See README.md beside this.
set -eu

url=${SKYLARK_URL:-https://127.0.0.1:8443}
ca=${SKYLARK_CA:-$HOME/.local/share/skylark/ca.pem}
to=${1:-+15551234567}
text=${2:-Hello from curl}
order=${3:-$(cat /proc/sys/kernel/random/uuid)}

# call PATH [ARGUMENT-OF-CURL]...: prints the answer. An error is explained and ends the program. What is
# worth another try (429, 503) curl tries again by itself, when Retry-After says so.
call() {
    path=$1
    shift
    answer=$(printf 'Authorization: Bearer %s\n' "${SKYLARK_API_KEY:-}" |
        curl -sS --cacert "$ca" --retry 3 -H @- -w '\n%{http_code}' "$@" "$url$path")
    body=${answer%????}
    case $answer in
    *2??) printf '%s\n' "$body" ;;
    *)
        printf '%s\n' "$body" | jq -r '"\(.code): \(.message)" + if .field then " (field \(.field))" else "" end' >&2
        return 1
        ;;
    esac
}

message=$(call /v1/send -H "Idempotency-Key: $order" --data-urlencode "to=$to" --data-urlencode "text=$text")
id=$(printf '%s' "$message" | jq -r .messageId)
status=$(printf '%s' "$message" | jq -r .status)
echo "accepted $id: $status"

while [ "$status" = scheduled ] || [ "$status" = queued ] || [ "$status" = sent ]; do
    sleep 0.2
    before=$status
    message=$(call "/v1/messages/$id")
    status=$(printf '%s' "$message" | jq -r .status)
    [ "$status" = "$before" ] || echo "now $status"
done

echo 'newest messages:'
call '/v1/messages?limit=3' | jq -r '.data[] | "  \(.messageId)  \(.status)  \(.to)"'
[ "$status" = delivered ]
