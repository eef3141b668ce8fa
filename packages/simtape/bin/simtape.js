#!/usr/bin/env node
"use strict";

// Reads of files wait behind what disks are asked to keep, where four threads do both. It counts before the first use of
// a file alone, so that this is no module.
process.env["UV_THREADPOOL_SIZE"] ??= "16";
void import("../dist/cli/main.js");
