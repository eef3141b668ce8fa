import { randomInt } from "node:crypto";
import { hash, verify } from "@node-rs/argon2";

export const SHORTEST_PASSWORD = 8;
export const LONGEST_PASSWORD = 256;

/** Letters that are not taken for one another when they are read out. */
const LETTERS = "abcdefghjkmnpqrstuvwxyz23456789";

/** One that is read out or copied once: 99 random bits in four groups. */
export function newPassword(): string {
  const group = (): string => Array.from({ length: 5 }, () => LETTERS[randomInt(LETTERS.length)]).join("");
  return [group(), group(), group(), group()].join("-");
}

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
