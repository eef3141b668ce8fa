import { sql } from "kysely";
import { isReachedFromElsewhere } from "simtape/serving";
import type { Query } from "../database/database.ts";
import type { Settings } from "../settings.ts";

/** Thrown when other machines could use a server without signing in and no setting says that this is intended. */
export class AccessError extends Error {
  override readonly name = "AccessError";
}

/** Whether there is an account that can sign in. */
export async function hasAccounts(query: Query): Promise<boolean> {
  const { rows } = await sql`
    select 1 from users where not disabled and (password is not null or subject is not null) limit 1`.execute(query);
  return rows.length > 0;
}

/** Decides whether clients must sign in. */
export interface Openness {
  /** Whether every client that reaches the server is an administrator now. */
  isOpen(): Promise<boolean>;
}

/**
 * Resolves `settings.access`. Throws `AccessError` when other machines reach the server, there is no account, and no
 * setting says that it shall be open.
 */
export async function opennessOf(settings: Settings, query: Query): Promise<Openness> {
  const { access, host, publicOrigin, oidcIssuer } = settings;
  if (access !== "auto") return { isOpen: () => Promise.resolve(access === "open") };
  const closed = { isOpen: () => Promise.resolve(false) };
  if (oidcIssuer !== null) return closed;
  const names = [host, ...(publicOrigin === null ? [] : [new URL(publicOrigin).hostname.replace(/^\[|\]$/g, "")])];
  for (const name of names) {
    if (!(await isReachedFromElsewhere(name))) continue;
    if (await hasAccounts(query)) return closed;
    throw new AccessError(
      `others reach ${name}, and there is no account yet: make one with simtape user add NAME --role admin (and the same store, --data or --database), or say --access open`,
    );
  }
  return { isOpen: async () => !(await hasAccounts(query)) };
}
