import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { s3Store, type Store } from "simtape";
import { directoryStore } from "simtape/node";
import { afterAll, beforeAll, describe } from "vitest";
import { type CephBucket, describeWithCeph } from "../../../simtape/test/support/ceph.ts";
import { type NewDatabase, describeDatabases } from "./databases.ts";
import { startNats, type TestNats, withoutNats } from "./nats.ts";
import { startPostgres, type TestPostgres, withoutPostgres } from "./postgres.ts";

/** A server as it can be set up, and the store that it serves. */
export interface SetUp {
  /** For `simtape serve`. */
  readonly words: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
  readonly library: Store;
}

/**
 * Runs the same tests over a folder with the embedded database, over one with PostgreSQL, and over S3 with PostgreSQL and
 * NATS: what is not installed is skipped, and says so.
 */
export function describeSetUps(name: string, tests: (setUp: () => Promise<SetUp>) => void): void {
  describeDatabases(name, (database) => tests(folderSetUp(database)));

  const without = withoutPostgres ?? withoutNats;
  describe.skipIf(without !== null)(`${name}, PostgreSQL and NATS${without === null ? "" : ` (${without})`}`, () => {
    describeWithCeph("S3", (bucket) => {
      let postgres: TestPostgres;
      let nats: TestNats;
      const data = mkdtempSync(join(tmpdir(), "simtape-server-"));
      beforeAll(async () => {
        [postgres, nats] = await Promise.all([startPostgres(), startNats()]);
      });
      afterAll(async () => {
        await Promise.all([postgres.stop(), nats.stop()]);
        rmSync(data, { recursive: true, force: true });
      });
      tests(async () => {
        const parts = ["--data", data, "--database", await postgres.database(), "--bus", nats.address];
        return { ...bucketSetUp(bucket()), words: [`s3://${bucket().bucket}/tapes`, ...parts, "--access", "open"] };
      });
    });
  });
}

function folderSetUp(database: NewDatabase): () => Promise<SetUp> {
  const folder = mkdtempSync(join(tmpdir(), "simtape-server-"));
  const path = join(folder, "a library");
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return async () => ({ words: [path, ...(await database())], environment: {}, library: directoryStore(path) });
}

function bucketSetUp(bucket: CephBucket): Pick<SetUp, "environment" | "library"> {
  const { endpoint, credentials } = bucket;
  return {
    library: s3Store({ ...bucket, prefix: "tapes" }),
    environment: {
      AWS_ENDPOINT_URL: endpoint,
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    },
  };
}
