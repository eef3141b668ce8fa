import { tmpdir } from "node:os";
import { expect } from "vitest";
import { json, until } from "./node.ts";

/** A job that writes files, when it is over. */
export interface FileJob {
  readonly id: number;
  readonly state: string;
  readonly error: string | null;
  readonly result: { readonly files: readonly { readonly name: string; readonly bytes: number }[] } | null;
}

/** Asks for something of a recording: `exports`, `renders`. */
export function post(address: string, recording: string, what: string, body: object): Promise<Response> {
  return fetch(`${address}/api/recordings/${recording}/${what}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

/** The job with an id, once it is done or has failed; where the server keeps its files is not in it. */
export async function jobOver(address: string, id: number): Promise<FileJob> {
  const job = await until(
    () => json<FileJob>(address, `/api/jobs/${id}`),
    ({ state }) => state === "done" || state === "failed",
  );
  expect(JSON.stringify(job)).not.toContain(tmpdir());
  return job;
}

/** Asks for something that a job makes, and waits for the job. */
export async function jobOf(address: string, recording: string, what: string, body: object): Promise<FileJob> {
  const answer = await post(address, recording, what, body);
  expect(answer.status).toBe(202);
  const { id } = (await answer.json()) as { id: number };
  return await jobOver(address, id);
}

/** The first file of a job. */
export async function fileOf(address: string, { id, error, result }: FileJob): Promise<Buffer> {
  expect(error).toBeNull();
  const answer = await fetch(`${address}/api/jobs/${id}/files/${encodeURIComponent(result!.files[0]!.name)}`);
  expect(answer.status).toBe(200);
  return Buffer.from(await answer.arrayBuffer());
}
