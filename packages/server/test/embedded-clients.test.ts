import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, expect, test } from "vitest";
import { EMBEDDED_PORT, openEmbedded } from "../src/database/embedded.ts";

const folder = mkdtempSync(join(tmpdir(), "simtape-embedded-clients-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const STATEMENTS = 120;

/**
 * All clients share one session, and so the unnamed statement: what one prepares must not be bound by another one, also
 * while a third has a transaction open, behind which the others wait.
 */
test("statements of clients that ask at once, beside transactions, are answered each with its own rows", async () => {
  const embedded = await openEmbedded(folder);
  const clients = Array.from(
    { length: 5 },
    () => new pg.Client({ host: embedded.socketFolder, port: EMBEDDED_PORT, user: "postgres", database: "postgres" }),
  );
  try {
    await Promise.all(clients.map((client) => client.connect()));
    const [first, second, ...asking] = clients;
    let isOver = false;
    const committing = async (client: pg.Client): Promise<void> => {
      while (!isOver) {
        await client.query("begin");
        await client.query("select $1::int as value", [0]);
        await client.query("commit");
      }
    };
    const asks = async (client: pg.Client, who: number): Promise<unknown[]> => {
      const wrong: unknown[] = [];
      for (let i = 0; i < STATEMENTS; i++) {
        const name = `own${who}`;
        const { rows } = await client
          .query(`select $1::text as ${name}, $2::int as number`, [`client ${who}`, i])
          .catch((error: unknown) => ({ rows: [error] as unknown[] }));
        const [row] = rows as Readonly<Record<string, unknown>>[];
        if (row?.[name] !== `client ${who}` || row["number"] !== i) wrong.push(row);
      }
      return wrong;
    };
    const transactions = [committing(first!), committing(second!)];
    const wrong = await Promise.all(asking.map(asks));
    isOver = true;
    await Promise.all(transactions);
    expect(wrong).toEqual([[], [], []]);
  } finally {
    await Promise.all(clients.map((client) => client.end()));
    await embedded.close();
  }
});
