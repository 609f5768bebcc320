-- POST /v1/send with 60 characters of text. One fixed request, as for nginx: a Lua function called
-- for every request would cost wrk more than the server's answer costs the server. wrk counts
-- answers of 400 and above; that the others were 201 and durable is checked by the caller, who
-- compares totalCount before and after.
dofile(os.getenv("BENCH_DIR") .. "/report.lua")

local TEXT = "Your parcel 4711 is here. Pick it up by Friday, bring your I"
assert(#TEXT == 60)

wrk.method = "POST"
wrk.path = "/v1/send"
wrk.headers["Authorization"] = "Bearer " .. os.getenv("BENCH_KEY")
wrk.headers["Content-Type"] = "application/json"
wrk.body = string.format('{"to":"+12125550123","text":"%s"}', TEXT)
