# shellcheck shell=bash
# Webhooks, from the change of a status to the request at a receiver over HTTPS (bench/receiver.c),
# which answers at once and notes when each event came. Sourced by script/bench.

RECEIVER=$ROOT/build/bench/receiver
RECEIVER_PID=
RECEIVER_URL=
DEAD_PID=
DEAD_PORT=

receiver_listens() { RECEIVER_URL=$(head -n 1 "$TMP/receiver/out" 2>/dev/null) && [[ -n $RECEIVER_URL ]]; }

receiver_start() {
    mkdir -p "$TMP/receiver"
    chmod 700 "$TMP/receiver"
    rm -f "$TMP/receiver/out" "$TMP/receiver/log"
    "$RECEIVER" "$TMP/receiver" "$TMP/receiver/log" >"$TMP/receiver/out" 2>&1 &
    RECEIVER_PID=$!
    disown
    wait_for 10 receiver_listens || die "the receiver does not start: $(tail -n 3 "$TMP/receiver/out")"
}

receiver_stop() {
    [[ -z $RECEIVER_PID ]] || stop_pid "$RECEIVER_PID"
    RECEIVER_PID=
}

stop_hooks() {
    receiver_stop
    dead_close
}

# hooks_start NAME: a server whose webhooks may reach the receiver; the simulator answers at once.
hooks_start() {
    SKYLARK_WEBHOOKS_ALLOW_LOCALHOST=on SKYLARK_WEBHOOKS_CA=$TMP/receiver/ca.pem \
        SKYLARK_SIMULATOR_ANSWER=0 SKYLARK_SIMULATOR_DELIVERY=0 server_start "$1"
}

# endpoint NAME URL: the id of a new endpoint for sent and delivered.
endpoint() {
    api "$1" /v1/webhooks --json "{\"url\":\"$2\",\"events\":[\"message.sent\",\"message.delivered\"]}" | jq -r .webhookId
}

# switch NAME ID true|false
switch() { api "$1" "/v1/webhooks/$2" -X PATCH --json "{\"enabled\":$3}" >/dev/null; }

received() { wc -l <"$TMP/receiver/log"; }
has_received() { (($(received) >= $1)); }
pending() { api "$1" "/v1/webhooks/$2" | jq .pendingDeliveries; }
is_pending() { (($(pending "$1" "$2") >= $3)); }

# latency PERCENT [PATTERN]: in ms, of the requests whose path matches.
latency() {
    awk -v path="${2:-.}" '$3 ~ path { print $2 }' "$TMP/receiver/log" | sort -g |
        awk -v p="$1" '{ v[NR] = $1 } END { printf "%.2f", v[int((NR - 1) * p / 100) + 1] / 1000 }'
}

# --- how soon -------------------------------------------------------------------------------------

part_told() {
    local p95
    receiver_start
    rm -rf "$TMP/told"
    hooks_start told
    server_key told
    endpoint told "$RECEIVER_URL/all" >/dev/null
    run_pace_clean told --send --expect 201 --rate 500 --seconds 2
    wait_for 30 has_received 2000 || die "only $(received) of 2,000 events arrived"
    : >"$TMP/receiver/log"
    run_pace_clean told --send --expect 201 --rate 500 --seconds "$LATENCY_SECONDS"
    wait_for 30 has_received $((1000 * LATENCY_SECONDS)) || die "only $(received) events arrived"
    p95=$(latency 95)
    row "webhooks: p95 from the change of status to the receiver, 1,000 events/s" "$p95 ms" \
        "p50 $(latency 50) ms, p99 $(latency 99) ms" "≤ 50 ms" "$p95 <= 50"
    server_stop told
    receiver_stop
}

# --- a long queue, and how fast it goes ------------------------------------------------------------

resident() { awk -v what="^$2" '$0 ~ what { printf "%.1f", $2 / 1024 }' "/proc/${SERVER_PID[$1]}/status"; }

