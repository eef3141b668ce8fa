import { type ChildProcess, execFile, spawn } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";

/** A real S3 server for tests: one monitor, one object daemon in memory, one gateway, all on 127.0.0.1. */
export interface CephServer {
  readonly endpoint: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Ends the gateway as `kill -9` does, and starts it again; what it has stored stays. */
  crashGateway(): Promise<void>;
  /** Kills it and removes its folder. */
  stop(): Promise<void>;
}

const TOOLS = ["ceph", "ceph-mon", "ceph-osd", "radosgw", "radosgw-admin", "monmaptool"] as const;

/** True where everything is installed that `startCeph` needs. */
export const isCephInstalled: boolean = TOOLS.every((tool) => programOf(tool) !== null);

/** Starts a server, which takes some ten seconds. Throws with the end of its logs when it does not come up. */
export async function startCeph(): Promise<CephServer> {
  const folder = await mkdtemp(join(tmpdir(), "simtape-ceph-"));
  const children: ChildProcess[] = [];
  const said: string[] = [];
  const configuration = join(folder, "ceph.conf");

  const run = async (tool: string, ...words: string[]): Promise<string> => {
    const { stdout } = await execute(tool, words, { timeout: 60_000 });
    return stdout.trim();
  };
  const daemon = (tool: string, ...words: string[]): ChildProcess => {
    const [program, options] = mortal(tool, words);
    const child = spawn(program, options, { stdio: ["ignore", "ignore", "pipe"] });
    child.stderr?.on("data", (text: Buffer) => said.push(`${tool}: ${text.toString()}`));
    child.on("error", (error) => said.push(`${tool}: ${error.message}`));
    children.push(child);
    return child;
  };
  const stop = async (): Promise<void> => {
    await Promise.all(children.map(killed));
    rmSync(folder, { recursive: true, force: true });
  };

  try {
    const [v2, v1, port] = await freePorts(3);
    const monitor = `[v2:127.0.0.1:${v2}/0,v1:127.0.0.1:${v1}/0]`;
    writeFileSync(configuration, configurationOf(folder, monitor, port!));
    for (const name of ["mon", "osd0", "rgw"]) mkdirSync(join(folder, name));
    const map = join(folder, "monmap");
    await run("monmaptool", "--create", "--clobber", "--fsid", CLUSTER, "--addv", "a", monitor, map);
    await run("ceph-mon", "-c", configuration, "--mkfs", "-i", "a", "--monmap", map);
    daemon("ceph-mon", "-c", configuration, "-i", "a", "-f");
    await run("ceph", "-c", configuration, "osd", "new", OSD);
    await run("ceph-osd", "-c", configuration, "-i", "0", "--mkfs", "--osd-uuid", OSD);
    daemon("ceph-osd", "-c", configuration, "-i", "0", "-f");
    await run("ceph", "-c", configuration, "osd", "crush", "add", "osd.0", "1.0", "root=default", "host=h");
    const user = ["--uid=test", "--display-name=test", `--access-key=${ACCESS}`, `--secret-key=${SECRET}`];
    await run("radosgw-admin", "-c", configuration, "user", "create", ...user);
    const owner = process.getuid?.() === 0 ? ["--setuser", "root", "--setgroup", "root"] : [];
    const endpoint = `http://127.0.0.1:${port}`;
    const startGateway = async (): Promise<ChildProcess> => {
      const child = daemon("radosgw", "-f", "-c", configuration, "-n", "client.admin", ...owner);
      await answering(endpoint);
      return child;
    };
    let gateway = await startGateway();
    const crashGateway = async (): Promise<void> => {
      await killed(gateway);
      gateway = await startGateway();
    };
    return { endpoint, accessKeyId: ACCESS, secretAccessKey: SECRET, crashGateway, stop };
  } catch (cause) {
    await stop();
    throw new Error(`the test's S3 server does not start:\n${said.join("").slice(-4000)}`, { cause });
  }
}

const CLUSTER = "11111111-2222-3333-4444-555555555555";
const OSD = "11111111-2222-3333-4444-666666666666";
const ACCESS = "TESTACCESS";
const SECRET = "TESTSECRETTESTSECRET";

const execute = promisify(execFile);

/** Without authentication between the daemons, one copy of everything, and nothing on disk. */
function configurationOf(folder: string, monitor: string, port: number): string {
  return `[global]
fsid = ${CLUSTER}
mon_host = ${monitor}
auth_cluster_required = none
auth_service_required = none
auth_client_required = none
ms_mon_client_mode = crc secure
osd_pool_default_size = 1
osd_pool_default_min_size = 1
osd_pool_default_pg_num = 4
osd_pool_default_pg_autoscale_mode = off
mon_allow_pool_size_one = true
mon_max_pg_per_osd = 4000
osd_crush_chooseleaf_type = 0
osd_objectstore = memstore
memstore_device_bytes = 4294967296
public_addr = 127.0.0.1
cluster_addr = 127.0.0.1
ms_bind_ipv6 = false
mon_data = ${folder}/mon
osd_data = ${folder}/osd0
rgw_data = ${folder}/rgw
run_dir = ${folder}
log_file = ${folder}/$name.log
mon_cluster_log_file = ${folder}/cluster.log
admin_socket = ${folder}/$name.$pid.asok
crash_dir = ${folder}/crash
rgw_frontends = beast endpoint=127.0.0.1:${port}
`;
}

/** The program and its words, so that it ends with this process however that ends, where the system can do that. */
function mortal(tool: string, words: readonly string[]): [program: string, words: string[]] {
  const isAble = process.platform === "linux" && programOf("setpriv") !== null;
  return isAble ? ["setpriv", ["--pdeathsig", "KILL", tool, ...words]] : [tool, [...words]];
}

function programOf(name: string): string | null {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? null;
}

/** Free ports; all are held until the last is found, so that they differ. */
async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports: number[] = [];
  for (const server of servers) {
    await new Promise<void>((resolve, reject) => server.once("error", reject).listen(0, "127.0.0.1", resolve));
    ports.push((server.address() as { port: number }).port);
  }
  for (const server of servers) await new Promise((resolve) => server.close(resolve));
  return ports;
}

async function answering(endpoint: string): Promise<void> {
  for (const deadline = Date.now() + 90_000; ; ) {
    const answer = await fetch(endpoint).catch(() => null);
    if (answer?.ok === true) return;
    if (Date.now() > deadline) throw new Error(`no answer at ${endpoint}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return Promise.resolve();
  return new Promise((resolve) => {
    child.once("exit", () => resolve());
    child.kill("SIGKILL");
  });
}
