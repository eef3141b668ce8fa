import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestProject } from "vitest/node";
import { type CephServer, startCeph } from "./ceph-server.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Where a test learns of the run's S3 server. */
    readonly ceph: string;
  }
}

const desk = createServer();
let starting: Promise<CephServer> | null = null;

/** One S3 server for all files of a run: started when the first of them asks, ended with the run. */
export async function setup(project: TestProject): Promise<void> {
  desk.on("request", (_request, response) => {
    starting ??= startCeph();
    starting.then(
      ({ endpoint, accessKeyId, secretAccessKey }) =>
        response.end(JSON.stringify({ endpoint, accessKeyId, secretAccessKey })),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => desk.listen(0, "127.0.0.1", resolve));
  project.provide("ceph", `http://127.0.0.1:${(desk.address() as AddressInfo).port}/`);
}

export async function teardown(): Promise<void> {
  desk.close();
  desk.closeAllConnections();
  await (await starting?.catch(() => null))?.stop();
}
