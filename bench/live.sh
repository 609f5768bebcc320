# shellcheck shell=bash
# Live sending, all the way to a carrier: Skylark beside Kannel, both before the same SMSC, which
# answers at once and sends a receipt for each submit_sm (`skylark smsc`). Sourced by script/bench.

LIVE_WINDOW=1000
SINK_PID=
SINK_PORT=
KANNEL_PIDS=()
STALL_PID=

# --- the SMSC -----------------------------------------------------------------------------------

sink_listens() { SINK_PORT=$(sed -n 's/.*127\.0\.0\.1:\([0-9]\{1,\}\).*/\1/p' "$TMP/sink.out" 2>/dev/null | head -n 1) && [[ -n $SINK_PORT ]]; }

# An SMSC on a free port that notes each submit_sm in $TMP/sink.log.
sink_start() {
    rm -f "$TMP/sink.log" "$TMP/sink.out"
    "$PROGRAM" smsc --listen 127.0.0.1:0 --quiet --log "$TMP/sink.log" >"$TMP/sink.out" 2>&1 &
    SINK_PID=$!
    disown
    wait_for 10 sink_listens || die "the SMSC does not start: $(tail -n 3 "$TMP/sink.out")"
}

sink_stop() {
    [[ -z $SINK_PID ]] || stop_pid "$SINK_PID"
    SINK_PID=
}

# submit_rate BEGIN END: submits a second that the SMSC saw between two moments of the monotonic clock.
submit_rate() { awk -v a="$1" -v b="$2" '$1 >= a && $1 < b { n++ } END { printf "%.0f", n / ((b - a) / 1e6) }' "$TMP/sink.log"; }

monotonic() { awk '{ printf "%.0f", $1 * 1e6 }' /proc/uptime; }

# --- Kannel -------------------------------------------------------------------------------------

kannel_bound() { curl -s "http://127.0.0.1:$1/status.txt?password=bench" | grep -q 'sink.*online'; }

kannel_start() {
    local dir=$TMP/kannel base=$((30000 + RANDOM % 10000))
    mkdir -p "$dir"
    sed -e "s/@ADMIN@/$base/" -e "s/@BOX@/$((base + 1))/" -e "s/@SENDSMS@/$((base + 2))/" \
        -e "s/@SMSC@/$SINK_PORT/" -e "s/@WINDOW@/$LIVE_WINDOW/" "$ROOT/bench/kannel.conf.in" >"$dir/kannel.conf"
    KANNEL_ADDRESS=127.0.0.1:$((base + 2))
    (cd "$dir" && exec bearerbox -v 4 kannel.conf) >"$dir/bearerbox.out" 2>&1 &
    KANNEL_PIDS+=($!)
    disown
    wait_for 20 kannel_bound "$base" || die "Kannel does not bind: $(tail -n 3 "$dir/bearerbox.out")"
    (cd "$dir" && exec smsbox -v 4 kannel.conf) >"$dir/smsbox.out" 2>&1 &
    KANNEL_PIDS+=($!)
    disown
    wait_for 20 curl -s -o /dev/null "http://$KANNEL_ADDRESS/" || die "Kannel's smsbox does not listen"
}

# Its memory queue goes with it: that is what it is.
kannel_stop() {
    local pid
    for pid in "${KANNEL_PIDS[@]}"; do
        kill -KILL "$pid" 2>/dev/null || true
    done
    KANNEL_PIDS=()
}

# Whatever of it still runs.
stop_live() {
    kannel_stop
    sink_stop
    [[ -z $STALL_PID ]] || stop_pid "$STALL_PID"
}

kannel_round() {
    local begin end
    sink_start
    kannel_start
    begin=$(monotonic)
    SCHEME=http run_wrk "$KANNEL_ADDRESS" kannel.lua
    end=$(monotonic)
    ACCEPTS=$(field rate "$WRK")
    SUBMITS=$(submit_rate "$begin" "$end")
    kannel_stop
    sink_stop
}

# --- Skylark ------------------------------------------------------------------------------------

# live_config NAME SECTIONS: the configuration of a live server.
live_config() {
    mkdir -p "$TMP/$1"
    printf '[sender +18005550199]\ntype = toll-free\n\n%s\n' "$2" >"$TMP/$1/skylark.ini"
}

carrier_section() {
    printf '[carrier %s]\naddress = 127.0.0.1:%s\nsystem_id = bench\npassword = bench\nwindow = %s\n%s\n' \
        "$1" "$2" "$LIVE_WINDOW" "${3:-}"
}

live_start() {
    BENCH_SERVE_ARGS="--config $TMP/$1/skylark.ini" server_start "$1"
    KEY_TYPE=live server_key "$1"
}

