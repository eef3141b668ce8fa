import { isReachedFromElsewhere } from "simtape/serving";
import { visibleTo } from "../catalog/access.ts";
import type { Context } from "../context.ts";
import { Accounts } from "../people/accounts.ts";
import type { Openness } from "../people/openness.ts";
import { hasRole, mayRead, NONE, OPERATOR, type Owned, type Person, scopesOf } from "../people/person.ts";
import type { Offered } from "./messages.ts";

/** The newest recordings are in the list; the staff may load others, too. */
const MOST = 1000;

/** Thrown when the settings of outlets do not fit the server. */
export class OutletError extends Error {
  override readonly name = "OutletError";
}

/** Decides what clients of the outlets may watch: they do not sign in, so all of them have the rights of one account. */
export class Offers {
  readonly #context: Context;
  readonly #openness: Openness;

  constructor(context: Context, openness: Openness) {
    this.#context = context;
    this.#openness = openness;
  }

  /** Throws `OutletError` when nothing says whose rights the clients have, or they would have more than is meant. */
  async check(): Promise<void> {
    const { into, intoAs, access } = this.#context.settings;
    if (intoAs !== null) {
      if ((await this.person()) === NONE)
        throw new OutletError(`--into-as: there is no account ${intoAs} that may read`);
      return;
    }
    const whose = "clients of --into do not sign in: name an account whose recordings they may watch with --into-as";
    if (!(await this.#openness.isOpen())) throw new OutletError(whose);
    for (const { host } of into)
      if (access !== "open" && (await isReachedFromElsewhere(host)))
        throw new OutletError(`others reach ${host}, and ${whose}, or say --access open`);
  }

  /** Whose rights the clients have now; `NONE`: they may watch nothing. */
  async person(): Promise<Person> {
    const { intoAs } = this.#context.settings;
    if (intoAs === null) return (await this.#openness.isOpen()) ? OPERATOR : NONE;
    const account = await new Accounts(this.#context.query).find(intoAs);
    if (account === null || account.disabled || !hasRole(account, "viewer")) return NONE;
    const { id, name, role, identities } = account;
    return { id, name, role, identities, scopes: scopesOf(role), via: "none" };
  }

  async mayWatch(recording: Owned): Promise<boolean> {
    return mayRead(await this.person(), recording, this.#context.settings.public);
  }

  /** The newest recordings that clients may watch, and those of `ids` that they may. */
  async list(ids: readonly string[]): Promise<readonly Offered[]> {
    const person = await this.person();
    if (person === NONE) return [];
    const rows = this.#context.query
      .selectFrom("recordings")
      .select(["id", "key", "name", "stamp"])
      .where("state", "=", "indexed")
      .where(visibleTo(person, this.#context.settings.public));
    const newest = await rows.orderBy("added", "desc").orderBy("id", "desc").limit(MOST).execute();
    const missing = ids.filter((id) => !newest.some((row) => row.id === id));
    const more = missing.length === 0 ? [] : await rows.where("id", "in", missing).execute();
    return named([...newest, ...more]);
  }

  /** A recording of the catalog as clients may load it; null: it is not complete, or they may not watch it. */
  async one(id: string): Promise<Offered | null> {
    return (await this.list([id])).find((offered) => offered.id === id) ?? null;
  }
}

/** Of two recordings of one name, clients see the paths. */
function named(rows: readonly Offered[]): readonly Offered[] {
  const counts = new Map<string, number>();
  for (const { name } of rows) counts.set(name, (counts.get(name) ?? 0) + 1);
  return rows.map(({ id, name, key, stamp }) => ({ id, key, stamp, name: counts.get(name) === 1 ? name : key }));
}
