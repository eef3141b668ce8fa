/** Writes the types of the client from what the built server says: `npm run client`. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json, startNode } from "../packages/server/test/support/node.ts";
import { clientTypes, type Document } from "./client-types.ts";

const folder = mkdtempSync(join(tmpdir(), "simtape-client-"));
const node = await startNode([folder]);
try {
  const source = clientTypes(await json<Document>(node.address, "/openapi.json"));
  writeFileSync(new URL("../packages/simtape/src/client/routes.ts", import.meta.url), source);
} finally {
  await node.stop();
  rmSync(folder, { recursive: true, force: true });
}
