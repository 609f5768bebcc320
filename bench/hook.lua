-- What a webhook's request comes to, one fixed one: how fast the receiver is for a client that does
-- nothing else.
dofile(os.getenv("BENCH_DIR") .. "/report.lua")

wrk.method = "POST"
wrk.path = "/bare"
wrk.headers["Content-Type"] = "application/json"
wrk.headers["X-Service-Signature"] = "sha256=" .. string.rep("0", 64)
wrk.body = '{"id":"evt_00000000000","timestamp":"2026-01-01T00:00:00.000Z","data":"' .. string.rep("x", 800) .. '"}'
