import { describe, expect, test } from "vitest";
import { s3Store } from "../../src/io/s3/s3.ts";
import { S3Client, type S3Options } from "../../src/io/s3/s3-client.ts";
import { readList } from "../../src/io/s3/s3-xml.ts";
import type { Store, StoreEntry } from "../../src/io/store/store.ts";
import { sampleBytes } from "../conformance/describe-source.ts";
import { describeWithCeph } from "../support/ceph.ts";

const bytes = sampleBytes(2000);

interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly body: Uint8Array | null;
}

/** What becomes of a request: an answer, or a failure to reach the server. */
type Answer = (asked: Asked, n: number) => Response | Error | Promise<Response | Error>;

/** A store whose server is `answer`; waiting takes no time and is noted, in milliseconds. */
function against(answer: Answer, options: Partial<S3Options> = {}): { store: Store; asked: Asked[]; waits: number[] } {
  const asked: Asked[] = [];
  const waits: number[] = [];
  const store = s3Store({
    endpoint: "https://s3.test",
    bucket: "bucket",
    prefix: "runs",
    credentials: { accessKeyId: "AK", secretAccessKey: "SK" },
    fetch: async (input, init) => {
      init?.signal?.throwIfAborted();
      const request: Asked = {
        method: init?.method ?? "GET",
        url: input as string,
        headers: new Headers(init?.headers),
        body: (init?.body ?? null) as Uint8Array | null,
      };
      asked.push(request);
      const result = await answer(request, asked.length);
      if (result instanceof Error) throw result;
      return result;
    },
    clock: {
      now: () => Date.UTC(2026, 0, 2, 3, 4, 5),
      random: () => 0.5,
      sleep: async (milliseconds) => void waits.push(milliseconds),
    },
    ...options,
  });
  return { store, asked, waits };
}

const ok = (headers: Record<string, string> = {}, body: string | null = null, status = 200): Response =>
  new Response(body, { status, headers: { etag: '"e1"', ...headers } });
const status = (code: number, error?: string): Response =>
  new Response(error === undefined ? null : `<Error><Code>${error}</Code><Message>because</Message></Error>`, {
    status: code,
  });
const broken = (): Error =>
  Object.assign(new TypeError("fetch failed"), { cause: Object.assign(new Error(), { code: "ECONNRESET" }) });

async function all(entries: AsyncIterable<StoreEntry>): Promise<StoreEntry[]> {
  const found: StoreEntry[] = [];
  for await (const entry of entries) found.push(entry);
  return found;
}

describe("requests to S3", () => {
  test("are signed, with the bucket in the path or in the host", async () => {
    const own = against(() => ok());
    await own.store.put("a.b/c", bytes);
    expect(own.asked[0]!.url).toBe("https://s3.test/bucket/runs/a.b/c");
    const { headers } = own.asked[0]!;
    expect(headers.get("authorization")).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AK\/20260102\/us-east-1\/s3\/aws4_request/,
    );
    expect(headers.get("x-amz-date")).toBe("20260102T030405Z");
    expect(headers.get("x-amz-content-sha256")).toMatch(/^[0-9a-f]{64}$/);
    const aws = against(() => ok(), { endpoint: undefined, region: "eu-west-1", prefix: "" });
    await aws.store.head("a");
    expect(aws.asked[0]!.url).toBe("https://bucket.s3.eu-west-1.amazonaws.com/a");
    const dotted = against(() => ok(), { endpoint: undefined, bucket: "a.b" });
    await dotted.store.head("a");
    expect(dotted.asked[0]!.url).toBe("https://s3.us-east-1.amazonaws.com/a.b/runs/a");
    const below = against(() => ok(), { endpoint: "https://s3.test/base/", style: "host" });
    await below.store.head("a");
    expect(below.asked[0]!.url).toBe("https://bucket.s3.test/base/runs/a");
  });

  test("ask for credentials each time when they may change, and are unsigned without", async () => {
    let n = 0;
    const renewed = against(() => ok(), {
      credentials: async () => ({ accessKeyId: `AK${++n}`, secretAccessKey: "SK", sessionToken: `T${n}` }),
    });
    await renewed.store.head("a");
    await renewed.store.head("a");
    expect(renewed.asked.map(({ headers }) => headers.get("x-amz-security-token"))).toEqual(["T1", "T2"]);
    const open = against(() => ok(), { credentials: null });
    await open.store.head("a");
    expect(open.asked[0]!.headers.has("authorization")).toBe(false);
    const none = against(() => ok(), { credentials: () => Promise.reject(new Error("expired")) });
    await expect(none.store.head("a")).rejects.toMatchObject({ code: "denied" });
    expect(none.asked).toHaveLength(0);
  });

  test("of wrong options are refused before they are made", () => {
    for (const options of [
      { bucket: "a/b" },
      { bucket: "" },
      { prefix: "a/../b" },
      { prefix: "." },
      { endpoint: "no url" },
    ])
      expect(() => against(() => ok(), options)).toThrow(TypeError);
  });
});

