import { gzipSync } from "fflate";
import { describe, expect, test } from "vitest";
import { cached } from "../../src/io/source/cached.ts";
import { coalesced } from "../../src/io/source/coalesced.ts";
import { type HttpOptions, http } from "../../src/io/http/http.ts";
import type { ByteSource } from "../../src/io/source/source.ts";
import { sampleBytes } from "../conformance/describe-source.ts";
import * as bad from "./bad-server.ts";

const bytes = sampleBytes(500_000);

/** Counts the waits before tries instead of waiting. */
function retries(): { options: HttpOptions; waits: number[] } {
  const waits: number[] = [];
  return { waits, options: { wait: async (attempt) => void waits.push(attempt) } };
}

async function against(
  manner: bad.Manner,
  check: (source: ByteSource, asked: bad.Asked[], waits: number[]) => Promise<void>,
  options: HttpOptions = {},
  content: Uint8Array = bytes,
): Promise<void> {
  const server = await bad.serve(content, manner);
  const { waits, options: quick } = retries();
  const source = http(server.url, { ...quick, ...options });
  try {
    await check(source, server.asked, waits);
  } finally {
    await source.close();
    await server.close();
  }
}

const expectBytes = (got: Uint8Array, start: number, end: number): void =>
  expect(Buffer.compare(got, bytes.subarray(start, end))).toBe(0);

describe("an http source and a server that does what it should", () => {
  test("learns the size from the first answer, without HEAD", () =>
    against(bad.wellBehaved, async (source, asked) => {
      expectBytes(await source.read(10, 90), 10, 100);
      expect(await source.size()).toBe(bytes.length);
      expect(asked.map(({ method, range }) => [method, range])).toEqual([["GET", "bytes=10-99"]]);
    }));

  test("size alone costs one request, however often it is asked", () =>
    against(bad.wellBehaved, async (source, asked) => {
      expect(await Promise.all([source.size(), source.size()])).toEqual([bytes.length, bytes.length]);
      expect(await source.size()).toBe(bytes.length);
      expect(asked).toHaveLength(1);
    }));

  test("size asked beside a first read waits for its answer", () =>
    against(bad.wellBehaved, async (source, asked) => {
      await Promise.all([source.read(0, 10), source.size()]);
      expect(asked).toHaveLength(1);
    }));

  test("nothing is asked beyond a known end", () =>
    against(bad.wellBehaved, async (source, asked) => {
      await source.size();
      expect(await source.read(bytes.length, 10)).toHaveLength(0);
      expect(asked).toHaveLength(1);
    }));

  test("asks for bytes as they are, and sends the headers and query given", () =>
    against(
      bad.wellBehaved,
      async (source, asked) => {
        await source.read(0, 1);
        expect(asked[0]?.headers["accept-encoding"]).toBe("identity");
        expect(asked[0]?.headers["x-key"]).toBe("abc");
        expect(asked[0]?.path).toBe("/tapes/run.traj?key=a%2Fb");
      },
      { headers: { "X-Key": "abc" } },
    ));

  test("name and password go into a header and never into a message", async () => {
    const server = await bad.serve(bytes, bad.fails(404, 99));
    const source = http(server.url.replace("http://", "http://me:s%C3%A9cret@"));
    const error: unknown = await source.read(0, 1).catch((reason: unknown) => reason);
    await server.close();
    expect(server.asked[0]?.headers.authorization).toBe(`Basic ${Buffer.from("me:sécret").toString("base64")}`);
    expect(String(error)).not.toContain("cret");
    expect(source.name).not.toContain("me");
  });

  test("cached and coalesced: head, size and more of a 10 MB file cost one request", async () => {
    const large = sampleBytes(10_000_000);
    const server = await bad.serve(large);
    const source = cached(coalesced(http(server.url)));
    expect(await source.read(0, 4096)).toEqual(large.slice(0, 4096));
    expect(await source.size()).toBe(large.length);
    expect(Buffer.compare(await source.read(0, 200_000), large.subarray(0, 200_000))).toBe(0);
    expect(server.asked).toHaveLength(1);
    await source.close();
    await server.close();
  });
});

