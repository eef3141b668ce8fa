import { stat } from "node:fs/promises";
import { type Command, Option } from "commander";
import { Output, say, UsageError } from "simtape/command";
import { configured, type Flags, settingsFrom } from "../command-settings.ts";
import type { Role } from "../database/tables.ts";
import { Problem } from "../problem.ts";
import type { Account, AccountChange, Accounts } from "./accounts.ts";
import type { Audit } from "./audit.ts";

const ROLES: readonly Role[] = ["recorder", "viewer", "player", "staff", "admin"];

/** The accounts of a server, and the audit that says who changed them. */
interface People {
  readonly accounts: Accounts;
  readonly audit: Audit;
}

interface AddFlags extends Flags {
  readonly role: Role;
  readonly withoutPassword?: boolean;
}

/** Adds the command `user`: it changes the accounts of a server, whether the server runs or not. */
export function addUserCommands(program: Command): void {
  const user = program
    .command("user")
    .summary("accounts of a server: add, list, change")
    .description(
      "Creates and changes accounts of `simtape serve`, whether it runs or not. STORE, --data or --database\nsay which server, as for `simtape serve`.",
    );

  sub(user, "add <name>", "a new account; the first one is an admin")
    .addOption(new Option("--role <role>", "what it may do").choices(ROLES).default("viewer"))
    .option("--without-password", "cannot sign in by name; for recorders, which use tokens")
    .addHelpText(
      "after",
      "\nExamples:\n  $ simtape user add anna recordings --role admin\n  $ simtape user add bo --role player --database postgres://simtape@db/simtape < password.txt",
    )
    .action((name: string, store: string | undefined, flags: AddFlags) =>
      within(store, flags, async ({ accounts, audit }) => {
        const password = flags.withoutPassword === true ? null : await asked(name);
        const id = await accounts.add({ name, role: flags.role, password });
        await noted(audit, "user made", { user: id, role: flags.role });
        say(`${name} is ${flags.role}`);
      }),
    );

  sub(user, "list", "all accounts")
    .option("--json", "one JSON object for each")
    .action((store: string | undefined, flags: Flags) =>
      within(store, flags, async ({ accounts }) => {
        const output = new Output();
        for (const account of await accounts.list())
          await output.line(flags["json"] === true ? JSON.stringify(account) : lineOf(account));
        await output.flush();
      }),
    );

  const change = (
    words: string,
    summary: string,
    changeOf: (name: string, more: readonly string[]) => Promise<AccountChange>,
  ): void => {
    sub(user, words, summary).action((name: string, ...rest: unknown[]) => {
      const [flags, store, ...more] = rest.slice(0, -1).reverse() as [Flags, string | undefined, ...string[]];
      return within(store, flags, async ({ accounts, audit }) => {
        const found = await accounts.find(name);
        if (found === null) throw new UsageError(`there is no user ${name}; simtape user list shows all`);
        const changed = await changeOf(name, more);
        await accounts.change(found.id, changed);
        const { password, identities, ...shown } = changed;
        const details = {
          ...{ user: found.id, ...shown },
          ...(identities === undefined ? {} : { identities: identities.length }),
          ...(password === undefined ? {} : { password: "changed" }),
        };
        await noted(audit, "user changed", details);
        say(`${found.name}: done`);
      });
    });
  };
  change("disable <name>", "it can no longer sign in, its sessions and tokens end", async () => ({ disabled: true }));
  change("enable <name>", "it can sign in again", async () => ({ disabled: false }));
  change("password <name>", "a new password; its sessions end", async (name) => ({
    password: await asked(name),
  }));
  change("role <name> <role>", `another role: ${ROLES.join(", ")}`, async (_, [role]) => {
    const found = ROLES.find((one) => one === role);
    if (found === undefined) throw new UsageError(`a role is one of ${ROLES.join(", ")}, not ${String(role)}`);
    return { role: found };
  });
  change("identity <name> <ids>", "ids by which recordings name this player, with commas", async (_, [ids = ""]) => ({
    identities: ids.split(",").filter((id) => id !== ""),
  }));
}

async function asked(name: string): Promise<string> {
  return (await import("./ask-password.ts")).askPassword(name);
}

function sub(user: Command, words: string, summary: string): Command {
  const command = user
    .command(words)
    .summary(summary)
    .description(`${summary[0]!.toUpperCase()}${summary.slice(1)}.`);
  command.argument("[store]", "folder of recordings, or s3://BUCKET/PREFIX, the same as the server");
  return configured(command, ["data", "database"]);
}

async function within(store: string | undefined, flags: Flags, work: (people: People) => Promise<void>): Promise<void> {
  const settings = await settingsFrom(store, flags);
  await mustBeOwn(settings.database);
  // loaded on use: the other commands do without a database
  const [{ joinDatabase }, { Accounts }, { Audit }] = await Promise.all([
    import("../database/database.ts"),
    import("./accounts.ts"),
    import("./audit.ts"),
  ]);
  const database = await joinDatabase(settings.database);
  try {
    await work({ accounts: new Accounts(database.query), audit: new Audit(database.query) });
  } catch (error) {
    throw error instanceof Problem ? new UsageError(error.message) : error;
  } finally {
    await database.close();
  }
}

/** The server could not read files that root makes in its folder. */
async function mustBeOwn(address: string): Promise<void> {
  if (!address.startsWith("embedded:") || process.getuid === undefined) return;
  const folder = address.slice("embedded:".length);
  const found = await stat(folder).catch(() => null);
  if (found !== null && found.uid !== process.getuid())
    throw new UsageError(`${folder} belongs to another user of this machine: run it as that one, by sudo -u`);
}

async function noted(audit: Audit, action: string, details: Readonly<Record<string, unknown>>): Promise<void> {
  await audit.add({ who: null, role: "command", action, details: { ...details, by: "simtape user" } });
}

function lineOf({ name, role, disabled, hasPassword, isForeign, id }: Account): string {
  const ways = [...(hasPassword ? ["password"] : []), ...(isForeign ? ["OpenID Connect"] : [])].join(", ");
  return `${name}  ${role}${disabled ? ", disabled" : ""}  ${ways === "" ? "cannot sign in" : ways}  ${id}`;
}
