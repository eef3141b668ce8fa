/** npm run client: writes the types of the client from the OpenAPI document of the built server. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json, startNode } from "../../server/test/support/node.ts";
import type { OpenAPI3 } from "openapi-typescript";
import { clientTypes } from "./types.ts";

const folder = mkdtempSync(join(tmpdir(), "simtape-client-"));
const node = await startNode([folder]);
try {
  const source = await clientTypes(await json<OpenAPI3>(node.address, "/openapi.json"));
  writeFileSync(new URL("../src/openapi.ts", import.meta.url), source);
} finally {
  await node.stop();
  rmSync(folder, { recursive: true, force: true });
}