describe("an http source and a server that knows no ranges", () => {
  for (const [how, manner] of [
    ["with a length", bad.noRanges],
    ["in chunks", bad.chunked],
  ] as const) {
    test(`takes the whole file once and serves later reads from it (sent ${how})`, () =>
      against(manner, async (source, asked) => {
        expectBytes(await source.read(1000, 5000), 1000, 6000);
        expectBytes(await source.read(400_000, 200_000), 400_000, 500_000);
        expect(await source.size()).toBe(bytes.length);
        expect(asked).toHaveLength(1);
      }));

    test(`refuses a file above the limit and tells to download it (sent ${how})`, () =>
      against(
        manner,
        async (source, asked) => {
          const refusal = /does not support ranges.*larger than 100000 bytes.*download it first.*: http:\/\/\S+$/;
          await expect(source.read(0, 10)).rejects.toThrow(refusal);
          await expect(source.read(0, 10)).rejects.toThrow(refusal);
          expect(asked).toHaveLength(1);
        },
        { limit: 100_000 },
      ));
  }

  test("parallel first reads share one whole file, and the abort of one leaves the others alone", () =>
    against(bad.chunked, async (source) => {
      const controller = new AbortController();
      const aborted = source.read(0, 100, controller.signal).catch(() => null);
      const others = Promise.all([source.read(0, 100), source.read(300_000, 100)]);
      controller.abort();
      const [a, b] = await others;
      expectBytes(a, 0, 100);
      expectBytes(b, 300_000, 300_100);
      await aborted;
    }));

  test("a 200 after earlier ranges is the whole file too", () =>
    against(bad.forgetsRanges, async (source, asked) => {
      expectBytes(await source.read(0, 100), 0, 100);
      expectBytes(await source.read(200_000, 100), 200_000, 200_100);
      expectBytes(await source.read(300_000, 100), 300_000, 300_100);
      expect(asked).toHaveLength(2);
    }));

  test("begins the whole file again when it was cut", () =>
    against(bad.cutsWhole(70_000, 2), async (source, asked, waits) => {
      expectBytes(await source.read(0, bytes.length), 0, bytes.length);
      expect(asked).toHaveLength(3);
      expect(waits).toEqual([1, 2]);
    }));

  test("gives up on a whole file that is always cut", () =>
    against(bad.cutsWhole(70_000, 99), async (source, asked) => {
      await expect(source.read(0, 10)).rejects.toMatchObject({ name: "SourceError", reason: "failed" });
      expect(asked).toHaveLength(4);
    }));

  test("a whole file sent compressed is taken inflated", () =>
    against(
      (_request, response) => void response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(bytes)),
      async (source) => {
        expectBytes(await source.read(123, 1000), 123, 1123);
        expect(await source.size()).toBe(bytes.length);
      },
    ));
});

