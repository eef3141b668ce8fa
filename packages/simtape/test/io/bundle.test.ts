import { describe, expect, test } from "vitest";
import { httpBundle } from "../../src/io/http/http-bundle.ts";
import { bundleOf, filesBundle, withFiles } from "../../src/io/source/bundle.ts";
import { http } from "../../src/io/http/http.ts";
import { memory } from "../../src/io/source/memory.ts";
import { serve, wellBehaved } from "./bad-server.ts";

const bytes = new Uint8Array([1, 2, 3, 4]);

describe("a bundle of one source", () => {
  test("has that source and no sibling", async () => {
    const source = memory(bytes, "tapes/run.traj");
    const bundle = bundleOf(source);
    expect(bundle.name).toBe("run.traj");
    expect(await bundle.open()).toBe(source);
    expect(await bundle.open("run.traj")).toBe(source);
    expect(await bundle.open("run.state")).toBeNull();
  });

  test("is named after the last part of a URL, and not at all when nothing looks like a file name", () => {
    expect(bundleOf(http("https://example.org/a/my%20run.rec?sig=a/b.c#d")).name).toBe("my run.rec");
    expect(bundleOf(memory(bytes)).name).toBeNull();
    expect(bundleOf(memory(bytes, "C:\\tapes\\run.log")).name).toBe("run.log");
  });
});

describe("a bundle of files", () => {
  test("opens dropped files by name, the first as the main one", async () => {
    const files = [new File([bytes], "run.traj"), new File(["state"], "run.state")];
    const bundle = filesBundle(files);
    expect(bundle.name).toBe("run.traj");
    expect(await (await bundle.open())?.read(0, 10)).toEqual(bytes);
    const state = await bundle.open("run.state");
    expect(new TextDecoder().decode(await state?.read(0, 10))).toBe("state");
    expect(state?.name).toBe("run.state");
    expect(await bundle.open("other")).toBeNull();
    expect(filesBundle(files, "run.state").name).toBe("run.state");
  });

  test("takes sources, blobs and bytes by name", async () => {
    const source = memory(bytes);
    const bundle = filesBundle(
      new Map<string, typeof source | Blob | Uint8Array>([
        ["a", source],
        ["b", new Blob([bytes])],
        ["c", bytes],
      ]),
    );
    expect(await bundle.open("a")).toBe(source);
    for (const name of ["a", "b", "c"]) expect(await (await bundle.open(name))?.read(1, 2)).toEqual(bytes.slice(1, 3));
  });

  test("an opened file can be closed and opened again", async () => {
    const bundle = filesBundle(new Map([["c", bytes]]));
    await (await bundle.open())?.close();
    expect(await (await bundle.open())?.size()).toBe(4);
  });

  test("refuses no files, twice the same name, and a main one that is not there", () => {
    expect(() => filesBundle([])).toThrow(RangeError);
    expect(() => filesBundle([new File([], "a"), new File([], "a")])).toThrow(/same name: a/);
    expect(() => filesBundle([new File([], "a")], "b")).toThrow(RangeError);
  });
});

describe("a bundle with more files", () => {
  test("has them beside what it has, and in place of files that are called so", async () => {
    const plain = filesBundle(
      new Map([
        ["a", bytes],
        ["b", bytes],
        ["c", bytes],
      ]),
    );
    const bundle = withFiles(
      plain,
      new Map([
        ["b", new Uint8Array(1)],
        ["d", new Uint8Array(2)],
      ]),
    );
    expect(bundle.name).toBe("a");
    const sizes = [undefined, "a", "b", "c", "d", "e"].map(async (name) => (await bundle.open(name))?.size());
    expect(await Promise.all(sizes)).toEqual([4, 4, 1, 4, 2, undefined]);
  });
});

describe("a bundle on a server", () => {
  test("finds siblings in the same folder, with the query, and knows those that are not there", async () => {
    const server = await serve(bytes, (request, response, content, n) => {
      if (request.url?.includes("missing")) return void response.writeHead(404).end();
      if (request.url?.includes("secret")) return void response.writeHead(403).end();
      wellBehaved(request, response, content, n);
    });
    const bundle = httpBundle(server.url);
    expect(bundle.name).toBe("run.traj");
    const main = await bundle.open();
    expect(server.asked).toHaveLength(0);
    expect(await main?.read(0, 10)).toEqual(bytes);
    const sibling = await bundle.open("run #1.state");
    expect(await sibling?.read(0, 10)).toEqual(bytes);
    expect(server.asked.at(-1)?.path).toBe("/tapes/run%20%231.state?key=a%2Fb");
    expect(await bundle.open("missing.state")).toBeNull();
    await expect(bundle.open("secret.state")).rejects.toThrow(/refuses access \(403\)/);
    await server.close();
  });

  test("does not leave its folder for a name out of a file", async () => {
    const bundle = httpBundle("https://example.org/tapes/run.traj");
    for (const name of ["../other", "/etc/passwd", "..", "a\\b", "", "a\0b"]) {
      await expect(bundle.open(name)).rejects.toMatchObject({ name: "SourceError", reason: "failed" });
    }
  });
});
