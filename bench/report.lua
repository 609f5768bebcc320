-- The end of every wrk run: its sums as JSON in the file $BENCH_OUT. Used alone for nginx, where
-- wrk then sends one fixed GET; the other scripts load it. No response() anywhere: it would make
-- wrk build Lua tables for every answer and the ratio would measure wrk.
function done(summary, latency)
    local e = summary.errors
    local out = assert(io.open(os.getenv("BENCH_OUT"), "w"))
    out:write(string.format(
        '{"answers":%d,"seconds":%.6f,"rate":%.1f,"p50_us":%d,"p99_us":%d,' ..
        '"refused":%d,"connect":%d,"read":%d,"write":%d,"timeout":%d}\n',
        summary.requests, summary.duration / 1e6, summary.requests / (summary.duration / 1e6),
        latency:percentile(50), latency:percentile(99),
        e.status, e.connect, e.read, e.write, e.timeout))
    out:close()
end