status_total() { api "$1" "/v1/messages?limit=1&status=$2" | jq .pagination.totalCount; }
all_delivered() { [[ $(status_total "$1" delivered) == $(total_count "$1") ]]; }

live_round() {
    local begin end
    sink_start
    rm -rf "$TMP/live"
    live_config live "$(carrier_section sink "$SINK_PORT")"
    live_start live
    wait_for 10 carrier_bound live sink || die "Skylark does not bind"
    begin=$(monotonic)
    run_wrk "${SERVER_ADDRESS[live]}" send.lua
    end=$(monotonic)
    ACCEPTS=$(field rate "$WRK")
    SUBMITS=$(submit_rate "$begin" "$end")
    wait_for 120 all_delivered live || die "not all that was accepted was delivered: $(status_total live delivered) of $(total_count live)"
    (($(total_count live) >= $(field answers "$WRK"))) || die "messages that were answered are not stored"
    DELIVERED=$(calc "$(total_count live) / (($(monotonic) - $begin) / 1000000)" 0)
    server_stop live
    sink_stop
}

carrier_bound() { "$PROGRAM" carriers list --data-dir "$TMP/$1" --config "$TMP/$1/skylark.ini" -o json | jq -e ".[] | select(.name == \"$2\") | .state == \"bound\"" >/dev/null; }

part_live() {
    local round name
    for name in k_accepts k_submits accepts submits delivered accept_ratio submit_ratio; do : >"$TMP/$name.figures"; done
    for ((round = 1; round <= ROUNDS; round++)); do
        kannel_round
        local k_accepts=$ACCEPTS k_submits=$SUBMITS
        live_round
        note k_accepts "$k_accepts" k_submits "$k_submits" accepts "$ACCEPTS" submits "$SUBMITS" delivered "$DELIVERED" \
            accept_ratio "$(calc "$ACCEPTS / $k_accepts")" submit_ratio "$(calc "$SUBMITS / $k_submits")"
        say "  live round $round: accepts $(thousands "$ACCEPTS")/s, submits $(thousands "$SUBMITS")/s, delivered $(thousands "$DELIVERED")/s; Kannel $(thousands "$k_accepts")/s, $(thousands "$k_submits")/s"
    done
    row "live: accepted, durable, HTTPS" "$(thousands "$(figure accepts)")/s" \
        "$(calc "$(figure accept_ratio)" 2) × Kannel ($(thousands "$(figure k_accepts)")/s, memory, HTTP)" "≥ 2 ×" "$(figure accept_ratio) >= 2"
    row "live: submitted to the SMSC meanwhile" "$(thousands "$(figure submits)")/s" \
        "$(calc "$(figure submit_ratio)" 2) × Kannel ($(thousands "$(figure k_submits)")/s)" "≥ 6 ×" "$(figure submit_ratio) >= 6"
    row "live: delivered, from the first send to the last receipt" "$(thousands "$(figure delivered)")/s" "" "" -
    LIVE_PEAK=$(figure submits)
}

