-- The send of send.lua, each with an Idempotency-Key that was never used before. That takes a Lua
-- function for every request, which nginx's fixed request does not: the ratio errs on the strict
-- side. The bytes around the key are made once.
dofile(os.getenv("BENCH_DIR") .. "/send.lua")

local threads = 0
local before, after, prefix
local serial = 0

function setup(thread)
    thread:set("thread_number", threads)
    threads = threads + 1
end

function init()
    wrk.headers["Idempotency-Key"] = "@"
    local whole = wrk.format()
    before, after = whole:match("^(.-Idempotency%-Key: )@(.*)$")
    assert(before, "no place for the key")
    prefix = os.getenv("BENCH_SALT") .. "-" .. thread_number .. "-"
end

function request()
    serial = serial + 1
    return before .. prefix .. serial .. after
end
