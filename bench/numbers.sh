# shellcheck shell=bash
# Numbers: how soon analytics answer, what counting costs the sender, and what watching costs the
# server. Sourced by script/bench.

WATCHERS=()

stop_numbers() {
    local pid
    for pid in "${WATCHERS[@]}"; do
        stop_pid "$pid"
    done
    WATCHERS=()
}

# --- how soon analytics answer --------------------------------------------------------------------

ANALYTICS=(
    '/v1/analytics/usage?period=30d'
    '/v1/analytics/usage?period=30d&interval=hour'
    '/v1/analytics/usage?period=30d&interval=hour&messageType=otp'
    '/v1/analytics/usage?period=30d&interval=week&tag=spring'
    '/v1/analytics/delivery?period=30d'
    '/v1/analytics/delivery?period=30d&interval=hour'
    '/v1/analytics/delivery?period=30d&interval=hour&country=US'
    '/v1/analytics/delivery?period=30d&interval=hour&from=%2B18005551234'
    '/v1/analytics/costs?period=30d'
    '/v1/analytics/costs?period=30d&interval=hour'
    '/v1/analytics/costs?period=30d&interval=month&tag=login&country=GB'
)

# stored NAME COUNT: a server on a store of so many messages of the last 30 days.
stored() {
    mkdir -p "$TMP/$1"
    chmod 700 "$TMP/$1"
    say "  storing $(thousands "$2") messages"
    say "  stored in $(field seconds "$("$ROOT/build/bench/fill" "$TMP/$1/skylark.db" "$2")") s"
    server_start "$1" && server_key "$1" && KEYS[$1]=$BENCH_KEY
    [[ $(total_count "$1") == "$2" ]] || die "$1: $(total_count "$1") messages stored, not $2"
}

# Both servers take turns, so that both see the same noise: the ratio is the median of those of nine
# turns, each of 20 requests to one and to the other.
measure_analytics() {
    local path i many ratio slowest=0 slowest_path worst=0 worst_path
    for path in "${ANALYTICS[@]}"; do
        rm -f "$TMP"/{few,many}.times
        for ((i = 0; i < 9; i++)); do
            answer_times few few "$path"
            answer_times many many "$path"
        done
        many=$(median <"$TMP/many.times")
        ratio=$(paste "$TMP/many.times" "$TMP/few.times" | awk '{ printf "%.4f\n", $1 / $2 }' | median)
        say "  $path: $many µs, $ratio × with fewer"
        if holds "$many > $slowest"; then slowest=$many slowest_path=$path; fi
        if holds "$ratio > $worst"; then worst=$ratio worst_path=$path; fi
    done
    slowest=$(calc "$slowest / 1000" 2)
    row "slowest of ${#ANALYTICS[@]} analytics over 30 days, $(thousands "$STORED") stored" \
        "$slowest ms" "$slowest_path" "≤ 20 ms" "$slowest <= 20"
    row "the same beside $(thousands "$((STORED / 100))") stored, worst ratio" "$(calc "$worst" 2) ×" \
        "$worst_path" "≤ 1.5 ×" "$worst <= 1.5"
}

answer_times() {
    BENCH_KEY=${KEYS[$2]} run_pace_clean "$2" --connections 1 --requests 20 --path "$3"
    field p50_us "$PACE_RESULT" >>"$TMP/$1.times"
}

part_analytics() {
    declare -A KEYS=()
    stop_all
    rm -rf "$TMP/few" "$TMP/many"
    stored few $((STORED / 100))
    stored many "$STORED"
    measure_analytics
    measure_books
    server_stop few
    server_stop many
    rm -rf "$TMP/few" "$TMP/many"
}

# The books of the larger store, every message counted again.
measure_books() {
    local begin seconds
    begin=$(now)
    "$PROGRAM" doctor --books --data-dir "$TMP/many" >"$TMP/books.out" 2>&1 ||
        die "the books are not right: $(tail -n 3 "$TMP/books.out")"
    seconds=$(calc "($(now) - $begin) / 1000000" 1)
    row "skylark doctor --books, $(thousands "$STORED") stored" "$seconds s" "0 differences" "" -
}

# --- what counting costs --------------------------------------------------------------------------

