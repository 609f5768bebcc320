-- GET of a path from the file $BENCH_PATHS, another one for each thread. One fixed request a thread,
-- as for nginx and for sends: a Lua function called for every request would cost wrk time that the
-- ratio then counts against the server.
dofile(os.getenv("BENCH_DIR") .. "/report.lua")

local threads = 0

function setup(thread)
    thread:set("thread_number", threads)
    threads = threads + 1
end

function init()
    local paths = {}
    for path in io.lines(os.getenv("BENCH_PATHS")) do
        paths[#paths + 1] = path
    end
    assert(#paths > 0, "no paths")
    wrk.path = paths[thread_number % #paths + 1]
    wrk.headers["Authorization"] = "Bearer " .. os.getenv("BENCH_KEY")
end