describe("a clock that is wrong", () => {
  const OWN = Date.UTC(2026, 0, 2, 3, 4, 5);
  const far = (date: number): Response =>
    new Response("<Error><Code>RequestTimeTooSkewed</Code><Message>because</Message></Error>", {
      status: 403,
      headers: { date: new Date(date).toUTCString() },
    });

  test.each([20, -600, 60 * 24 * 400])("by %d minutes is set right by the server's, once", async (minutes) => {
    const servers = OWN + minutes * 60_000;
    const signed = (headers: Headers): number =>
      Date.parse(headers.get("x-amz-date")!.replace(/(....)(..)(..T..)(..)/, "$1-$2-$3:$4:"));
    const { store, asked } = against(({ headers }) =>
      Math.abs(signed(headers) - servers) < 900_000 ? ok({ "content-length": "5" }) : far(servers),
    );
    expect(await store.head("a")).toMatchObject({ size: 5 });
    await store.put("a", bytes);
    const source = (await store.source("a"))!;
    await source.read(0, 5).catch(() => undefined);
    expect(asked.filter(({ headers }) => Math.abs(signed(headers) - servers) > 1000)).toHaveLength(1);
  });

  test("is said when the server does not tell its own, and a refusal for another reason is that", async () => {
    const silent = against(() => status(403, "RequestTimeTooSkewed"));
    await expect(silent.store.put("a", bytes)).rejects.toMatchObject({
      code: "denied",
      message: expect.stringContaining("the server refuses access, because the clock of this machine differs"),
    });
    const ever = against((_, n) => far(OWN + n * 3_600_000));
    await expect(ever.store.put("a", bytes)).rejects.toMatchObject({ code: "denied" });
    expect(ever.asked).toHaveLength(2);
    const refused = against(() => new Response(null, { status: 403, headers: { date: new Date(OWN).toUTCString() } }));
    await expect(refused.store.head("a")).rejects.toMatchObject({ code: "denied" });
    expect(refused.asked).toHaveLength(1);
  });
});

describe("S3 that fails", () => {
  for (const passing of [500, 502, 503, 504, 429] as const) {
    test(`${passing} is asked again, longer apart each time, and reported when it does not end`, async () => {
      const { store, asked, waits } = against((_, n) => (n < 4 ? status(passing) : ok({ "content-length": "5" })));
      expect(await store.head("a")).toMatchObject({ size: 5 });
      expect(asked).toHaveLength(4);
      expect(waits).toEqual([100, 200, 400]);
      const ever = against(() => status(passing, "SlowDown"));
      await expect(ever.store.get("a")).rejects.toMatchObject({
        code: "unavailable",
        message: expect.stringContaining(`(${passing} SlowDown: because), tried 5 times: s3://bucket/runs/a`),
      });
    });
  }

  for (const [code, error, expected] of [
    [403, "AccessDenied", "denied"],
    [400, "InvalidArgument", "malformed"],
    [403, "QuotaExceeded", "full"],
    [404, "NoSuchBucket", "not-found"],
  ] as const) {
    test(`${code} ${error} is ${expected} at once`, async () => {
      const { store, asked } = against(() => status(code, error));
      await expect(store.get("a")).rejects.toMatchObject({ name: "StoreError", code: expected });
      await expect(store.put("a", bytes, { condition: { absent: true } })).rejects.toMatchObject({ code: expected });
      expect(asked).toHaveLength(2);
    });
  }

  test("a cut connection and an answer that never comes are asked again", async () => {
    const cut = against((_, n) => (n < 3 ? broken() : ok()));
    await cut.store.put("a", bytes);
    expect(cut.asked).toHaveLength(3);
    const mute = against(() => new Promise<Response>(() => undefined), {
      timeout: 1,
      retries: 1,
      fetch: (_, init) =>
        new Promise((_resolve, reject) => {
          const { signal } = init!;
          if (signal!.aborted) reject(signal!.reason);
          else signal!.addEventListener("abort", () => reject(signal!.reason));
        }),
    });
    await expect(mute.store.get("a")).rejects.toThrow(/no answer in time.*tried 2 times/);
  });

  test("an abort ends waiting and trying with its reason", async () => {
    const controller = new AbortController();
    const reason = new Error("enough");
    const { store, asked } = against(() => {
      controller.abort(reason);
      return broken();
    });
    await expect(store.put("a", bytes, { signal: controller.signal })).rejects.toBe(reason);
    expect(asked).toHaveLength(1);
  });
});

