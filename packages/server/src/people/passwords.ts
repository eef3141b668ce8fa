import { randomInt } from "node:crypto";
import { hash, verify } from "@node-rs/argon2";

export const SHORTEST_PASSWORD = 8;
export const LONGEST_PASSWORD = 256;

/** Letters that are not confused with each other when they are read out. */
const LETTERS = "abcdefghjkmnpqrstuvwxyz23456789";

/** Makes a password to read out or copy once: 99 random bits in four groups. */
export function newPassword(): string {
  const group = (): string => Array.from({ length: 5 }, () => LETTERS[randomInt(LETTERS.length)]).join("");
  return [group(), group(), group(), group()].join("-");
}

/** argon2id with the parameters of OWASP: 19 MiB, two passes, one lane. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

export function hashPassword(password: string): Promise<string> {
  return hash(password, COST);
}

/** A hash that matches no password: checking a missing account takes as long as checking one that exists. */
let none: Promise<string> | null = null;

/** `kept` null: the account does not exist or has no password; the check takes the same time. */
export async function isPassword(kept: string | null, password: string): Promise<boolean> {
  none ??= hashPassword("no password is this one");
  const isSame = await verify(kept ?? (await none), password);
  return kept !== null && isSame;
}
