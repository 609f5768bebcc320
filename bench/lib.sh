# shellcheck shell=bash
# What every part of script/bench uses: the two servers, the load clients, the table of results.
# The caller sets ROOT, PROGRAM, PACE and TMP.

CONNECTIONS=64
NGINX_PID=
NGINX_ADDRESS=
declare -A SERVER_PID=() SERVER_ADDRESS=()

say() { printf '%s\n' "$*" >&2; }

die() {
    say "bench: $*"
    exit 1
}

now() { printf '%s' "${EPOCHREALTIME/[.,]/}"; } # microseconds

calc() { awk "BEGIN { printf \"%.${2:-3}f\", $1 }"; }

holds() { awk "BEGIN { exit !($1) }"; }

median() { sort -g | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }

field() { jq -r ".$1" <<<"$2"; }

thousands() { printf '%.0f\n' "$1" | sed -e :a -e 's/\B[0-9]\{3\}\>/,&/' -e ta; }

# --- processes ------------------------------------------------------------------------------

# wait_for SECONDS COMMAND...: true as soon as the command is.
wait_for() {
    local end=$((SECONDS + $1))
    shift
    until "$@"; do
        ((SECONDS < end)) || return 1
        sleep 0.02
    done
}

# Stops a child by its pid; one that does not go within 30 seconds is killed and reported.
stop_pid() {
    local pid=$1
    kill -TERM "$pid" 2>/dev/null || return 0
    if ! wait_for 30 gone "$pid"; then
        kill -KILL "$pid" 2>/dev/null || true
        say "bench: process $pid did not stop within 30 s and was killed"
    fi
}

# A child that ended but is not yet waited for is a zombie: gone as well.
gone() { [[ ! -e /proc/$1 ]] || grep -q '^State:.Z' "/proc/$1/status" 2>/dev/null; }

stop_all() {
    local name
    for name in "${!SERVER_PID[@]}"; do
        stop_pid "${SERVER_PID[$name]}"
    done
    SERVER_PID=()
    [[ -z $NGINX_PID ]] || stop_pid "$NGINX_PID"
    NGINX_PID=
}

# --- nginx ----------------------------------------------------------------------------------

