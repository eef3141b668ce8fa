import type { TestProject } from "vitest/node";
import { type CephServer, startCeph } from "./ceph-server.ts";
import { deskOf } from "./desk.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Where a test learns of the run's S3 server. */
    readonly ceph: string;
  }
}

let starting: Promise<CephServer> | null = null;
const desk = deskOf(async () => {
  starting ??= startCeph();
  const { endpoint, accessKeyId, secretAccessKey } = await starting;
  return JSON.stringify({ endpoint, accessKeyId, secretAccessKey });
});

/** One S3 server for all files of a run: started when the first of them asks, ended with the run. */
export async function setup(project: TestProject): Promise<void> {
  project.provide("ceph", await desk.open());
}

export async function teardown(): Promise<void> {
  desk.close();
  await (await starting?.catch(() => null))?.stop();
}
