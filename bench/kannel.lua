-- Kannel's sendsms with the same text, and a receipt asked for as Skylark asks for one, but without a
-- URL to report it to: telling clients is no part of this.
dofile(os.getenv("BENCH_DIR") .. "/report.lua")

local TEXT = "Your+parcel+4711+is+here.+Pick+it+up+by+Friday,+bring+your+I"

wrk.method = "GET"
wrk.path = "/cgi-bin/sendsms?username=bench&password=bench&from=18005550199&to=%2B12125550123&coding=0&dlr-mask=31&text=" .. TEXT
