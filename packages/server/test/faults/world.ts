import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { type S3Credentials, type Store, s3Store } from "simtape";
import { S3Client } from "../../../simtape/src/io/s3/s3-client.ts";
import { type CephServer, startCeph } from "../../../simtape/test/support/ceph-server.ts";
import { startNats, type TestNats } from "../support/nats.ts";
import { startNode, type TestNode } from "../support/node.ts";
import { freePort, startPostgres, type TestPostgres } from "../support/postgres.ts";

const CLI = fileURLToPath(new URL("../../../simtape/bin/simtape.js", import.meta.url));

/** What of a server may be killed. */
export type Part = "first node" | "second node" | "worker" | "PostgreSQL" | "NATS" | "S3";

/** A server of two nodes and a worker, as it is run by many: PostgreSQL, NATS, S3. What is killed is started again. */
export interface World {
  /** Addresses of the nodes; they stay when a node is started again. */
  readonly nodes: readonly [string, string];
  /** Of the database. */
  readonly database: string;
  readonly library: Store;
  /** One more node, with these settings. */
  another(words: readonly string[]): Promise<TestNode>;
  /** `kill -9`, and what a supervisor does then; settles when it is there again. */
  kill(part: Part): Promise<void>;
  stop(): Promise<void>;
}

export async function startWorld(data: string): Promise<World> {
  const [ceph, postgres, nats] = await Promise.all([startCeph(), startPostgres(), startNats()]);
  const [bucket, environment] = [await bucketOf(ceph), environmentOf(ceph)];
  const database = await postgres.database();
  const ports = [await freePort(), await freePort()] as const;
  const words = (port: number): string[] => [
    ...["s3://library/tapes", "--data", data, "--database", database, "--bus", nats.address],
    ...["--access", "open", "--workers", "0", "--live-silence", "120", "--port", String(port), "--log", "error"],
  ];
  const startAgain = async (port: number): Promise<TestNode> => {
    for (;;) {
      const node = await startNode(words(port), environment).catch(() => null);
      if (node !== null) return node;
    }
  };
  const startWorker = (): ChildProcess =>
    spawn(process.execPath, [CLI, "work", ...words(1).slice(0, 7), "--live-silence", "120"], {
      stdio: "ignore",
      env: { ...process.env, ...environment },
    });
  const nodes = [await startAgain(ports[0]), await startAgain(ports[1])];
  let worker = supervised(startWorker, (made) => {
    worker = made;
  });
  let isOver = false;

  /** Starts it again whenever it ends. */
  function supervised(start: () => ChildProcess, note: (child: ChildProcess) => void): ChildProcess {
    const child = start();
    child.once("exit", () => {
      if (!isOver) note(supervised(start, note));
    });
    return child;
  }

  const killNode = async (index: 0 | 1): Promise<void> => {
    await nodes[index]!.kill();
    nodes[index] = await startAgain(ports[index]);
  };
  const kills: Readonly<Record<Part, () => Promise<unknown>>> = {
    "first node": () => killNode(0),
    "second node": () => killNode(1),
    worker: () => {
      const ended = once(worker, "exit");
      worker.kill("SIGKILL");
      return ended;
    },
    PostgreSQL: () => postgres.crash(),
    NATS: () => nats.crash(),
    S3: () => ceph.crashGateway(),
  };
  return {
    nodes: [`http://127.0.0.1:${ports[0]}`, `http://127.0.0.1:${ports[1]}`],
    database,
    library: bucket,
    another: async (more) => startNode([...words(0), ...more], environment),
    kill: async (part) => void (await kills[part]()),
    stop: async () => {
      isOver = true;
      worker.kill("SIGKILL");
      await Promise.all(nodes.map((node) => node.kill()));
      await stopAll(ceph, postgres, nats);
    },
  };
}

async function stopAll(ceph: CephServer, postgres: TestPostgres, nats: TestNats): Promise<void> {
  await Promise.all([ceph.stop(), postgres.stop(), nats.stop()]);
}

async function bucketOf({ endpoint, accessKeyId, secretAccessKey }: CephServer): Promise<Store> {
  const credentials: S3Credentials = { accessKeyId, secretAccessKey };
  const options = { endpoint, bucket: "library", credentials };
  await new S3Client(options).ask({ method: "PUT", key: null, repeatable: true });
  return s3Store({ ...options, prefix: "tapes" });
}

function environmentOf({ endpoint, accessKeyId, secretAccessKey }: CephServer): NodeJS.ProcessEnv {
  return { AWS_ENDPOINT_URL: endpoint, AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey };
}
