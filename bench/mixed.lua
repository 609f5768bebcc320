-- Sends of a hundred series in turn: countries, message types and tags. A function is called for every
-- request, which costs wrk time: only for comparing servers with each other.
dofile(os.getenv("BENCH_DIR") .. "/report.lua")

local numbers = {
    "+12125550100", "+447700900123", "+4915112345678", "+33612345678", "+34612345678",
    "+393201234567", "+31612345678", "+46701234567", "+919876543210", "+5511987654321",
}
local types = { "transactional", "otp", "alert", "marketing", "promotional" }
local tags = { "", ',"tags":["spring"]' }
local requests, turn = {}, 0

function init()
    wrk.method = "POST"
    wrk.headers["Authorization"] = "Bearer " .. os.getenv("BENCH_KEY")
    wrk.headers["Content-Type"] = "application/json"
    for _, number in ipairs(numbers) do
        for _, type in ipairs(types) do
            for _, tag in ipairs(tags) do
                local body = string.format('{"to":"%s","text":"Hello","messageType":"%s"%s}', number, type, tag)
                requests[#requests + 1] = wrk.format(nil, "/v1/send", nil, body)
            end
        end
    end
end

function request()
    turn = turn % #requests + 1
    return requests[turn]
end
