import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { memoryStore } from "../../src/io/store/memory-store.ts";
import { directoryStore } from "../../src/io/node/directory-store.ts";
import { s3Store } from "../../src/io/s3/s3.ts";
import type { Store } from "../../src/io/store/store.ts";
import { describeWithCeph } from "../support/ceph.ts";
import { describeSource } from "../conformance/describe-source.ts";
import { describeStore } from "../conformance/describe-store.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "simtape-stores-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

let count = 0;

describeStore("memory", async () => memoryStore(), { isRewritable: true });
describeStore("directory", async () => directoryStore(join(folder, `${count++}`, "store")), { isRewritable: true });

describeWithCeph("on a real S3 server", (bucket) => {
  const make = async (): Promise<Store> =>
    s3Store({ ...bucket(), prefix: `date=2026/ä b+c (1)/${count++}`, partSize: 5 << 20 });

  describeStore("S3", make, { isRewritable: false, large: 5_500_000, runs: 8 });
  describeSource("an object of S3", async (bytes) => {
    const store = await make();
    await store.put("a", bytes);
    return (await store.source("a"))!;
  });
});
