import { sql } from "kysely";
import type { Query } from "../database/database.ts";
import type { Role } from "../database/tables.ts";
import { Problem } from "../http/problem.ts";
import { newId } from "../ids.ts";
import { hasAccounts } from "./openness.ts";
import { hashPassword } from "./passwords.ts";

/** What may be changed of an account. */
export interface AccountChange {
  readonly role?: Role | undefined;
  readonly disabled?: boolean | undefined;
  readonly identities?: readonly string[] | undefined;
  /** Null: none, it cannot sign in by name any more. */
  readonly password?: string | null | undefined;
}

export interface NewAccount extends AccountChange {
  readonly name: string;
  readonly role: Role;
}

/** An account, without what is secret. */
export interface Account {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  readonly identities: readonly string[];
  readonly disabled: boolean;
  readonly hasPassword: boolean;
  /** Signs in by OpenID Connect. */
  readonly isForeign: boolean;
  readonly made: string;
}

/** Those who work with a server before there are accounts. */
const OPERATOR_ID = "operator";

/** The accounts of a server; used by its routes and by `simtape user`. */
export class Accounts {
  readonly #query: Query;

  constructor(query: Query) {
    this.#query = query;
  }

  /** By name; `operator` only when it is asked for. */
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

  /** By id or name; null: there is none. */
  async find(idOrName: string): Promise<Account | null> {
    const all = await this.list();
    return all.find(({ id }) => id === idOrName) ?? all.find(({ name }) => name === idOrName) ?? null;
  }

  /** Gives its id. Throws `Problem` when the name is taken, or when the first account that signs in is no admin. */
  async add({ name, role, password = null, identities = [], disabled = false }: NewAccount): Promise<string> {
    const clean = name.normalize("NFC").trim();
    if (!/^[^\p{Cc}\p{Cs}]{1,100}$/u.test(clean)) throw new Problem(400, "a name of 1 to 100 letters is expected");
    if (role !== "admin" && password !== null && !(await hasAccounts(this.#query)))
      throw new Problem(409, "the first account that can sign in must be an admin: then others are needed to sign in");
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
    if (numInsertedOrUpdatedRows === 0n) throw new Problem(409, `there is a user ${clean} already`);
    return id;
  }

  /**
   * Changes one by its id. A new password, and being disabled, end all its sessions. Throws `Problem` when there is none,
   * or when no admin would be left.
   */
  async change(id: string, { role, disabled, identities, password }: AccountChange): Promise<void> {
    const hash = password === undefined || password === null ? password : await hashPassword(password);
    await this.#query.transaction().execute(async (within) => {
      // one change at a time: of two admins one stays
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
      if (found === undefined) throw new Problem(404, "the user is not here");
      const { rows } = await sql<{ signing: number; admins: number }>`
        select count(*) as signing, count(*) filter (where role = 'admin') as admins
        from users where not disabled and (password is not null or subject is not null)`.execute(within);
      const { signing, admins } = rows[0]!;
      if (signing > 0 && admins === 0) throw new Problem(409, "no admin would be left who can sign in");
      const isWeaker = disabled === true || password !== undefined;
      if (isWeaker) await within.deleteFrom("sessions").where("user", "=", id).execute();
    });
  }
}

/** UUIDs in one spelling. */
export function identityOf(text: string): string {
  const hex = text.trim().toLowerCase();
  const bare = hex.replaceAll("-", "");
  return /^[0-9a-f]{32}$/.test(bare) ? bare.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5") : hex;
}
