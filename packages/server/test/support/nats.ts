import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { connect } from "node:net";
import { freePort } from "./postgres.ts";

/** Why tests with a real NATS are skipped; null: they are not. */
export const withoutNats: string | null =
  spawnSync("nats-server", ["--version"]).status === 0 ? null : "nats-server is not installed";

/** A NATS server of the tests. */
export interface TestNats {
  readonly address: string;
  /** Ends it as `kill -9` does, and starts it again. */
  crash(): Promise<void>;
  stop(): Promise<void>;
}

export async function startNats(): Promise<TestNats> {
  const port = await freePort();
  const start = async (): Promise<ChildProcess> => {
    const child = spawn("nats-server", ["-a", "127.0.0.1", "-p", String(port)], { stdio: "ignore" });
    while (!(await answers(port))) await new Promise((resolve) => setTimeout(resolve, 20));
    return child;
  };
  let server = await start();
  const kill = async (): Promise<void> => {
    const ended = new Promise((resolve) => server.once("exit", resolve));
    server.kill("SIGKILL");
    await ended;
  };
  return {
    address: `nats://127.0.0.1:${port}`,
    crash: async () => {
      await kill();
      server = await start();
    },
    stop: kill,
  };
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
