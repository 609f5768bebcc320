-- POST /v1/send: 60 characters of text, another recipient each time. The requests are made before
-- the clock starts. wrk counts answers of 400 and above; that the others were 201 and durable is
-- checked by the caller, who compares totalCount before and after.
dofile(os.getenv("BENCH_DIR") .. "/report.lua")

local REQUESTS = 4096
local TEXT = "Your parcel 4711 is here. Pick it up by Friday, bring your I"
local requests, at = {}, 0
local threads = 0

function setup(thread)
    thread:set("first", threads * REQUESTS)
    threads = threads + 1
end

function init()
    assert(#TEXT == 60)
    local headers = {
        ["Authorization"] = "Bearer " .. os.getenv("BENCH_KEY"),
        ["Content-Type"] = "application/json",
    }
    for i = 1, REQUESTS do
        local body = string.format('{"to":"+1212%07d","text":"%s"}', first + i, TEXT)
        requests[i] = wrk.format("POST", "/v1/send", headers, body)
    end
end

function request()
    at = at % REQUESTS + 1
    return requests[at]
end
