import { hash, verify } from "@node-rs/argon2";

export const SHORTEST_PASSWORD = 8;
export const LONGEST_PASSWORD = 256;

/** argon2id, as OWASP has it: 19 MiB, twice, one lane. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

export function hashPassword(password: string): Promise<string> {
  return hash(password, COST);
}

/** Of no password: an account that is not there takes as long as one that is. */
let none: Promise<string> | null = null;

/** `kept` null: there is no such account, or it has no password; it takes as long. */
export async function isPassword(kept: string | null, password: string): Promise<boolean> {
  none ??= hashPassword("no password is this one");
  const isSame = await verify(kept ?? (await none), password);
  return kept !== null && isSame;
}
