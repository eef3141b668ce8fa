import { createHash, randomBytes } from "node:crypto";

/** An id that cannot be guessed, of 16 letters, digits, `-` and `_`. */
export function newId(): string {
  return randomBytes(12).toString("base64url");
}

/** A secret for its holder alone: 256 random bits after a prefix that says what it is for. */
export function newSecret(name: string): string {
  return `${name}_${randomBytes(32).toString("base64url")}`;
}

/** The hash of a secret, as the database stores it. The secret is random, so no slow hash is needed. */
export function hashOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}
