import { cp, mkdtemp, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type pg from "pg";
import { connectDatabase, openDatabase, reachEmbedded } from "../database/database.ts";
import { LockedError, locked } from "../database/lock.ts";

/** The database as it was at one moment, while clients go on changing it. */
export interface Snapshot {
  /** Runs within a transaction. */
  readonly client: pg.Client;
  close(): Promise<void>;
}

const COPY = "backup-";

/** Throws the error of the database, and `RangeError` when there is no database yet. */
export async function snapshotOf(address: string): Promise<Snapshot> {
  return address.startsWith("embedded:") ? ofCopy(address.slice("embedded:".length)) : ofPostgres(address);
}

async function ofPostgres(address: string): Promise<Snapshot> {
  const database = await connectDatabase(address);
  const client = await database.connect();
  await client.query("begin isolation level repeatable read read only");
  return {
    client,
    close: async () => {
      await client.end();
      await database.close();
    },
  };
}

/**
 * An embedded database has one session for all clients: they would wait until a transaction that reads everything has
 * ended. So its files are copied, which takes a moment, and the copy is read; when it is of an earlier release, only
 * the copy is migrated.
 */
async function ofCopy(folder: string): Promise<Snapshot> {
  const data = join(folder, "data");
  const names = await readdir(folder).catch((): string[] => []);
  if (!names.includes("data")) throw new RangeError(`there is no database of a server in ${folder}`);
  // left by a backup that was killed
  for (const name of names) if (name.startsWith(COPY)) await rm(join(folder, name), { recursive: true, force: true });
  const copy = await mkdtemp(join(folder, COPY));
  const remove = (): Promise<void> => rm(copy, { recursive: true, force: true });
  try {
    await atRest(folder, () => cp(data, join(copy, "data"), { recursive: true }));
    const database = await openDatabase(`embedded:${copy}`);
    const client = await database.connect();
    await client.query("begin");
    return {
      client,
      close: async () => {
        await client.end();
        await database.close();
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Runs a function while no client changes the database. */
async function atRest(folder: string, work: () => Promise<void>): Promise<void> {
  const held = await locked(folder).catch((error: unknown) => {
    if (error instanceof LockedError) return error;
    throw error;
  });
  if (!(held instanceof LockedError)) {
    try {
      return await work();
    } finally {
      await held.release();
    }
  }
  const database = await reachEmbedded(folder, held);
  const client = await database.connect();
  try {
    await client.query("begin");
    await client.query("checkpoint");
    await work();
    await client.query("rollback");
  } finally {
    await client.end();
    await database.close();
  }
}