part_parked() {
    local id begin parked peak rate bare
    receiver_start
    rm -rf "$TMP/parked"
    hooks_start parked
    server_key parked
    id=$(endpoint parked "$RECEIVER_URL/all")
    switch parked "$id" false
    say "  parking $(thousands "$MESSAGES") deliveries"
    run_pace_clean parked --send --expect 201 --requests $((MESSAGES / 2)) --seconds 900
    wait_for 300 is_pending parked "$id" "$MESSAGES" || die "only $(pending parked "$id") deliveries wait"
    kill -KILL "${SERVER_PID[parked]}"
    server_stop parked
    hooks_start parked
    sleep 2
    parked=$(resident parked VmRSS)
    switch parked "$id" true
    wait_for 60 has_received 5000 || die "nothing arrives"
    begin=$(wc -l <"$TMP/receiver/log")
    sleep "$LATENCY_SECONDS"
    rate=$(calc "($(received) - $begin) / $LATENCY_SECONDS" 0)
    peak=$(resident parked VmHWM)
    server_stop parked
    wrk_receiver
    bare=$(field rate "$WRK")
    row "webhooks: delivered, signed, to one receiver" "$(thousands "$rate")/s" \
        "$(calc "$rate / $bare" 2) × what wrk gets from it ($(thousands "$bare")/s)" "≥ 5,000/s" "$rate >= 5000"
    row "webhooks: resident memory, $(thousands "$MESSAGES") parked" "$parked MiB" "after kill -9 and start" "≤ 128 MiB" "$parked <= 128"
    row "webhooks: most resident memory while they go out" "$peak MiB" "" "≤ 128 MiB" "$peak <= 128"
    receiver_stop
}

# The receiver alone, with bodies like those of webhooks.
wrk_receiver() { run_wrk "${RECEIVER_URL#https://}" hook.lua; }

# --- one that is dead among a hundred --------------------------------------------------------------

# Takes connections and never says a word.
dead_open() {
    rm -f "$TMP/dead.out"
    python3 -c '
import socket, time
s = socket.create_server(("127.0.0.1", 0), backlog=512)
print(s.getsockname()[1], flush=True)
held = []
while True:
    held.append(s.accept())
' >"$TMP/dead.out" 2>&1 &
    DEAD_PID=$!
    disown
    wait_for 10 test -s "$TMP/dead.out" || die "the dead receiver does not start"
    DEAD_PORT=$(head -n 1 "$TMP/dead.out")
}

dead_close() {
    [[ -z $DEAD_PID ]] || stop_pid "$DEAD_PID"
    DEAD_PID=
}

# A hundred endpoints of ten accounts; the first of them is at URL.
dead_round() {
    local i n url keys=() load pids=()
    rm -rf "$TMP/dead"
    hooks_start dead
    : >"$TMP/receiver/log"
    for ((i = 0; i < 10; i++)); do
        "$PROGRAM" accounts create "a$i" --data-dir "$TMP/dead" >/dev/null 2>&1
        server_key dead --account "a$i"
        keys+=("$BENCH_KEY")
        for ((n = 0; n < 10; n++)); do
            url=$RECEIVER_URL/good
            ((i + n > 0)) || url=$1
            endpoint dead "$url" >/dev/null
        done
    done
    for ((i = 0; i < 10; i++)); do
        BENCH_KEY=${keys[i]} "$PACE" --connect "${SERVER_ADDRESS[dead]}" --ca "$TMP/dead/ca.pem" --send --expect 201 \
            --connections 1 --rate 5 --seconds "$LATENCY_SECONDS" >/dev/null &
        pids+=($!)
    done
    for load in "${pids[@]}"; do wait "$load" || die "pace failed"; done
    wait_for 30 has_received $((990 * LATENCY_SECONDS)) || die "only $(received) events arrived"
    P99=$(latency 99 /good)
    server_stop dead
}

part_dead() {
    local round
    receiver_start
    dead_open
    : >"$TMP/all_well.figures" && : >"$TMP/one_dead.figures" && : >"$TMP/dead_ratio.figures"
    for ((round = 1; round <= ROUNDS + 2; round++)); do
        dead_round "$RECEIVER_URL/other"
        local calm=$P99
        dead_round "https://127.0.0.1:$DEAD_PORT/dead"
        note all_well "$calm" one_dead "$P99" dead_ratio "$(calc "$P99 / $calm")"
        say "  dead round $round: p99 $P99 ms beside a dead endpoint, $calm ms without"
    done
    row "webhooks: p99 of 99 endpoints beside a dead one" "$(figure one_dead) ms" \
        "$(calc "$(figure dead_ratio)" 2) × with all well ($(figure all_well) ms), 10 events/s each" "≤ 1.05 ×" "$(figure dead_ratio) <= 1.05"
    dead_close
    receiver_stop
}
