# shellcheck shell=bash
# MMS, from the API to the report: images of 100 KB are fetched from nginx over HTTPS and go to an
# MMSC over MM7 (bench/mmsc.c), which reports each as retrieved. Sourced by script/bench.

MMSC=$ROOT/build/bench/mmsc
MMSC_PID=
MMSC_URL=
MMS_WINDOW=200
MMS_IMAGES=64 # so many different ones
MMS_BATCH=1000
SMS_SECONDS=4 # of a turn
FLOOD_PID=

mmsc_listens() { MMSC_URL=$(head -n 1 "$TMP/mmsc.out" 2>/dev/null) && [[ -n $MMSC_URL ]]; }

# mmsc_start NAME: an MMSC that brings its reports to the server NAME.
mmsc_start() {
    rm -f "$TMP/mmsc.out"
    chrt --idle 0 "$MMSC" "$TMP/$1/mm7-address" /mm7/mmsc >"$TMP/mmsc.out" 2>"$TMP/mmsc.err" &
    MMSC_PID=$!
    disown
    wait_for 10 mmsc_listens || die "the MMSC does not start: $(tail -n 3 "$TMP/mmsc.err")"
}

mmsc_stop() {
    [[ -z $MMSC_PID ]] || stop_pid "$MMSC_PID"
    MMSC_PID=
}

stop_mms() { flood_stop && mmsc_stop; }

# Files that begin as JPEG does, each with other bytes behind.
images_make() {
    local i dir=$TMP/nginx/media
    mkdir -p "$dir"
    for ((i = 0; i < MMS_IMAGES; i++)); do
        { printf '\xff\xd8\xff\xe0\x00\x10JFIF\x00' && head -c 102389 /dev/urandom; } >"$dir/$i.jpg"
    done
}

# batch_body FIRST: a batch of MMS, the same images in turn.
batch_body() {
    awk -v n="$MMS_BATCH" -v images="$MMS_IMAGES" -v at="https://$NGINX_ADDRESS/media" 'BEGIN {
        printf "{\"messages\":["
        for (i = 0; i < n; i++)
            printf "%s{\"to\":\"+1212555%04d\",\"text\":\"Look at this\",\"mediaUrls\":[\"%s/%d.jpg\"]}", i ? "," : "", i % 10000, at, i % images
        printf "]}"
    }'
}

mms_config() {
    live_config "$1" "$(printf '[media]\nallow_localhost = on\nca = %s\n[mm7]\nlisten = 127.0.0.1:0\n' "$TMP/nginx/cert.pem"
        printf '[mmsc mmsc]\nurl = %s/mm7\nwindow = %s\n' "$MMSC_URL" "$MMS_WINDOW"
        carrier_section sink "$SINK_PORT")"
    sed -i 's/^type = toll-free$/&\ncapabilities = sms mms/' "$TMP/$1/skylark.ini"
}

mms_start() {
    sink_start
    mkdir -p "$TMP/mms"
    mmsc_start mms
    mms_config mms
    live_start mms
    wait_for 10 carrier_bound mms sink || die "Skylark does not bind"
}

mms_stop() {
    server_stop mms
    mmsc_stop
    sink_stop
    rm -rf "$TMP/mms"
}

mms_sent() { api mms /v1/messages/batch --json "@$TMP/batch.json" >"$TMP/mms.answer" || die "the batch was refused: $(head -c 300 "$TMP/mms.answer")"; }
mms_arrived() { (($(status_total mms delivered) >= $1)); }
mms_busy() { (($(status_total mms queued) > MMS_WINDOW)); }

# idly ARGUMENT-OF-PACE...: a load that takes what others leave of the machine, until flood_stop.
idly() {
    chrt --idle 0 "$PACE" --connections 16 --seconds 60 "$@" >/dev/null &
    FLOOD_PID=$!
    disown
}

# More MMS than go, one by one; some wait from the first.
mms_flood() {
    mms_sent
    idly --connect "${SERVER_ADDRESS[mms]}" --ca "$TMP/mms/ca.pem" --send --expect 201 --prefix 1313 \
        --media "https://$NGINX_ADDRESS/media" --rate "$((MMS_RATE * 3 / 2))"
    wait_for 20 mms_busy || die "no MMS wait to go"
}

# As many of the same images as go, from nginx to a program that has nothing to do with the server.
image_flood() {
    idly --connect "$NGINX_ADDRESS" --ca "$TMP/nginx/cert.pem" --path /media/0.jpg
    sleep 1
}

flood_stop() {
    [[ -z $FLOOD_PID ]] || stop_pid "$FLOOD_PID"
    FLOOD_PID=
}

