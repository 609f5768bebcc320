-- GET the first page of the list: one fixed request, so wrk needs no request() of ours.
dofile(os.getenv("BENCH_DIR") .. "/report.lua")

wrk.path = "/v1/messages?limit=50"
wrk.headers["Authorization"] = "Bearer " .. os.getenv("BENCH_KEY")
