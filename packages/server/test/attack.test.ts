import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync, copyFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateRawSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { tries } from "../../simtape/test/soak.ts";
import { makeDemos } from "./support/demos.ts";
import { json, startNode, type TestNode, until } from "./support/node.ts";
import { Caller, userCommand } from "./support/people.ts";
import { connection, raw, requestOf } from "./support/raw.ts";

interface Item {
  readonly id: string;
  readonly name: string;
  readonly state: string;
  readonly url: string;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly parameters?: readonly Parameter[] }>>>>;
}

const CONNECTIONS = tries(10_000, 100_000);
const MOST_AT_ONCE = 500;
const CANARY = "what none outside may read";
const HOSTILE = [
  "<img src=x onerror=alert(1)>.hcrp",
  "a\nset-cookie: x=1.hcrp",
  "\"'&<script>.hcrp",
  "x..%2f..%2fx.hcrp",
];

describe("attacks", () => {
  const folder = mkdtempSync(join(tmpdir(), "simtape-attack-"));
  const library = join(folder, "library");
  let node: TestNode;
  let admin: Caller;
  let recordings: readonly Item[];
  let document: Document;
  let canary: Server;
  let heard = 0;

  beforeAll(async () => {
    await makeDemos(library);
    for (const name of HOSTILE) copyFileSync(join(library, "race.hcrp"), join(library, name));
    writeFileSync(join(folder, "secret.hcrp"), CANARY);
    symlinkSync(join(folder, "secret.hcrp"), join(library, "link.hcrp"));
    symlinkSync(folder, join(library, "up"));
    canary = createServer((_, response) => {
      heard++;
      response.end(CANARY);
    });
    await new Promise<void>((resolve) => canary.listen(0, "127.0.0.1", resolve));
    expect((await userCommand(["add", "admin", library, "--role", "admin"])).exit).toBe(0);
    const limits = ["--sign-ins-per-minute", "100000", "--connections", String(MOST_AT_ONCE)];
    node = await startNode([library, ...limits, "--requests-per-minute", "1000000"]);
    admin = await Caller.signedIn(node, "admin");
    document = await json<Document>(node.address, "/openapi.json");
    ({ recordings } = await until(
      () => admin.json<{ recordings: readonly Item[] }>("GET", "/api/recordings?limit=100"),
      (page) =>
        page.recordings.length === 5 + HOSTILE.length && page.recordings.every(({ state }) => state === "indexed"),
    ));
  });

  afterAll(async () => {
    await node?.stop();
    canary?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const memory = (): number => {
    const status = readFileSync(`/proc/${node.process.pid}/status`, "utf8");
    return Number(/VmRSS:\s+(\d+)/.exec(status)![1]) / 1024;
  };

  test("paths that lead out of the library are not gone", async () => {
    const { secret } = await admin.json<{ secret: string }>("POST", "/api/shares", { recording: recordings[0]!.id });
    const targets = ["secret.hcrp", "etc/passwd"];
    const ups = ["..", "%2e%2e", "..%00", "%252e%252e", "....", "..;", ".%2e", "%c0%ae%c0%ae", "%uff0e%uff0e"];
    const slashes = ["/", "%2f", "%5c", "\\", "%252f", "//", "%c0%af"];
    const forms = targets.flatMap((target) => [
      ...ups.flatMap((up) => slashes.flatMap((slash) => [1, 8].map((n) => `${up}${slash}`.repeat(n) + target))),
      `/${target}`,
      `%2f${target}`,
      `file:///${target}`,
      `C:%5c${target}`,
    ]);
    forms.push(
      "link.hcrp",
      "up/secret.hcrp",
      "up%2fsecret.hcrp",
      ".simtape/database/socket",
      ".simtape%2fdatabase%2fsocket",
    );
    forms.push("%00", "%", "%zz", "a".repeat(20_000), "%ff%fe");
    const bases = [
      `/api/recordings/${recordings[0]!.id}/files/`,
      `/api/shares/${secret}/files/`,
      "/assets/",
      "/r/",
      "/",
    ];
    const bad: string[] = [];
    for (const base of bases)
      for (let at = 0; at < forms.length; at += 50)
        await Promise.all(
          forms.slice(at, at + 50).map(async (form) => {
            const { status, answer } = await raw(
              node.address,
              requestOf(node.address, "GET", base + form, admin.headers),
            );
            const isPage = /content-type: text\/html/i.test(answer) && status === 200;
            if (answer.includes(CANARY) || answer.includes("root:") || answer.includes("simtape-0-"))
              bad.push(`${base}${form}: has a secret`);
            else if (!isPage && (status < 400 || status >= 500)) bad.push(`${base}${form}: ${status}`);
          }),
        );
    expect(bad).toEqual([]);
    expect(recordings.map(({ name }) => name)).not.toContain("link.hcrp");
  });

  test("ranges that make no sense get the file, a part of it, or 416", async () => {
    const { url } = recordings.find(({ name }) => name === "race.hcrp")!;
    const whole = readFileSync(join(library, "race.hcrp"));
    const ranges = ["bytes=-0", "bytes=5-1", "bytes=-99999999999999999999", `bytes=0-${"9".repeat(400)}`];
    ranges.push(
      `bytes=${"9".repeat(400)}-`,
      "bytes=--1",
      "bytes=1",
      "bytes=",
      "=",
      "lines=0-1",
      "bytes=0x1-0x2",
      "bytes=1e3-",
    );
    ranges.push(
      `bytes=${Array.from({ length: 1000 }, () => "0-").join(",")}`,
      "bytes=0-0,-1",
      "bytes= 0-1",
      "bytes=٣-٤",
    );
    for (const range of ranges) {
      const header = Buffer.from(range).toString("latin1");
      const answer = await admin.ask("GET", url, undefined, { range: header });
      const bytes = Buffer.from(await answer.arrayBuffer());
      expect([200, 206, 400, 416], range).toContain(answer.status);
      if (answer.status === 200) expect(bytes.equals(whole), range).toBe(true);
      else if (answer.status === 206) expect(bytes.length, range).toBeLessThanOrEqual(whole.length);
    }
  });

  test("tokens and sessions that are none are refused, and not looked for without end", async () => {
    const shape = `simtape_${"A".repeat(43)}`;
    const none = Buffer.from('{"alg":"none"}').toString("base64url");
    const headers: Record<string, string>[] = [
      ...[shape, "null", "", "undefined", "' or 1=1 --", `${none}.e30.`, "x".repeat(10_000), "operator"].map(
        (token) => ({
          authorization: `Bearer ${token}`,
        }),
      ),
      { authorization: `Basic ${Buffer.from("admin:admin").toString("base64")}` },
      { authorization: `bearer\t${shape}` },
      { cookie: `simtape_session=${shape}` },
      { cookie: "simtape_session=; simtape_session=operator" },
      // a good cookie does not help a bad token
      { ...admin.headers, authorization: `Bearer ${shape}` },
    ];
    for (const header of headers)
      expect(await new Caller(node, header).status("GET", "/api/me"), JSON.stringify(header).slice(0, 100)).toBe(401);
    const forger = (n: number): Promise<number> =>
      Caller.withToken(node, `simtape_${n}`).status("GET", "/api/recordings");
    expect(await forger(0)).toBe(401);
    // an own address, so that the other tests go on
    const other = { ...node, address: node.address.replace("127.0.0.1", "localhost") };
    expect(await new Caller(other).status("GET", "/health")).toBe(200);
  });

  test("another name for the server (DNS rebinding) is refused on every route", async () => {
    const targets = ["/", "/health", "/openapi.json", "/api/recordings", recordings[0]!.url, "/s/x"];
    for (const target of targets) {
      for (const host of [
        "evil.example",
        `evil.example:${new URL(node.address).port}`,
        "127.0.0.1",
        "127.0.0.1.evil.example",
      ]) {
        const { status, answer } = await raw(
          node.address,
          requestOf(node.address, "GET", target, { ...admin.headers, host }),
        );
        expect(status, `${host} ${target}`).toBe(403);
        expect(answer).not.toContain('recordings":');
      }
    }
    const absolute = await raw(
      node.address,
      requestOf(node.address, "GET", "http://evil.example/api/recordings", admin.headers),
    );
    expect(absolute.status).toBeGreaterThanOrEqual(400);
    expect((await raw(node.address, "GET /health HTTP/1.1\r\nconnection: close\r\n\r\n")).status).toBe(400);
    const twice = `GET /health HTTP/1.1\r\nhost: ${new URL(node.address).host}\r\nhost: evil.example\r\nconnection: close\r\n\r\n`;
    expect((await raw(node.address, twice)).status).toBe(400);
  });

  test("changes from another page are refused, and no page elsewhere can read an answer", async () => {
    const { cookie } = admin.headers as { cookie: string };
    const body = JSON.stringify({ name: "made by an attack", role: "admin", password: "12345678" });
    const type = { "content-type": "application/json" };
    const attempts: readonly Record<string, string>[] = [
      { origin: "https://evil.example" },
      { origin: "null" },
      { origin: `${node.address}.evil.example` },
      { origin: node.address.replace(/\d+$/, "1") },
      {},
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { referer: `${node.address}/` },
    ];
    for (const attempt of attempts) {
      const answer = await fetch(`${node.address}/api/users`, {
        method: "POST",
        headers: { cookie, ...type, ...attempt },
        body,
      });
      expect(answer.status, JSON.stringify(attempt)).toBe(403);
      expect(answer.headers.get("access-control-allow-origin")).toBeNull();
    }
    // what a form can send without asking first
    for (const form of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]) {
      const headers = { cookie, "content-type": form, origin: node.address };
      const { status } = await fetch(`${node.address}/api/users`, { method: "POST", headers, body });
      expect([400, 415], form).toContain(status);
    }
    const asked = { origin: "https://evil.example", "access-control-request-method": "POST" };
    const preflight = await fetch(`${node.address}/api/users`, { method: "OPTIONS", headers: asked });
    expect(preflight.status).toBeGreaterThanOrEqual(400);
    expect(preflight.headers.get("access-control-allow-origin")).toBeNull();
    const read = await fetch(`${node.address}/api/recordings`, { headers: { cookie, origin: "https://evil.example" } });
    expect(read.headers.get("access-control-allow-origin")).toBeNull();
    expect(read.headers.get("cross-origin-resource-policy")).toBe("same-origin");
    const users = JSON.stringify(await admin.json("GET", "/api/users"));
    expect(users).not.toContain("made by an attack");
  });

  test("a socket is not opened for another page, nor by a cookie without an origin", async () => {
    const { cookie } = admin.headers as { cookie: string };
    const paths = Object.keys(document.paths).filter((path) => /socket|live/.test(path));
    for (const path of [...paths, "/api/recordings", "/"]) {
      const target = path.replace(/\{\w+\}/g, recordings[0]!.id);
      const upgrade = {
        connection: "upgrade",
        upgrade: "websocket",
        "sec-websocket-version": "13",
        "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==",
      };
      for (const origin of [{}, { origin: "https://evil.example" }, { origin: "null" }] as Record<string, string>[]) {
        const { status } = await raw(
          node.address,
          requestOf(node.address, "GET", target, { ...upgrade, cookie, ...origin }),
        );
        expect([400, 401, 403, 404], `${path} ${JSON.stringify(origin)}`).toContain(status);
      }
    }
  });

  test("the page may not be put into a frame, runs no script of a name, and no answer is taken for another type", async () => {
    for (const path of ["/", "/r/x", "/s/x", "/admin"]) {
      const { headers } = await admin.ask("GET", path);
      const policy = headers.get("content-security-policy") ?? "";
      expect(policy, path).toContain("frame-ancestors 'none'");
      expect(policy).toMatch(/default-src 'none'|script-src [^;]*'self'/);
      expect(/script-src ([^;]*)/.exec(policy)?.[1] ?? "").not.toContain("unsafe-inline");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("referrer-policy")).toBe("no-referrer");
    }
    for (const name of HOSTILE) {
      const found = recordings.find((one) => one.name === name)!;
      expect(found, name).toBeDefined();
      const file = await admin.ask("GET", found.url);
      expect(file.status, name).toBe(200);
      expect(file.headers.get("content-type")).toBe("application/octet-stream");
      expect(file.headers.get("set-cookie")).toBeNull();
      const picture = await admin.ask("GET", `/api/recordings/${found.id}/thumbnail`);
      expect(picture.headers.get("content-security-policy")).toContain("default-src 'none'");
      expect(await picture.text()).not.toMatch(/<script|onerror|<img/i);
    }
    const wrong = await admin.ask("GET", "/<script>alert(1)</script>");
    expect(wrong.headers.get("content-type")).toContain("application/problem+json");
  });

  test("bombs: long headers, deep and large bodies, a small file that is large unpacked", async () => {
    const before = memory();
    const long = await raw(node.address, requestOf(node.address, "GET", "/health", { "x-long": "x".repeat(1 << 20) }));
    expect([431, 0]).toContain(long.status);
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`x-${n}`, "1"]));
    expect([200, 431]).toContain((await raw(node.address, requestOf(node.address, "GET", "/health", many))).status);
    const deep = `{"name":${"[".repeat(200_000)}${"]".repeat(200_000)},"password":"x"}`;
    const bodies: readonly [body: string, status: number][] = [
      [deep, 400],
      [`{"name":"${"x".repeat(2 << 20)}"}`, 413],
      ['{"__proto__":{"role":"admin"},"name":"x","password":"y"}', 400],
      ['{"constructor":{"prototype":{"role":"admin"}},"name":"x","password":"y"}', 400],
      ["{", 400],
      ["", 400],
    ];
    for (const [body, status] of bodies) {
      const headers = { "content-type": "application/json" };
      const answer = await fetch(`${node.address}/api/session`, { method: "POST", headers, body });
      expect(answer.status, body.slice(0, 40)).toBe(status);
    }
    writeFileSync(join(library, "bomb.nanover.zip"), zipOf("trajectory.traj", Buffer.alloc(512 << 20)));
    await until(
      () => admin.json<{ recordings: readonly Item[] }>("GET", "/api/recordings?q=bomb"),
      (page) => page.recordings.length === 0 || page.recordings[0]!.state !== "new",
      30,
    );
    expect(await admin.status("GET", "/health")).toBe(200);
    expect(memory() - before).toBeLessThan(400);
  });

  test("no parameter of any route makes the server fail, ask another server, or say what it is given as a header", async () => {
    const canaryAt = `http://127.0.0.1:${(canary.address() as AddressInfo).port}/`;
    const nasty = [
      "'",
      "' or '1'='1",
      "'; drop table users; --",
      "\0",
      "\\",
      "%",
      "_",
      "$1",
      "\ud800",
      "x\r\nset-cookie: a=b",
      canaryAt,
    ];
    nasty.push(
      "null",
      "NaN",
      "-1",
      "1e400",
      "99999999999999999999",
      "0001-01-01T00:00:00Z",
      "9999-12-31T23:59:60Z",
      "{}",
      "[]",
      "../..",
      "\u202e",
      "𝒳",
    );
    nasty.push("2026-13-45T99:99:99Z", "+275760-09-13T00:00:00Z", "-000001-01-01T00:00:00Z", "bytes=0-");
    const value = fc.oneof(
      fc.constantFrom(...nasty),
      fc.string({ unit: "binary", maxLength: 60 }),
      fc.double().map(String),
    );
    const routes = Object.entries(document.paths).flatMap(([path, methods]) => {
      const parameters = methods["get"]?.parameters;
      return parameters === undefined ? [] : [{ path, parameters }];
    });
    expect(routes.length).toBeGreaterThan(5);
    const escaped = (text: string): string => encodeURIComponent(text.replace(/\p{Surrogate}/gu, "\ufffd"));
    const asked = fc.constantFrom(...routes).chain(({ path, parameters }) =>
      fc.tuple(...parameters.map(() => fc.option(value, { nil: undefined }))).map((values) => {
        const given = parameters.map(({ name, in: where }, n) => ({ name, where, value: values[n] }));
        const inQuery = given.filter((one) => one.where === "query" && one.value !== undefined);
        const query = inQuery.map((one) => `${one.name}=${escaped(one.value!)}`).join("&");
        const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
          escaped(given.find((one) => one.name === name)?.value ?? recordings[0]!.id),
        );
        return `${filled}?${query}`;
      }),
    );
    await fc.assert(
      fc.asyncProperty(asked, async (target) => {
        const stop = new AbortController();
        const answer = await fetch(node.address + target, {
          headers: admin.headers,
          redirect: "manual",
          signal: stop.signal,
        });
        stop.abort();
        expect(answer.status, `${target}\n${node.said().slice(-2000)}`).toBeLessThan(500);
        expect(answer.headers.get("set-cookie") ?? "", target).not.toContain("a=b");
      }),
      { numRuns: 500 },
    );
    expect(heard).toBe(0);
    expect((await admin.json<{ users: readonly unknown[] }>("GET", "/api/users")).users).toHaveLength(1);
  });

  test("names and passwords of every kind do not make signing in fail", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: "binary", maxLength: 50 }),
        fc.string({ maxLength: 50 }),
        async (name, password) => {
          const status = await new Caller(node).status("POST", "/api/session", { name, password });
          expect([400, 401], JSON.stringify(name)).toContain(status);
        },
      ),
      { numRuns: 50 },
    );
  });

  test(`${CONNECTIONS.toLocaleString("en")} connections at once: most are closed, the server goes on`, async () => {
    const before = memory();
    const kept = new Set<Socket>();
    let closed = 0;
    for (let made = 0; made < CONNECTIONS; made += 500) {
      await Promise.all(
        Array.from({ length: 500 }, async () => {
          // an address has ports for some 28,000
          const socket = connection(node.address, `127.0.0.${2 + Math.floor(made / 10_000)}`);
          kept.add(socket);
          // else its end would not be heard of
          socket.resume();
          socket.on("error", () => undefined);
          socket.once("close", () => {
            closed++;
            kept.delete(socket);
          });
          await new Promise<void>((resolve) => {
            socket.once("connect", () => resolve());
            socket.once("close", () => resolve());
          });
        }),
      );
    }
    await until(
      () => Promise.resolve(closed),
      (count) => count >= CONNECTIONS - MOST_AT_ONCE,
      20,
    );
    for (const socket of kept) socket.destroy();
    await until(
      () => admin.status("GET", "/api/me").catch(() => 0),
      (status) => status === 200,
      10,
    );
    expect(memory() - before).toBeLessThan(200);
  });

  test("those who send slowly are cut off, and keep no other waiting", async () => {
    const began = Date.now();
    const slow = Array.from({ length: 200 }, (_, n) => {
      const socket = connection(node.address);
      socket.on("error", () => undefined);
      socket.write(n % 2 === 0 ? "GET /health HTTP/1.1\r\nhost: " : "POST /api/session HTTP/1.1\r\nhost: x\r\nx: ");
      const sending = setInterval(() => socket.write("a"), 500);
      return new Promise<void>((resolve) =>
        socket.once("close", () => {
          clearInterval(sending);
          resolve();
        }),
      );
    });
    for (let n = 0; n < 20; n++) {
      const at = performance.now();
      expect(await admin.status("GET", "/api/recordings")).toBe(200);
      expect(performance.now() - at).toBeLessThan(2000);
    }
    await Promise.all(slow);
    expect(Date.now() - began).toBeLessThan(40_000);
  });
});

/** A zip of one file. */
function zipOf(name: string, content: Buffer): Buffer {
  const packed = deflateRawSync(content);
  const named = Buffer.from(name);
  const local = Buffer.alloc(30);
  local.writeUInt32LE(0x04034b50, 0);
  local.writeUInt16LE(20, 4);
  local.writeUInt16LE(8, 8);
  local.writeUInt32LE(packed.length, 18);
  local.writeUInt32LE(content.length, 22);
  local.writeUInt16LE(named.length, 26);
  const central = Buffer.alloc(46);
  central.writeUInt32LE(0x02014b50, 0);
  central.writeUInt16LE(20, 4);
  central.writeUInt16LE(20, 6);
  central.writeUInt16LE(8, 10);
  central.writeUInt32LE(packed.length, 20);
  central.writeUInt32LE(content.length, 24);
  central.writeUInt16LE(named.length, 28);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(central.length + named.length, 12);
  end.writeUInt32LE(local.length + named.length + packed.length, 16);
  return Buffer.concat([local, named, packed, central, named, end]);
}
