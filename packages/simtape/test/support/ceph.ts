import { randomBytes } from "node:crypto";
import { beforeAll, describe, inject } from "vitest";
import type { S3Credentials, S3Options } from "../../src/index.ts";
import { S3Client } from "../../src/io/s3/s3-client.ts";
import { isCephInstalled } from "./ceph-server.ts";

/** Where a test's bucket is: options for `s3Store`. */
export interface CephBucket extends S3Options {
  readonly endpoint: string;
  readonly credentials: S3Credentials;
}

/**
 * Tests against a real S3 server, which all tests of a run share, with a bucket of their own; `bucket()` is for use in
 * tests and hooks. Skipped where Ceph is not installed, and says so.
 */
export function describeWithCeph(name: string, tests: (bucket: () => CephBucket) => void): void {
  const install = "apt-get install --no-install-recommends radosgw ceph-mon ceph-osd ceph-common";
  describe.skipIf(!isCephInstalled)(isCephInstalled ? name : `${name} (no Ceph: ${install})`, () => {
    let made: CephBucket | null = null;
    // Starting the server takes some ten seconds, on a busy machine more.
    beforeAll(async () => {
      made = await makeBucket();
    }, 180_000);
    tests(() => made!);
  });
}

async function makeBucket(): Promise<CephBucket> {
  const answer = await fetch(inject("ceph"));
  if (!answer.ok) throw new Error(await answer.text());
  const { endpoint, accessKeyId, secretAccessKey } = (await answer.json()) as S3Credentials & { endpoint: string };
  const bucket = `test-${randomBytes(6).toString("hex")}`;
  const options = { endpoint, bucket, credentials: { accessKeyId, secretAccessKey } };
  await new S3Client(options).ask({ method: "PUT", key: null, repeatable: true });
  return options;
}
