-- GET over the paths in the file $BENCH_PATHS, one per line, in turn. The requests are made before
-- the clock starts. Each thread begins at another place.
dofile(os.getenv("BENCH_DIR") .. "/report.lua")

local requests, at = {}, 0
local threads = 0

function setup(thread)
    thread:set("thread_number", threads)
    threads = threads + 1
end

function init()
    local headers = { ["Authorization"] = "Bearer " .. os.getenv("BENCH_KEY") }
    for path in io.lines(os.getenv("BENCH_PATHS")) do
        requests[#requests + 1] = wrk.format("GET", path, headers)
    end
    assert(#requests > 0, "no paths")
    at = math.floor(#requests / 2) * thread_number
end

function request()
    at = at % #requests + 1
    return requests[at]
end
