#!/usr/bin/env node
// The same as `simtape format new`, with the same words behind it.
process.argv.splice(2, 0, "format", "new");
await import(new URL("bin/simtape.js", import.meta.resolve("simtape/package.json")).href);