# The same program without rollups and pulse, which nobody would want but this comparison.
build_uncounted() {
    local dir=$ROOT/build-uncounted
    [[ -f $dir/build.ninja ]] || meson setup "$dir" "$ROOT" -Drollups=false >&2
    ninja -C "$dir" skylark >&2
}

# counting_round NAME SCRIPT
counting_round() {
    run_wrk "${SERVER_ADDRESS[$1]}" "$2"
    drain "$1" 300
    field rate "$WRK" >>"$TMP/$1.rates"
}

# compare_counting LABEL SCRIPT: both servers in turn.
compare_counting() {
    local round name counted uncounted
    rm -f "$TMP/counting.ratios" "$TMP"/{counted,uncounted}.rates
    for ((round = 1; round <= 2 * ROUNDS; round++)); do
        for name in uncounted counted; do
            BENCH_KEY=${KEYS[$name]} counting_round "$name" "$2"
        done
        uncounted=$(tail -n 1 "$TMP/uncounted.rates") counted=$(tail -n 1 "$TMP/counted.rates")
        say "  round $round: counted $(thousands "$counted")/s, uncounted $(thousands "$uncounted")/s"
        calc "$counted / $uncounted" 4 >>"$TMP/counting.ratios"
        printf '\n' >>"$TMP/counting.ratios"
    done
    row "$1" "$(thousands "$(median <"$TMP/counted.rates")")/s" \
        "$(calc "$(median <"$TMP/counting.ratios")" 3) × without ($(thousands \
            "$(median <"$TMP/uncounted.rates")")/s)" "≥ 0.90" \
        "$(median <"$TMP/counting.ratios") >= 0.90"
}

part_counting() {
    declare -A KEYS=()
    stop_all
    build_uncounted
    rm -rf "$TMP/counted" "$TMP/uncounted"
    server_start counted && server_key counted && KEYS[counted]=$BENCH_KEY
    PROGRAM=$ROOT/build-uncounted/skylark server_start uncounted
    server_key uncounted && KEYS[uncounted]=$BENCH_KEY
    compare_counting "sending with rollups and pulse beside without" send.lua
    compare_counting "the same, messages of a hundred series in turn" mixed.lua
    server_stop counted
    server_stop uncounted
}

# --- what watching costs --------------------------------------------------------------------------

# Clock ticks that a server has used.
ticks() { awk '{ print $14 + $15 }' "/proc/${SERVER_PID[$1]}/stat"; }

# busy NAME SECONDS: its share of a core, in percent.
busy() {
    local before
    before=$(ticks "$1")
    sleep "$2"
    calc "($(ticks "$1") - $before) / $(getconf CLK_TCK) / $2 * 100" 2
}

# watch NAME COUNT FILE: so many clients that follow the statistics.
watch_stats() {
    local i
    for ((i = 0; i < $2; i++)); do
        curl -sN --cacert "$TMP/$1/ca.pem" -H 'Accept: text/event-stream' -H @- \
            "https://${SERVER_ADDRESS[$1]}/v1/stats/live" <<<"Authorization: Bearer $BENCH_KEY" \
            >>"$3.$i" 2>/dev/null &
        WATCHERS+=($!)
        disown
    done
}

# Two accounts, because one may have 64 streams. With a little traffic, so that there is something to
# tell.
part_watched() {
    local alone together told
    stop_all
    rm -rf "$TMP/watched" "$TMP"/frames.*
    server_start watched && server_key watched
    alone=$(busy watched 10)
    watch_stats watched 50 "$TMP/frames.a"
    "$PROGRAM" accounts create --data-dir "$TMP/watched" second >/dev/null
    server_key watched --account second
    watch_stats watched 50 "$TMP/frames.b"
    sleep 3
    together=$(busy watched 20)
    told=$(cat "$TMP"/frames.* | grep -c '^event: stats' || true)
    stop_numbers
    ((told >= 100 * 20)) || die "100 streams told only $told times in over 20 seconds"
    row "100 streams of live statistics" "$(calc "$together - $alone" 2) % of a core" \
        "idle without them $alone %" "≤ 3 %" "$together - $alone <= 3"
    server_stop watched
}