describe("a conditional put to S3", () => {
  const absent = { condition: { absent: true } } as const;

  test("without an idempotency key is tried once, and what became of it is not claimed to be known", async () => {
    for (const failing of [broken, (): Response => status(500)]) {
      const { store, asked } = against(failing);
      await expect(store.put("a", bytes, absent)).rejects.toMatchObject({ code: "unavailable" });
      expect(asked).toHaveLength(1);
    }
    const { store } = against(broken);
    await expect(store.put("a", bytes, absent)).rejects.toThrow(
      /\(ECONNRESET\), it is not known whether the request took effect/,
    );
  });

  /** A bucket of one object, whose first answer to a put is lost. */
  function losing(isDone: boolean, meanwhile?: string): ReturnType<typeof against> {
    let there: string | null = null;
    return against(({ method, headers }, n) => {
      if (method === "HEAD") return there === null ? status(404) : ok({ "x-amz-meta-idempotency-key": there });
      if (there !== null) return status(412, "PreconditionFailed");
      if (n > 1 || isDone) there = headers.get("x-amz-meta-idempotency-key");
      if (n === 1) there = meanwhile ?? there;
      return n === 1 ? broken() : ok();
    });
  }

  test("with one finds what it has done itself when the answer was lost", async () => {
    const { store, asked } = losing(true);
    expect(await store.put("a", bytes, { ...absent, idempotencyKey: "mine" })).toBe("e1");
    expect(asked.map(({ method }) => method)).toEqual(["PUT", "PUT", "HEAD"]);
    expect(asked.map(({ headers }) => headers.get("if-none-match"))).toEqual(["*", "*", null]);
    expect(asked[1]!.body).toEqual(asked[0]!.body);
  });

  test("with one is made when the first try was not", async () => {
    const { store, asked } = losing(false);
    expect(await store.put("a", bytes, { ...absent, idempotencyKey: "mine" })).toBe("e1");
    expect(asked).toHaveLength(2);
  });

  test("with one is a conflict when another was there before the second try", async () => {
    const { store } = losing(false, "another's");
    await expect(store.put("a", bytes, { ...absent, idempotencyKey: "mine" })).rejects.toMatchObject({
      code: "conflict",
    });
  });

  test("409 of a change that came to nothing is tried again, of one that was made it is a conflict", async () => {
    const nothing = against(({ method }, n) =>
      method === "HEAD" ? status(404) : n === 1 ? status(409, "ConditionalRequestConflict") : ok(),
    );
    expect(await nothing.store.put("a", bytes, { ...absent, idempotencyKey: "mine" })).toBe("e1");
    const made = against(({ method }) => (method === "HEAD" ? ok() : status(409, "ConditionalRequestConflict")));
    await expect(made.store.put("a", bytes, { ...absent, idempotencyKey: "mine" })).rejects.toMatchObject({
      code: "conflict",
    });
  });

  test("gives the etag with quotation marks first, and without to a server that wants it so", async () => {
    const { store, asked } = against(({ method, headers }) =>
      method === "PUT" && headers.get("if-match") !== "e1" ? status(412) : ok(),
    );
    await store.put("a", bytes, { condition: { etag: "e1" } });
    await store.put("a", bytes, { condition: { etag: "e1" } });
    expect(asked.map(({ method, headers }) => `${method} ${headers.get("if-match")}`)).toEqual([
      'PUT "e1"',
      "HEAD null",
      "PUT e1",
      "PUT e1",
    ]);
  });
});

