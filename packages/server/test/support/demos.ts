import { cpSync } from "node:fs";
import { inject } from "vitest";

/** Puts a short demo recording of each format into `folder`; none of them was written just now. */
export async function makeDemos(folder: string): Promise<void> {
  const answer = await fetch(inject("demos"));
  const made = await answer.text();
  if (!answer.ok) throw new Error(made);
  cpSync(made, folder, { recursive: true, preserveTimestamps: true });
}