describe("an http source and a server that answers wrongly", () => {
  test("rejects a range it did not ask for", () =>
    against(bad.wrongRange, async (source, asked) => {
      await expect(source.read(0, 10)).rejects.toThrow(/bytes 1-10 when asked for 0-9: http/);
      expect(asked).toHaveLength(1);
    }));

  test("asks on when it gets less than it asked for", () =>
    against(bad.shortRanges(1000), async (source, asked, waits) => {
      expectBytes(await source.read(500, 3500), 500, 4000);
      expect(asked.map(({ range }) => range)).toEqual([
        "bytes=500-3999",
        "bytes=1500-3999",
        "bytes=2500-3999",
        "bytes=3500-3999",
      ]);
      expect(waits).toEqual([]);
    }));

  for (const header of ["etag", "last-modified"] as const) {
    test(`another ${header} in a later answer means the file was changed`, () =>
      against(bad.changes(header, 2), async (source) => {
        expectBytes(await source.read(0, 100), 0, 100);
        await expect(source.read(100, 100)).rejects.toMatchObject({ name: "SourceError", reason: "changed" });
        await expect(source.read(0, 100)).rejects.toMatchObject({ reason: "changed" });
      }));
  }

  test("another ETag after a cut does not join two files", () =>
    against(
      (request, response, content, n) =>
        (n === 1 ? bad.cuts(100_000, 1) : bad.ranges({ etag: '"two"' }))(request, response, content, n),
      async (source) => {
        await expect(source.read(0, 300_000)).rejects.toMatchObject({ reason: "changed" });
      },
    ));

  test("an ETag that turns weak is the same", () =>
    against(
      (request, response, content, n) =>
        bad.ranges({ etag: n === 1 ? '"one"' : 'W/"one"' })(request, response, content, n),
      async (source) => {
        await source.read(0, 100);
        expectBytes(await source.read(100, 100), 100, 200);
      },
    ));

  test("another size without validators means the file was changed", () =>
    against(
      (request, response, content, n) =>
        bad.ranges({})(request, response, n === 1 ? content : content.subarray(0, 1000), n),
      async (source) => {
        await source.read(0, 100);
        await expect(source.read(100, 100)).rejects.toMatchObject({ reason: "changed" });
        await expect(source.read(5000, 100)).rejects.toMatchObject({ reason: "changed" });
      },
    ));

  test("refuses ranges of a compressed form", () =>
    against(bad.compresses, async (source) => {
      await expect(source.read(0, 10)).rejects.toThrow(/compresses ranges/);
    }));

  test("416 beyond the end gives no bytes, and the size", () =>
    against(bad.wellBehaved, async (source, asked) => {
      expect(await source.read(bytes.length + 10, 10)).toHaveLength(0);
      expect(await source.size()).toBe(bytes.length);
      expect(asked).toHaveLength(1);
    }));

  test("416 because the range ends outside is asked again up to the end", () =>
    against(bad.refusesLongRanges, async (source) => {
      expectBytes(await source.read(499_000, 5000), 499_000, 500_000);
    }));

  test("416 to every range makes it take the whole file", () =>
    against(bad.refusesRanges, async (source) => {
      expectBytes(await source.read(0, 10), 0, 10);
      expectBytes(await source.read(400_000, 10), 400_000, 400_010);
    }));

  test("a server that does not tell the size is read to its end all the same", () =>
    against(bad.silentAboutSize, async (source, asked) => {
      expect(await source.size()).toBeNull();
      expect(await source.size()).toBeNull();
      expect(asked).toHaveLength(1);
      expectBytes(await source.read(499_900, 5000), 499_900, 500_000);
      expect(await source.read(600_000, 10)).toHaveLength(0);
    }));

  test("an answer whose headers a page may not see is believed in its length", async () => {
    const fetch: typeof globalThis.fetch = async (_url, init) => {
      const [start, end] = /(\d+)-(\d+)/
        .exec(new Headers(init?.headers).get("range") ?? "")!
        .slice(1)
        .map(Number);
      const part = bytes.slice(start, end! + 1);
      return new Response(part, { status: 206, headers: { "content-length": `${part.length}` } });
    };
    const source = http("https://example.org/run.traj", { fetch });
    expectBytes(await source.read(100, 100), 100, 200);
    expectBytes(await source.read(499_990, 100), 499_990, 500_000);
    expect(await source.size()).toBe(bytes.length);
  });
});

