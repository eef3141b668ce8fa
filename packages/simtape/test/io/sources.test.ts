import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { gzipSync } from "fflate";
import { afterAll, beforeAll } from "vitest";
import { blob } from "../../src/io/source/blob.ts";
import { cached } from "../../src/io/source/cached.ts";
import { coalesced } from "../../src/io/source/coalesced.ts";
import { counted } from "../../src/io/source/counted.ts";
import { http } from "../../src/io/http/http.ts";
import { inflated } from "../../src/io/zip/inflated.ts";
import { memory } from "../../src/io/source/memory.ts";
import { fileSource } from "../../src/io/node/file-source.ts";
import { fileSpool } from "../../src/io/node/spool.ts";
import { stdin } from "../../src/io/node/stdin.ts";
import type { ByteSource } from "../../src/io/source/source.ts";
import { slice } from "../../src/io/source/window.ts";
import { describeSource } from "../conformance/describe-source.ts";
import { chunked, serve, type TestServer } from "./bad-server.ts";

let folder = "";
/** What a source under test does not close itself. */
const parents: ByteSource[] = [];
const servers: TestServer[] = [];
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "simtape-sources-"));
});
afterAll(async () => {
  await Promise.all(parents.map((source) => source.close()));
  rmSync(folder, { recursive: true });
  await Promise.all(servers.map((server) => server.close()));
});

let files = 0;
function onDisk(bytes: Uint8Array): ByteSource {
  const path = join(folder, `${files++}.bin`);
  writeFileSync(path, bytes);
  return fileSource(path);
}

async function served(bytes: Uint8Array): Promise<ByteSource> {
  const server = await serve(bytes);
  servers.push(server);
  return http(server.url);
}

async function servedWhole(bytes: Uint8Array): Promise<ByteSource> {
  const server = await serve(bytes, chunked);
  servers.push(server);
  return http(server.url);
}

function inside(bytes: Uint8Array): ByteSource {
  const around = new Uint8Array(bytes.length + 200).fill(0xee);
  around.set(bytes, 77);
  return slice(memory(around), 77, bytes.length, "part");
}

function piped(bytes: Uint8Array): ByteSource {
  const pieces = Array.from({ length: Math.ceil(bytes.length / 7000) }, (_, i) =>
    bytes.subarray(i * 7000, (i + 1) * 7000),
  );
  return stdin({ input: Readable.from(pieces, { objectMode: true }), spool: fileSpool(folder) });
}

describeSource("memory", async (bytes) => memory(bytes));
describeSource("memory of Node's bytes", async (bytes) => memory(Buffer.from(bytes)));
describeSource("blob", async (bytes) => blob(new Blob([bytes.slice()])));
describeSource("file", async (bytes) => onDisk(bytes));
describeSource("http", served);
describeSource("http without ranges", servedWhole);
describeSource("cached http", async (bytes) => cached(await served(bytes), { block: 10_000, limit: 60_000 }));
describeSource("coalesced file", async (bytes) => coalesced(onDisk(bytes), { gap: 500, limit: 20_000 }));
describeSource("cached coalesced http", async (bytes) => cached(coalesced(await served(bytes)), { block: 4096 }));
describeSource("counted", async (bytes) => counted(memory(bytes)));
describeSource("slice", async (bytes) => inside(bytes));
describeSource("slice of a file to its end", async (bytes) => {
  const file = onDisk(bytes);
  parents.push(file);
  return slice(file, 0, 10_000_000);
});
describeSource("inflated memory", async (bytes) => inflated(memory(gzipSync(bytes))));
describeSource("inflated file with a spool", async (bytes) =>
  inflated(onDisk(gzipSync(bytes)), { spool: fileSpool(folder) }),
);
describeSource("standard input", async (bytes) => piped(bytes));