describe("a large object in S3", () => {
  const PART = 1000;
  /** A server for uploads; `fail` may answer instead. */
  function uploads(
    fail: (asked: Asked, query: URLSearchParams, n: number) => Response | Error | null,
    initial: string | null = null,
  ): ReturnType<typeof against> & { parts: Map<string, Uint8Array>; mark: () => string | null } {
    const parts = new Map<string, Uint8Array>();
    let mark = "";
    let completed: string | null = initial;
    const run = against(
      (asked, n) => {
        const query = new URL(asked.url).searchParams;
        const answer = fail(asked, query, n);
        if (query.has("uploads")) mark = asked.headers.get("x-amz-meta-idempotency-key") ?? "";
        if (asked.method === "POST" && query.has("uploadId") && !(answer instanceof Response)) completed = mark;
        if (answer !== null) return answer;
        if (query.has("uploads"))
          return ok({}, "<InitiateMultipartUploadResult><UploadId>u 1</UploadId></InitiateMultipartUploadResult>");
        if (query.has("partNumber")) {
          parts.set(query.get("partNumber")!, asked.body!.slice());
          return ok({ etag: `"p${query.get("partNumber")}"` });
        }
        if (asked.method === "HEAD")
          return completed === null ? status(404) : ok({ "x-amz-meta-idempotency-key": completed });
        if (asked.method === "DELETE") return new Response(null, { status: 204 });
        return ok({}, "<CompleteMultipartUploadResult/>");
      },
      { partSize: PART },
    );
    return { ...run, parts, mark: () => completed };
  }
  const writeAll = async (store: Store, options = {}): Promise<void> => {
    const sink = await store.sink("a", options);
    for (let at = 0; at < bytes.length; at += 300) await sink.write(bytes.subarray(at, at + 300));
    await sink.write(bytes.subarray(0, 1));
    await sink.close();
  };

  test("goes in parts of the same size, the last one shorter, joined in their order", async () => {
    const { store, asked, parts } = uploads(() => null);
    await writeAll(store);
    expect([...parts].map(([number, { length }]) => [number, length])).toEqual([
      ["1", 1000],
      ["2", 1000],
      ["3", 1],
    ]);
    const last = asked.at(-1)!;
    expect(new TextDecoder().decode(last.body!)).toBe(
      `<CompleteMultipartUpload>${[1, 2, 3].map((n) => `<Part><PartNumber>${n}</PartNumber><ETag>"p${n}"</ETag></Part>`).join("")}</CompleteMultipartUpload>`,
    );
  });

  test("sends a part again that failed, begins an upload once only, and gives up parts when it fails", async () => {
    const part = uploads((_, query, n) => (query.get("partNumber") === "2" && n < 5 ? broken() : null));
    await writeAll(part.store);
    expect(Buffer.concat([...part.parts.values()])).toEqual(Buffer.concat([bytes, bytes.subarray(0, 1)]));
    const begin = uploads((_, query) => (query.has("uploads") ? broken() : null));
    await expect(writeAll(begin.store)).rejects.toMatchObject({ code: "unavailable" });
    expect(begin.asked).toHaveLength(1);
    const denied = uploads((_, query) => (query.get("partNumber") === "2" ? status(403, "AccessDenied") : null));
    const sink = await denied.store.sink("a");
    await sink.write(bytes);
    await expect(sink.write(bytes)).rejects.toMatchObject({ code: "denied" });
    await expect(sink.close()).rejects.toMatchObject({ code: "denied" });
    expect(denied.asked.at(-1)).toMatchObject({ method: "DELETE", url: expect.stringContaining("uploadId=u%201") });
  });

  test("is known again when the answer to its completion was lost", async () => {
    const isCompletion = ({ method }: Asked, query: URLSearchParams): boolean =>
      method === "POST" && query.has("uploadId");
    let n = 0;
    const lost = uploads((asked, query) =>
      !isCompletion(asked, query) ? null : n++ === 0 ? broken() : status(404, "NoSuchUpload"),
    );
    await writeAll(lost.store);
    expect(lost.mark()).not.toBe("");
    n = 0;
    const gone = uploads((asked, query) => (isCompletion(asked, query) ? status(404, "NoSuchUpload") : null));
    await expect(writeAll(gone.store)).rejects.toMatchObject({ code: "unavailable" });
  });

  test("is completed again when the body says that 200 was a failure", async () => {
    let n = 0;
    const { store } = uploads(({ method }, query) =>
      method === "POST" && query.has("uploadId") && n++ === 0
        ? ok({}, "<Error><Code>InternalError</Code></Error>")
        : null,
    );
    await writeAll(store);
    expect(n).toBe(2);
  });

  test("looks at its condition before it is completed", async () => {
    const taken = uploads(() => null, "another's");
    await expect(writeAll(taken.store, { condition: { absent: true } })).rejects.toMatchObject({ code: "conflict" });
    expect(taken.asked.at(-1)!.method).toBe("DELETE");
    const own = uploads(() => null, "mine");
    await writeAll(own.store, { condition: { absent: true }, idempotencyKey: "mine" });
    expect(own.asked.filter(({ method }) => method === "POST")).toHaveLength(1);
  });

  test("takes bytes over what was not sent yet, and refuses those that were", async () => {
    const { store, parts } = uploads(() => null);
    const sink = await store.sink("a");
    await sink.write(bytes.subarray(0, 1500));
    await sink.writeAt(1000, new Uint8Array(500));
    await expect(sink.writeAt(999, new Uint8Array(1))).rejects.toMatchObject({ code: "malformed" });
    await expect(sink.close()).rejects.toMatchObject({ code: "malformed" });
    expect(parts.size).toBe(1);
  });
});