describe("an http source and a server that fails", () => {
  test("goes on where the connection was cut", () =>
    against(bad.cuts(100_000, 1), async (source, asked, waits) => {
      expectBytes(await source.read(1000, 300_000), 1000, 301_000);
      expect(asked).toHaveLength(2);
      const resumed = Number(/bytes=(\d+)-300999/.exec(asked[1]?.range ?? "")?.[1]);
      expect(resumed).toBeGreaterThan(1000);
      expect(resumed).toBeLessThanOrEqual(101_000);
      expect(waits).toEqual([1]);
    }));

  test("cuts that let enough through do not use up the tries", () =>
    against(bad.cuts(100_000, 99), async (source, asked) => {
      expectBytes(await source.read(0, bytes.length), 0, bytes.length);
      expect(asked.length).toBeGreaterThanOrEqual(5);
    }));

  test("gives up when each try brings next to nothing", () =>
    against(bad.cuts(10, 99), async (source, asked, waits) => {
      await expect(source.read(0, 1000)).rejects.toThrow(/tried 4 times: http/);
      expect(asked).toHaveLength(4);
      expect(waits).toEqual([1, 2, 3]);
    }));

  test("a body shorter than announced is asked for again", () =>
    against(
      (request, response, content, n) => {
        if (n > 1) return bad.wellBehaved(request, response, content, n);
        response.writeHead(206, { "content-range": `bytes 0-999/${content.length}`, etag: '"one"' });
        response.end(content.subarray(0, 400));
      },
      async (source, asked) => {
        expectBytes(await source.read(0, 1000), 0, 1000);
        expect(asked.map(({ range }) => range)).toEqual(["bytes=0-999", "bytes=400-999"]);
      },
    ));

  test("a slow answer is waited for", () =>
    against(bad.trickles, async (source, asked) => {
      expectBytes(await source.read(0, 20_000), 0, 20_000);
      expect(asked).toHaveLength(1);
    }));

  test("an answer that stalls ends with the abort, with its reason", () =>
    against(bad.stalls, async (source) => {
      const controller = new AbortController();
      const reading = source.read(0, 1000, controller.signal);
      const reason = new Error("enough");
      setImmediate(() => controller.abort(reason));
      await expect(reading).rejects.toBe(reason);
    }));

  test("an answer that stalls ends with close", () =>
    against(bad.stalls, async (source) => {
      const reading = source.read(0, 1000);
      setImmediate(() => void source.close());
      await expect(reading).rejects.toMatchObject({ reason: "closed" });
    }));

  test("500 twice and then an answer is an answer", () =>
    against(bad.fails(500, 2), async (source, asked, waits) => {
      expectBytes(await source.read(0, 100), 0, 100);
      expect(asked).toHaveLength(3);
      expect(waits).toEqual([1, 2]);
    }));

  test("500 for ever is reported with its status, the URL last", () =>
    against(bad.fails(503, 99), async (source, asked) => {
      await expect(source.read(0, 100)).rejects.toThrow(/server fails \(503\), tried 4 times: http:\S+$/);
      expect(asked).toHaveLength(4);
    }));

  for (const [status, about] of [
    [401, "server refuses access"],
    [403, "server refuses access"],
    [404, "server has no such file"],
    [429, "server refuses the request"],
  ] as const) {
    test(`${status} is reported at once and not tried again`, () =>
      against(bad.fails(status, 99), async (source, asked) => {
        await expect(source.read(0, 100)).rejects.toThrow(new RegExp(`^${about} \\(${status}\\): http:\\S+$`));
        await expect(source.size()).rejects.toThrow(`(${status})`);
        expect(asked).toHaveLength(2);
      }));
  }

  test("a failure is not kept: the next read may succeed", () =>
    against(bad.fails(404, 1), async (source) => {
      await expect(source.read(0, 100)).rejects.toThrow("(404)");
      expectBytes(await source.read(0, 100), 0, 100);
    }));

  test("a server that is not there is named with what the system says", async () => {
    const server = await bad.serve(bytes);
    await server.close();
    const { options, waits } = retries();
    const source = http(server.url, { ...options, retries: 1 });
    await expect(source.read(0, 1)).rejects.toThrow(/cannot reach the server \(ECONNREFUSED\), tried 2 times: http/);
    expect(waits).toEqual([1]);
  });

  test("an abort while it waits before another try rejects with its reason", () => {
    const controller = new AbortController();
    const reason = new Error("enough");
    return against(
      bad.fails(500, 99),
      async (source) => {
        await expect(source.read(0, 1, controller.signal)).rejects.toBe(reason);
      },
      {
        wait: (_attempt, signal) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener("abort", () => reject(signal.reason));
            controller.abort(reason);
          }),
      },
    );
  });

  test("a URL that is none is a TypeError at once", () => {
    expect(() => http("no url")).toThrow(TypeError);
  });
});