note() {
    while (($#)); do
        printf '%s\n' "$2" >>"$TMP/$1.figures"
        shift 2
    done
}

figure() { median <"$TMP/$1.figures"; }

# --- how long from 201 to submit_sm -------------------------------------------------------------

# wait_p99 LOG: p99 in ms of the time from the 201 that pace saw to the submit_sm that the SMSC saw.
wait_p99() {
    awk 'NR == FNR { at[$2] = $1; next } { sub(/^\+/, "", $2) } $2 in at { print $1 - at[$2]; delete at[$2] }
        END { for (to in at) { print "lost"; exit } }' "$1" "$TMP/sink.log" >"$TMP/waits"
    ! grep -q lost "$TMP/waits" || die "a message that was answered with 201 never reached the SMSC"
    sort -g "$TMP/waits" | awk '{ v[NR] = $1 } END { printf "%.2f", v[int((NR + 1) * 0.99)] / 1000 }'
}

part_waits() {
    local rate p99
    [[ -n ${LIVE_PEAK:-} ]] || { live_round && LIVE_PEAK=$SUBMITS; }
    rate=$(calc "$LIVE_PEAK / 2" 0)
    sink_start
    rm -rf "$TMP/live"
    live_config live "$(carrier_section sink "$SINK_PORT")"
    live_start live
    wait_for 10 carrier_bound live sink || die "Skylark does not bind"
    run_pace_clean live --send --expect 201 --rate "$rate" --seconds "$LATENCY_SECONDS" --log "$TMP/sent.log"
    wait_for 60 all_delivered live || die "not all was delivered"
    server_stop live
    sink_stop
    p99=$(wait_p99 "$TMP/sent.log")
    row "live: p99 from 201 to submit_sm at half the peak" "$p99 ms" "at $(thousands "$rate")/s" "≤ 50 ms" "$p99 <= 50"
}

# --- a carrier that stalls ----------------------------------------------------------------------

# Half of the messages go to a carrier that takes nothing, or to none at all.
stalled_round() {
    local rate=$1 other=$2 pid=
    sink_start
    rm -rf "$TMP/live"
    live_config live "$(carrier_section sink "$SINK_PORT"
        carrier_section stalled "$STALL_PORT"
        printf '[route good]\ncarrier = sink\nprefix = +1212 +1214\n[route bad]\ncarrier = stalled\nprefix = +1313\n')"
    live_start live
    wait_for 10 carrier_bound live sink || die "Skylark does not bind"
    "$PACE" --connect "${SERVER_ADDRESS[live]}" --ca "$TMP/live/ca.pem" --send --expect 201 --prefix "$other" \
        --rate "$rate" --seconds "$LATENCY_SECONDS" >/dev/null &
    pid=$!
    run_pace_clean live --send --expect 201 --rate "$rate" --seconds "$LATENCY_SECONDS" --log "$TMP/sent.log"
    wait "$pid" || die "pace failed"
    sleep 1
    server_stop live
    sink_stop
    P99=$(wait_p99 "$TMP/sent.log")
}

part_stalled() {
    local rate round
    [[ -n ${LIVE_PEAK:-} ]] || { live_round && LIVE_PEAK=$SUBMITS; }
    rate=$(calc "$LIVE_PEAK / 6" 0)
    : >"$TMP/calm.figures" && : >"$TMP/stall.figures" && : >"$TMP/stall_ratio.figures"
    for ((round = 1; round <= ROUNDS + 2; round++)); do
        stall_port_open
        stalled_round "$rate" 1214
        local calm=$P99
        stalled_round "$rate" 1313
        stall_port_close
        note calm "$calm" stall "$P99" stall_ratio "$(calc "$P99 / $calm")"
        say "  stalled round $round: p99 $P99 ms beside a stalled carrier, $calm ms without"
    done
    row "live: p99 from 201 to submit_sm beside a stalled carrier" "$(figure stall) ms" \
        "$(calc "$(figure stall_ratio)" 2) × with all carriers well ($(figure calm) ms), $(thousands "$rate")/s each" "≤ 1.1 ×" "$(figure stall_ratio) <= 1.1"
}

# A carrier that binds and then answers nothing.
stall_port_open() {
    rm -f "$TMP/stall.out"
    "$PROGRAM" smsc --listen 127.0.0.1:0 --quiet --silent >"$TMP/stall.out" 2>&1 &
    STALL_PID=$!
    disown
    wait_for 10 stall_listens || die "the silent SMSC does not start"
}

stall_listens() { STALL_PORT=$(sed -n 's/.*127\.0\.0\.1:\([0-9]\{1,\}\).*/\1/p' "$TMP/stall.out" 2>/dev/null | head -n 1) && [[ -n $STALL_PORT ]]; }

stall_port_close() {
    stop_pid "$STALL_PID"
    STALL_PID=
}

# --- a long queue -------------------------------------------------------------------------------

# A million messages wait while no carrier is there; then one comes, and the server starts.
part_backlog() {
    local first begin rss i
    rm -rf "$TMP/backlog"
    live_config backlog "$(carrier_section sink 9)"
    live_start backlog
    say "  queueing $(thousands "$MESSAGES") messages"
    run_pace_clean backlog --send --expect 201 --requests "$MESSAGES" --seconds 900
    server_stop backlog
    : >"$TMP/first.figures"
    for i in 1 2 3; do
        sink_start
        live_config backlog "$(carrier_section sink "$SINK_PORT")"
        begin=$(monotonic)
        BENCH_SERVE_ARGS="--config $TMP/backlog/skylark.ini" server_start backlog
        wait_for 20 test -s "$TMP/sink.log" || die "nothing was submitted"
        sleep 3
        rss=$(awk '/^VmHWM/ { printf "%.1f", $2 / 1024 }' "/proc/${SERVER_PID[backlog]}/status")
        kill -KILL "${SERVER_PID[backlog]}"
        server_stop backlog
        sink_stop
        first=$(head -n 1 "$TMP/sink.log" | cut -d ' ' -f 1)
        note first "$(calc "($first - $begin) / 1000000")"
    done
    row "live: start to first submit_sm, $(thousands "$MESSAGES") queued" "$(figure first) s" "median of $i, after kill -9" "≤ 2 s" "$(figure first) <= 2"
    row "live: most resident memory then" "$rss MiB" "" "≤ 128 MiB" "$rss <= 128"
}