describe("lists and deletes of S3", () => {
  const page = (keys: readonly string[], next: string | null): Response =>
    ok(
      {},
      `<?xml version="1.0"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><IsTruncated>${next !== null}</IsTruncated>${next === null ? "" : `<NextContinuationToken>${next}</NextContinuationToken>`}${keys.map((key) => `<Contents><Key>${key}</Key><LastModified>2026-01-02T03:04:05.678Z</LastModified><ETag>&quot;e&quot;</ETag><Size>7</Size></Contents>`).join("")}</ListBucketResult>`,
    );

  test("go on page by page, asked for again when they fail, without what is no key", async () => {
    const { store, asked } = against(({ url }, n) => {
      if (n === 2) return status(503);
      return url.includes("continuation-token=t%2B1")
        ? page(["runs/c%2Bd", "runs/d"], null)
        : page(["runs/a", "runs/", "runs/b%20c", "other"], "t+1");
    });
    const found = await all(store.list(""));
    expect(found.map(({ key }) => key)).toEqual(["a", "d"]);
    expect(found[0]).toEqual({ key: "a", size: 7, etag: "e", modified: Date.UTC(2026, 0, 2, 3, 4, 5, 678) });
    expect(asked).toHaveLength(3);
    expect(asked[0]!.url).toContain("prefix=runs%2F");
  });

  test("say so when the server is none of S3, or hides the ETag", async () => {
    for (const body of ["<html/>", "{}", ""])
      await expect(all(against(() => ok({}, body)).store.list(""))).rejects.toMatchObject({ code: "unavailable" });
    await expect(against(() => new Response(null)).store.head("a")).rejects.toThrow(/does not show the ETag/);
  });

  test("a conditional delete looks first, and after a lost answer again", async () => {
    let there: string | null = "e1";
    const { store, asked } = against(({ method }, n) => {
      if (method === "HEAD") return there === null ? status(404) : ok({ etag: `"${there}"` });
      there = null;
      return n < 3 ? broken() : new Response(null, { status: 204 });
    });
    await store.delete("a", { condition: { etag: "e1" } });
    expect(asked.map(({ method }) => method)).toEqual(["HEAD", "DELETE", "HEAD"]);
    there = "e2";
    await expect(store.delete("a", { condition: { etag: "e1" } })).rejects.toMatchObject({ code: "conflict" });
  });
});