# How many go in a second, and the memory it takes.
mms_round() {
    # shellcheck disable=SC2153 # script/bench sets it
    local begin total=$((MMS_BATCH * MMS_BATCHES)) i
    mms_start
    begin=$(monotonic)
    for ((i = 0; i < MMS_BATCHES; i++)); do mms_sent; done
    wait_for 300 mms_arrived "$total" ||
        die "$(status_total mms delivered) of $total were delivered, $(status_total mms failed) failed: $(tail -n 2 "$TMP/mms.err")"
    MMS_RATE=$(calc "$total / (($(monotonic) - $begin) / 1000000)" 0)
    MMS_RSS=$(awk '/^VmHWM/ { printf "%.1f", $2 / 1024 }' "/proc/${SERVER_PID[mms]}/status")
    mms_stop
}

# sms_p99 RATE: p99 in ms of POST /v1/send; from 201 to submit_sm is in WAIT_P99.
sms_p99() {
    : >"$TMP/sink.log"
    run_pace_clean mms --send --expect 201 --rate "$1" --seconds "$SMS_SECONDS" --log "$TMP/sent.log"
    sleep 1
    SMS_P99=$(calc "$(field p99_us "$PACE_RESULT") / 1000" 2)
    WAIT_P99=$(wait_p99 "$TMP/sent.log")
}

mms_gone() { (($(status_total mms queued) == 0)); }

# beside LOAD NAME: the same sends beside a load, into the figures NAME and NAME_wait.
beside() {
    "$1"
    sms_p99 "$MMS_SMS_RATE"
    if [[ $1 == mms_* ]]; then
        mms_busy || die "not as many MMS were sent as could go"
    fi
    flood_stop
    wait_for 120 mms_gone || die "MMS that waited did not go"
    note "$2" "$SMS_P99" "$2_wait" "$WAIT_P99"
    LINE+=", $2 $SMS_P99 ($WAIT_P99)"
}

# Turns are short and ratios are those of neighbours, because the machine has better and worse seconds.
mms_beside() {
    local turn alone name
    mms_start
    for ((turn = 1; turn <= MMS_TURNS; turn++)); do
        LINE=
        beside : alone
        alone=$SMS_P99
        for name in images:image_flood mms:mms_flood; do
            beside "${name#*:}" "${name%:*}"
            note "${name%:*}_change" "$(calc "$SMS_P99 / $alone")"
        done
        say "  p99 in ms of sending SMS (from 201 to submit_sm)$LINE"
    done
    mms_stop
}

# The media server and the MMSC are other machines in real life: what they do here must not be taken
# for what the server does.
media_start() {
    local pid
    [[ -z $NGINX_PID ]] || stop_pid "$NGINX_PID"
    NGINX_PID=
    nginx_start
    for pid in "$NGINX_PID" $(pgrep -P "$NGINX_PID"); do chrt --idle --pid 0 "$pid"; done
}

media_stop() {
    stop_pid "$NGINX_PID"
    NGINX_PID=
}

part_mms() {
    local round name
    media_start
    images_make
    batch_body >"$TMP/batch.json"
    for name in mms_rate mms_rss {alone,images,mms}{,_wait,_change}; do : >"$TMP/$name.figures"; done
    for ((round = 1; round <= ROUNDS; round++)); do
        mms_round
        note mms_rate "$MMS_RATE" mms_rss "$MMS_RSS"
        say "  mms round $round: $(thousands "$MMS_RATE")/s, $MMS_RSS MiB"
    done
    mms_beside
    media_stop
    row "MMS of 100 KB, accepted to delivered" "$(thousands "$(figure mms_rate)")/s" "$(thousands $((MMS_BATCH * MMS_BATCHES))) messages" "≥ 300/s" "$(figure mms_rate) >= 300"
    row "most resident memory then, $MMS_WINDOW in flight" "$(figure mms_rss) MiB" "" "≤ 160 MiB" "$(figure mms_rss) <= 160"
    row "p99 of sending SMS beside MMS at full rate" "$(figure mms) ms" "$(calc "$(figure mms_change)" 2) × alone ($(figure alone) ms), $(thousands "$MMS_SMS_RATE")/s" "≤ 1.1 ×" "$(figure mms_change) <= 1.1"
    row "the same, beside images that other programs move" "$(figure images) ms" "$(calc "$(figure images_change)" 2) × alone" "" -
    row "p99 from 201 to submit_sm beside MMS at full rate" "$(figure mms_wait) ms" "alone $(figure alone_wait) ms" "" -
}
