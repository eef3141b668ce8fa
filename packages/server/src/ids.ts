import { createHash, randomBytes } from "node:crypto";

/** An id that cannot be guessed, of 16 letters, digits, `-` and `_`. */
export function newId(): string {
  return randomBytes(12).toString("base64url");
}

/** What only its holder knows: 256 random bits behind a name that tells what it is for. */
export function newSecret(name: string): string {
  return `${name}_${randomBytes(32).toString("base64url")}`;
}

/** What is kept of a secret. It is random, so that no slow hash is needed. */
export function hashOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}