describeWithCeph("a real S3 server", (bucket) => {
  test("gives lists of several pages in order", async () => {
    const options = { ...bucket(), prefix: "pages" };
    const store = s3Store(options);
    const keys = Array.from({ length: 25 }, (_, i) => `seg-${`${i}`.padStart(8, "0")}.hcs`);
    await Promise.all(keys.map((key) => store.put(key, new Uint8Array(1))));
    expect((await all(store.list(""))).map(({ key }) => key)).toEqual(keys);
    expect((await all(store.list("seg-0000001"))).map(({ key }) => key)).toEqual(keys.slice(10, 20));
    const found: string[] = [];
    for (let token: string | null = ""; token !== null; ) {
      const query: Record<string, string> = {
        "list-type": "2",
        "encoding-type": "url",
        prefix: "pages/",
        "max-keys": "7",
      };
      if (token !== "") query["continuation-token"] = token;
      const { bytes: body } = await new S3Client(options).ask({ method: "GET", key: null, query, repeatable: true });
      const page = readList(new TextDecoder().decode(body));
      found.push(...page.contents.map(({ key }) => key));
      token = page.next;
    }
    expect(found).toEqual(keys.map((key) => `pages/${key}`));
  });

  test("keeps nothing of an upload that was aborted, and the parts of one in order", async () => {
    const store = s3Store({ ...bucket(), partSize: 5 << 20 });
    const large = sampleBytes((11 << 20) + 7);
    const sink = await store.sink("large", { condition: { absent: true }, idempotencyKey: "upload-1" });
    for (let at = 0; at < large.length; at += 1 << 20) await sink.write(large.subarray(at, at + (1 << 20)));
    await sink.close();
    const got = await store.get("large");
    expect(Buffer.compare(got!.bytes, large)).toBe(0);
    const again = await store.sink("large", { condition: { absent: true }, idempotencyKey: "upload-1" });
    await again.write(large);
    await again.close();
    expect((await store.head("large"))!.etag).toBe(got!.etag);
  });

  test("loses no change and makes none twice when every third request fails before or after it is done", async () => {
    let state = 1;
    const lossy: typeof fetch = async (input, init) => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      const draw = state / 2 ** 32;
      if (draw < 0.15) throw broken();
      const response = await fetch(input, init);
      if (draw < 0.3) {
        await response.arrayBuffer();
        throw broken();
      }
      return draw < 0.35 ? status(503) : response;
    };
    const clock = { now: Date.now, random: Math.random, sleep: async (): Promise<void> => undefined };
    const store = s3Store({ ...bucket(), prefix: "lossy", fetch: lossy, clock, retries: 40, partSize: 5 << 20 });
    const count = async (who: string): Promise<void> => {
      let etag = await store.put(who, new Uint8Array([0]), { condition: { absent: true }, idempotencyKey: "0" });
      for (let n = 1; n <= 8; n++) {
        expect((await store.get(who))!.bytes).toEqual(new Uint8Array([n - 1]));
        etag = await store.put(who, new Uint8Array([n]), { condition: { etag }, idempotencyKey: `${n}` });
      }
    };
    await Promise.all(["a", "b", "c"].map(count));
    expect((await all(store.list(""))).map(({ key }) => key)).toEqual(["a", "b", "c"]);
    const large = sampleBytes(6 << 20);
    for (let tries = 0; ; tries++) {
      // To begin an upload is the one request that is not made twice.
      const sink = await store.sink("large", { condition: { absent: true }, idempotencyKey: "large" });
      const isDone = await sink.write(large).then(
        () => sink.close().then(() => true),
        () => sink.abort().then(() => false),
      );
      if (isDone) break;
      expect(tries).toBeLessThan(50);
    }
    const source = await store.source("large");
    expect(Buffer.compare(await source!.read(0, large.length), large)).toBe(0);
    await source!.close();
  });

  test("says what is wrong with credentials and buckets", async () => {
    const wrong = s3Store({ ...bucket(), credentials: { accessKeyId: "TESTACCESS", secretAccessKey: "wrong" } });
    await expect(wrong.get("a")).rejects.toMatchObject({
      code: "denied",
      message: expect.stringContaining("SignatureDoesNotMatch"),
    });
    const none = s3Store({ ...bucket(), bucket: "no-such-bucket" });
    await expect(none.get("a")).rejects.toMatchObject({ code: "not-found" });
    await expect(none.put("a", bytes)).rejects.toMatchObject({ code: "not-found" });
  });
});
