import { execFileSync, type ChildProcess, spawn } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";

const VERSIONS = "/usr/lib/postgresql";
const programs = existsSync(VERSIONS) ? readdirSync(VERSIONS).map((version) => `${VERSIONS}/${version}/bin`) : [];
const bin = programs.find((folder) => existsSync(`${folder}/initdb`)) ?? null;

/** Why tests with a real PostgreSQL are skipped; null: they are not. */
export const withoutPostgres: string | null = bin === null ? "PostgreSQL is not installed" : null;

/** A PostgreSQL of the tests. */
export interface TestPostgres {
  /** Address of a new, empty database. */
  database(): Promise<string>;
  /** Ends all its processes at once, as `kill -9` does, and starts it again. */
  crash(): Promise<void>;
  /** As `crash`, and it stays away. */
  kill(): Promise<void>;
  /** Starts it again after `kill`. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts one with a folder of its own; it does not run as root. */
export async function startPostgres(): Promise<TestPostgres> {
  const folder = mkdtempSync(join(tmpdir(), "simtape-postgres-"));
  const owner = process.getuid?.() === 0 ? userId("postgres") : null;
  if (owner !== null) chownSync(folder, owner.uid, owner.gid);
  const data = join(folder, "data");
  execFileSync(`${bin}/initdb`, ["-D", data, "-U", "simtape", "--auth=trust", "--no-sync"], {
    stdio: "ignore",
    ...owner,
    cwd: folder,
  });
  const port = await freePort();
  let server = start();
  await answers(port);
  let made = 0;

  /** As long as a process of the one before is not quite gone, a new one ends at once: then another is started. */
  async function startAgain(): Promise<void> {
    server = start();
    server.on("exit", again);
    await answers(port);
    server.off("exit", again);
  }
  function again(): void {
    server = start();
    server.on("exit", again);
  }

  function start(): ChildProcess {
    const words = [
      "-D",
      data,
      "-p",
      String(port),
      "-h",
      "127.0.0.1",
      "-k",
      folder,
      "-c",
      "fsync=off",
      "-c",
      "max_connections=400",
    ];
    return spawn(`${bin}/postgres`, words, { stdio: "ignore", ...owner, cwd: folder });
  }

  const kill = async (): Promise<void> => {
    const ended = new Promise((resolve) => server.once("exit", resolve));
    // else it would make further processes, which keep it from starting again
    server.kill("SIGSTOP");
    execFileSync("pkill", ["-9", "-P", String(server.pid)], { stdio: "ignore" });
    server.kill("SIGKILL");
    await ended;
    rmSync(join(data, "postmaster.pid"), { force: true });
  };
  return {
    kill,
    start: startAgain,
    database: async () => {
      const client = new pg.Client({ host: "127.0.0.1", port, user: "simtape", database: "postgres" });
      await client.connect();
      const name = `tapes_${++made}`;
      await client.query(`create database ${name}`);
      await client.end();
      return `postgres://simtape@127.0.0.1:${port}/${name}`;
    },
    crash: async () => {
      await kill();
      await startAgain();
    },
    stop: async () => {
      if (server.exitCode === null && server.signalCode === null) {
        const ended = new Promise((resolve) => server.once("exit", resolve));
        server.kill("SIGINT");
        await ended;
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function answers(port: number): Promise<void> {
  for (let tries = 0; ; tries++) {
    const client = new pg.Client({ host: "127.0.0.1", port, user: "simtape", database: "postgres" });
    client.on("error", () => undefined);
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      if (tries === 200) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

function userId(name: string): { uid: number; gid: number } {
  const id = (flag: string): number => Number(execFileSync("id", [flag, name], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}

/** A port at which nothing listens. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
