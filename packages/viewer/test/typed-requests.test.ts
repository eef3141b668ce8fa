import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const PACKAGES = fileURLToPath(new URL("../..", import.meta.url));
const PAGES = ["viewer/src", "server/src/pages"];

/** What fetches by itself, and what that is: none of it is an operation of the API that the client has. */
const OTHERS: Readonly<Record<string, string>> = {
  "viewer/src/server/library/upload.ts": "uploads, by the protocol tus",
  "viewer/src/engine/engine.ts": "whether a file is there",
  "viewer/src/open/listed.ts": "the list of simtape view",
  "viewer/src/open/recording-facts.tsx": "the facts of simtape view",
  "viewer/src/blocks/backing.ts": "a file of the page",
  "viewer/src/blocks/anvil/regions.ts": "whether a region file is there",
  "viewer/src/offline/service-worker.ts": "the files of the page",
  "viewer/src/world/follow-companions.ts": "whether a companion is there",
  "viewer/src/world/worker.ts": "a companion",
  "viewer/src/live/use-live-view.ts": "what simtape view records",
};

const FETCH = /(?<![.#\w])fetch\(|XMLHttpRequest|sendBeacon|EventSource/;

test("pages ask the server through the typed client", () => {
  const files = PAGES.flatMap((folder) =>
    readdirSync(join(PACKAGES, folder), { recursive: true, encoding: "utf8" })
      .filter((path) => /\.tsx?$/.test(path))
      .map((path) => `${folder}/${path.replaceAll("\\", "/")}`),
  );
  expect(files.length).toBeGreaterThan(200);
  const fetching = files.filter((path) => FETCH.test(readFileSync(join(PACKAGES, path), "utf8")));
  expect(fetching.sort()).toEqual(Object.keys(OTHERS).sort());
});