nginx_body() {
    local head='{"messageId":"msg_0000000000000000","status":"queued","text":"' tail='"}'
    printf '%s%*s%s' "$head" $((330 - ${#head} - ${#tail})) '' "$tail" | tr ' ' x
}

nginx_prepare() {
    local dir=$TMP/nginx
    mkdir -p "$dir"
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 \
        -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1,DNS:localhost \
        -keyout "$dir/key.pem" -out "$dir/cert.pem" 2>/dev/null
}

nginx_up() { curl -sf -o /dev/null --cacert "$TMP/nginx/cert.pem" "https://$NGINX_ADDRESS/"; }

nginx_start() {
    local dir=$TMP/nginx port tries
    [[ -z $NGINX_PID ]] || return 0
    nginx_prepare
    for tries in 1 2 3 4 5; do
        port=$((20000 + RANDOM % 10000))
        sed -e "s|@DIR@|$dir|g" -e "s|@PORT@|$port|" -e "s|@BODY@|$(nginx_body)|" \
            "$ROOT/bench/nginx.conf.in" >"$dir/nginx.conf"
        nginx -p "$dir" -c "$dir/nginx.conf" -e "$dir/error.log" -g 'daemon off;' 2>/dev/null &
        NGINX_PID=$!
        NGINX_ADDRESS=127.0.0.1:$port
        sleep 0.2
        if ! gone "$NGINX_PID" && wait_for 5 nginx_up; then
            [[ $(curl -sf --cacert "$dir/cert.pem" "https://$NGINX_ADDRESS/" | wc -c) == 330 ]] ||
                die "nginx does not answer with 330 bytes"
            return 0
        fi
        stop_pid "$NGINX_PID"
        NGINX_PID=
        say "bench: nginx did not start on port $port (try $tries): $(tail -n 1 "$dir/error.log")"
    done
    die "nginx does not start"
}

# --- skylark --------------------------------------------------------------------------------

server_ready() {
    local dir=$TMP/$1
    [[ -s $dir/address && -s $dir/ca.pem ]] || return 1
    SERVER_ADDRESS[$1]=$(sed -e '1!d' -e 's|^[a-z]*://||' -e 's|[/[:space:]]*$||' "$dir/address")
    curl -sf -o /dev/null --cacert "$dir/ca.pem" "https://${SERVER_ADDRESS[$1]}/readyz"
}

# server_start NAME: runs a server whose data are in $TMP/NAME and waits until it is ready.
# START_US is the time from its start to its first 200 of /readyz, as a client sees it.
server_start() {
    local name=$1 dir=$TMP/$1 begin
    mkdir -p "$dir"
    rm -f "$dir/address"
    begin=$(now)
    # shellcheck disable=SC2086 # several words on purpose
    "$PROGRAM" serve --data-dir "$dir" --listen 127.0.0.1:0 --metrics-listen 127.0.0.1:0 ${BENCH_SERVE_ARGS:-} \
        >"$TMP/$name.out" 2>"$TMP/$name.err" &
    SERVER_PID[$name]=$!
    disown # so that the shell does not comment on a kill -9 of ours
    until server_ready "$name"; do
        if gone "${SERVER_PID[$name]}" || (($(now) - begin > 60000000)); then
            tail -n 5 "$TMP/$name.err" >&2
            die "the server does not become ready"
        fi
        sleep 0.005
    done
    # shellcheck disable=SC2034 # read by script/bench
    START_US=$(($(now) - begin))
}

server_stop() {
    stop_pid "${SERVER_PID[$1]}"
    unset "SERVER_PID[$1]"
}

# server_key NAME [OPTION]...: a key without limits, unless the options say otherwise; kept in the
# environment, away from process lists.
server_key() {
    local name=$1
    shift
    BENCH_KEY=$("$PROGRAM" keys create --data-dir "$TMP/$name" --name bench --type "${KEY_TYPE:-test}" \
        --plan unlimited "$@" -o json | jq -r .key)
    [[ $BENCH_KEY == sl_*_* ]] || die "no key from 'skylark keys create'"
    export BENCH_KEY
}

# api NAME PATH [curl arguments]: the body of a 2xx answer.
api() {
    local name=$1 path=$2
    shift 2
    curl -sS --fail-with-body --max-time 30 --cacert "$TMP/$name/ca.pem" \
        -H @- "https://${SERVER_ADDRESS[$name]}$path" "$@" <<<"Authorization: Bearer $BENCH_KEY"
}

total_count() { api "$1" '/v1/messages?limit=1' | jq .pagination.totalCount; }

delivered() { [[ $(api "$1" "/v1/messages/$2" | jq -r .status) == delivered ]]; }

# Waits until the simulator has delivered what was sent before: its work would otherwise be
# measured as somebody else's. Sends one more message and follows it.
drain() {
    local name=$1 id begin=$SECONDS
    id=$(api "$name" /v1/send --json '{"to":"+12125550100","text":"last of this round"}' |
        jq -r .messageId)
    wait_for "${2:-60}" delivered "$name" "$id" ||
        say "bench: deliveries still running after ${2:-60} s; the next figures suffer from it"
    ((SECONDS - begin < 5)) || say "  (waited $((SECONDS - begin)) s for deliveries)"
    sleep 0.3
}

# --- load -----------------------------------------------------------------------------------

# run_wrk ADDRESS SCRIPT: sets WRK to the sums of a run. Anything but success ends the bench.
run_wrk() {
    local trouble
    rm -f "$TMP/wrk.json"
    BENCH_OUT=$TMP/wrk.json BENCH_DIR=$ROOT/bench wrk -t 2 -c "$CONNECTIONS" -d "${DURATION}s" \
        --timeout 5s -s "$ROOT/bench/$2" "${SCHEME:-https}://$1/" >"$TMP/wrk.out" 2>&1 ||
        die "wrk failed: $(tail -n 3 "$TMP/wrk.out")"
    WRK=$(cat "$TMP/wrk.json") || die "wrk left no result: $(tail -n 3 "$TMP/wrk.out")"
    trouble=$(jq '.refused + .connect + .read + .write + .timeout' <<<"$WRK")
    [[ $trouble == 0 ]] || die "$2: not every request was answered with success: $WRK"
}

# run_pace NAME ARGS...: sets PACE_RESULT. NAME is a server's, or nginx.
run_pace() {
    local name=$1 address ca
    shift
    if [[ $name == nginx ]]; then
        address=$NGINX_ADDRESS ca=$TMP/nginx/cert.pem
    else
        address=${SERVER_ADDRESS[$name]} ca=$TMP/$name/ca.pem
    fi
    PACE_RESULT=$("$PACE" --connect "$address" --ca "$ca" "$@") || die "pace failed"
}

# The same, and everything must have been answered as expected.
run_pace_clean() {
    run_pace "$@"
    [[ $(jq '.unexpected + .broken + .unsent + .stalled' <<<"$PACE_RESULT") == 0 ]] ||
        die "pace: not every request was answered as expected: $PACE_RESULT"
}

# --- results --------------------------------------------------------------------------------

# row MEASURE FIGURE RATIO GOAL CONDITION: a condition for awk, or '-' where there is no goal.
row() {
    local verdict=-
    if [[ $5 != - ]]; then
        if holds "$5"; then verdict=ok; else verdict=MISSED; fi
    fi
    printf '%s\t%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "$4" "$verdict" >>"$TMP/rows"
    say "  $1: $2${3:+ ($3)}${4:+, goal $4}: $verdict"
}

# Ticks of all processors: all, and those that the host took for others while we wanted them.
processor_ticks() { awk '/^cpu / { for (i = 2; i <= 9; i++) all += $i; print all, $9 }' /proc/stat; }

# stolen BEFORE: the share of the processors that the host has taken since, in per cent.
stolen() {
    local -a before now
    read -ra before <<<"$1"
    read -ra now <<<"$(processor_ticks)"
    calc "100 * (${now[1]} - ${before[1]}) / (${now[0]} - ${before[0]} + 1)" 1
}

machine() {
    local model
    model=$(lscpu | sed -n 's/^Model name: *//p' | head -n 1)
    printf '%s cores (%s), %s, kernel %s, %s; %s, %s, wrk %s; %s; the host took %s %% of the processors' \
        "$(nproc)" "${model:-unknown}" "$(uname -m)" "$(uname -r)" \
        "$(awk '/^MemTotal/ { printf "%.0f GiB", $2 / 1048576 }' /proc/meminfo)" \
        "$("$PROGRAM" version 2>/dev/null | head -n 1 || true)" \
        "$(nginx -v 2>&1 | sed 's/.*: //')" \
        "$(wrk -v 2>&1 | sed -n '1s/^wrk \([^ ]*\).*/\1/p')" \
        "$(date -u +%Y-%m-%d)" "$(stolen "$TICKS")"
}

print_table() {
    local head=$'measure\tfigure\tratio or limit\tgoal\tverdict'
    machine
    printf '\n\n'
    if [[ $1 == markdown ]]; then
        printf '%s\n---\t---\t---\t---\t---\n' "$head" | cat - "$TMP/rows" |
            sed -e 's/\t/ | /g' -e 's/^/| /' -e 's/$/ |/'
    else
        printf '%s\n' "$head" | cat - "$TMP/rows" | column -t -s $'\t' -o ' | '
    fi
}
