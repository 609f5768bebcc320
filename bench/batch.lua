-- POST /v1/messages/batch with 1,000 messages of 60 characters: one fixed request, as for nginx.
dofile(os.getenv("BENCH_DIR") .. "/send.lua")

wrk.path = "/v1/messages/batch"
wrk.body = '{"messages":[' .. string.rep(wrk.body, 1000, ",") .. "]}"
