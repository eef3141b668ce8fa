import { sql } from "kysely";
import type { Query } from "../database/database.ts";
import type { Role } from "../database/tables.ts";
import { Problem } from "../problem.ts";
import { newId } from "../ids.ts";
import { hasAccounts } from "./openness.ts";
import { hashPassword } from "./passwords.ts";

/** The properties of an account that can be changed. */
export interface AccountChange {
  readonly role?: Role | undefined;
  readonly disabled?: boolean | undefined;
  readonly identities?: readonly string[] | undefined;
  /** Null: no password; the user can no longer sign in by name. */
  readonly password?: string | null | undefined;
}

export interface NewAccount extends AccountChange {
  readonly name: string;
  readonly role: Role;
}

/** An account, without its secrets. */
export interface Account {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  readonly identities: readonly string[];
  readonly disabled: boolean;
  readonly hasPassword: boolean;
  /** Whether the user signs in by OpenID Connect. */
  readonly isForeign: boolean;
  readonly made: string;
}

/** The account of users of an open server, before there are other accounts. */
const OPERATOR_ID = "operator";

/** The accounts of a server; used by its routes and by `simtape user`. */
export class Accounts {
  readonly #query: Query;

  constructor(query: Query) {
    this.#query = query;
  }

  /** By name; `operator` only on request. */
  async list(): Promise<readonly Account[]> {
    const rows = await this.#query
      .selectFrom("users")
      .selectAll()
      .where("id", "<>", OPERATOR_ID)
      .orderBy("name")
      .execute();
    return rows.map(({ id, name, role, identities, disabled, password, subject, made }) => ({
      ...{ id, name, role, identities, disabled },
      hasPassword: password !== null,
      isForeign: subject !== null,
      made: made.toISOString(),
    }));
  }

  /** By id or name; null: it does not exist. */
  async find(idOrName: string): Promise<Account | null> {
    const all = await this.list();
    return all.find(({ id }) => id === idOrName) ?? all.find(({ name }) => name === idOrName) ?? null;
  }

  /**
   * Returns the id of the new account. Throws `Problem` when the name exists, or when the first account that can sign
   * in is no admin.
   */
  async add({ name, role, password = null, identities = [], disabled = false }: NewAccount): Promise<string> {
    const clean = name.normalize("NFC").trim();
    if (!/^[^\p{Cc}\p{Cs}]{1,100}$/u.test(clean)) throw new Problem(400, "a name has 1 to 100 characters");
    if (role !== "admin" && password !== null && !(await hasAccounts(this.#query)))
      throw new Problem(409, "the first account that can sign in must be an admin");
    const id = newId();
    const { numInsertedOrUpdatedRows } = await this.#query
      .insertInto("users")
      .values({
        ...{ id, name: clean, role, disabled },
        password: password === null ? null : await hashPassword(password),
        identities: JSON.stringify(identities.map(identityOf)),
      })
      .onConflict((conflict) => conflict.column("name").doNothing())
      .executeTakeFirst();
    if (numInsertedOrUpdatedRows === 0n) throw new Problem(409, `the user ${clean} already exists`);
    return id;
  }

  /**
   * Changes an account by its id. A new password ends all sessions of the account. Disabling the account does the same,
   * and also ends its tokens and links, which stay ended when it is enabled again. Throws `Problem` when the account
   * does not exist, or when no admin would be left.
   */
  async change(id: string, { role, disabled, identities, password }: AccountChange): Promise<void> {
    const hash = password === undefined || password === null ? password : await hashPassword(password);
    await this.#query.transaction().execute(async (within) => {
      // change one account at a time: when two admins are removed at once, one must stay
      await sql`select id from users where role = 'admin' order by id for update`.execute(within);
      const found = await within
        .updateTable("users")
        .set({
          ...(role === undefined ? {} : { role }),
          ...(disabled === undefined ? {} : { disabled }),
          ...(identities === undefined ? {} : { identities: JSON.stringify(identities.map(identityOf)) }),
          ...(hash === undefined ? {} : { password: hash }),
          name: sql<string>`name`,
        })
        .where("id", "=", id)
        .where("id", "<>", OPERATOR_ID)
        .returning(["id"])
        .executeTakeFirst();
      if (found === undefined) throw new Problem(404, "the user does not exist");
      const { rows } = await sql<{ signing: number; admins: number }>`
        select count(*) as signing, count(*) filter (where role = 'admin') as admins
        from users where not disabled and (password is not null or subject is not null)`.execute(within);
      const { signing, admins } = rows[0]!;
      if (signing > 0 && admins === 0) throw new Problem(409, "no admin would be left who can sign in");
      if (disabled === true) await endAll(within, [id]);
      else if (password !== undefined) await within.deleteFrom("sessions").where("user", "=", id).execute();
    });
  }

  /** Disables accounts that are about to be erased: their sessions, tokens and links end with it. */
  async end(ids: readonly string[]): Promise<void> {
    const ended = ids.filter((id) => id !== OPERATOR_ID);
    if (ended.length === 0) return;
    await this.#query.transaction().execute(async (within) => {
      await within.updateTable("users").set({ disabled: true }).where("id", "in", ended).execute();
      await endAll(within, ended);
    });
  }
}

/** Ends sessions, tokens and links for good: an account that is enabled again starts without any. */
async function endAll(within: Query, ids: readonly string[]): Promise<void> {
  await within.deleteFrom("sessions").where("user", "in", ids).execute();
  for (const table of ["tokens", "shares"] as const)
    await within
      .updateTable(table)
      .set({ revoked: sql`now()` })
      .where("owner", "in", ids)
      .where("revoked", "is", null)
      .execute();
}

/** Writes UUIDs in one form. */
export function identityOf(text: string): string {
  const hex = text.trim().toLowerCase();
  const bare = hex.replaceAll("-", "");
  return /^[0-9a-f]{32}$/.test(bare) ? bare.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5") : hex;
}
