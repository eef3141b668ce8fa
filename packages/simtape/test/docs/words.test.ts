import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { AVOIDED, avoidedIn, codeOf, NAMES, namePartsOf, ODD, partsOf, proseOf } from "./words.ts";

const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));

/** Where a word to avoid is right: the path and the word, with the reason. */
const ALLOWED: ReadonlyMap<string, string> = new Map([
  ["packages/viewer/src/inspect/bytes-panel.tsx told", "the name of a class of the style sheet"],
  ["packages/simtape/test/model/side-car.test.ts nobody", "an id that no thing has"],
  ["packages/minecraft/src/demo/game-server.ts everybody", "the name of a setting of flying-squid"],
  ["packages/minecraft/test/support/squid.ts everybody", "the same"],
  ["packages/simtape/test/codec/any.test.ts nobody", "a text with a known digest"],
]);

/** Folders of files that programs write or install. */
const MADE = /\/(?:node_modules|dist|\.vitepress\/cache)\/|^site\/(?:entries|pages)\//;

/** Files below a folder with one of these endings, from the root on. */
function filesIn(folder: string, endings: RegExp): string[] {
  return readdirSync(ROOT + folder, { recursive: true, encoding: "utf8" })
    .map((path) => `${folder}/${path.replaceAll("\\", "/")}`)
    .filter((path) => endings.test(path) && !MADE.test(path));
}

const read = (path: string): string => readFileSync(ROOT + path, "utf8");

function wrongIn(paths: readonly string[], proseIn: (text: string) => string, dictionary = AVOIDED): string[] {
  return paths.flatMap((path) =>
    avoidedIn(proseIn(read(path)), dictionary)
      .filter((sentence) => !ALLOWED.has(`${path} ${/"(.*?)"/.exec(sentence)![1]!.toLowerCase()}`))
      .map((sentence) => `${path}, ${sentence}`),
  );
}

/** Pages for users beside the packages and `docs`. */
const APART = [
  ...["clients/python", "examples/format-nmea", "examples/format-poselog"].map((folder) => `${folder}/README.md`),
  "senders/java/README.md",
  "site/index.md",
];

describe("plain words", () => {
  test("are in the pages", () => {
    const readmes = filesIn("packages", /\/(?:src\/formats\/[a-z]+|corpus|demo|viewer|simtape)\/README\.md$/);
    // what is below docs/api is made of the code
    const docs = filesIn("docs", /\.md$/).filter((path) => !path.startsWith("docs/api/"));
    const pages = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", ...APART, ...docs, ...readmes];
    expect(pages.length).toBeGreaterThan(25);
    expect(wrongIn(pages, (text) => text)).toEqual([]);
  });

  test("say who does what in the pages for users", () => {
    const docs = filesIn("docs", /\.md$/).filter((path) => !/^docs\/(?:api|formats)\//.test(path));
    const readmes = filesIn("packages", /^packages\/[a-z]+\/README\.md$/);
    expect(
      wrongIn(["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", ...APART, ...docs, ...readmes], (text) => text, ODD),
    ).toEqual([]);
  });

  test("are in the comments, help and messages of the library and the command", () => {
    const sources = filesIn("packages/simtape/src", /\.ts$/).filter((path) => !path.includes("/src/demo/"));
    expect(wrongIn(sources, proseOf)).toEqual([]);
  });

  test.each([
    ["server", 150],
    ["minecraft", 90],
    ["demo", 10],
    // openapi.ts is made of the server's routes
    ["client", 3],
  ])("are in the comments, help and messages of %s", (name, least) => {
    const sources = filesIn(`packages/${name}/src`, /\.ts$/);
    expect(sources.length).toBeGreaterThanOrEqual(least);
    expect(wrongIn(sources, proseOf)).toEqual([]);
  });

  test.each(["demo", "minecraft", "server", "simtape", "viewer"])("are in the tests of %s", (name) => {
    const tests = filesIn(`packages/${name}/test`, /\.ts$/).filter(
      (path) => !/\/docs\/words\.(?:test\.)?ts$/.test(path),
    );
    expect(wrongIn(tests, (text) => text)).toEqual([]);
  });

  test.each(["client", "demo", "minecraft", "server", "simtape", "viewer"])("are the names in %s", (name) => {
    const sources = filesIn(`packages/${name}/src`, /\.tsx?$/);
    expect(sources.length).toBeGreaterThan(2);
    expect(wrongIn(sources, namePartsOf, new Map([...AVOIDED, ...NAMES]))).toEqual([]);
  });

  test("are in what the viewer shows and says", () => {
    expect(wrongIn(filesIn("packages/viewer/src", /\.tsx?$/), proseOf)).toEqual([]);
  });
});

describe("plain words around the packages", () => {
  const both = new Map([...AVOIDED, ...NAMES]);

  test.each([
    ["bench", 50],
    ["examples", 25],
    ["scripts", 30],
    ["site", 5],
    ["test", 10],
  ])("are in the comments, texts and names of %s", (name, least) => {
    const sources = filesIn(name, /\.(?:[jt]s|mjs)$/);
    expect(sources.length).toBeGreaterThanOrEqual(least);
    expect([...wrongIn(sources, proseOf), ...wrongIn(sources, namePartsOf, both)]).toEqual([]);
  });

  test("are in the Python client, the other scripts in Python and the script of CI", () => {
    const python = [...filesIn("clients", /\.py$/), ...filesIn("scripts", /\.py$/)];
    expect(python.length).toBeGreaterThanOrEqual(25);
    expect(wrongIn([...python, ".ci/run"], partsOf, both)).toEqual([]);
  });

  test("are in the senders, which say who does what", () => {
    const senders = filesIn("senders", /\.(?:cpp|hpp|h|java|py|yml)$/);
    expect(senders.length).toBeGreaterThanOrEqual(20);
    // `is None` is Python
    const prose = (text: string) => partsOf(text).replaceAll(/\b(?:is|are) None\b/g, "");
    expect(wrongIn(senders, prose, new Map([...both, ...ODD]))).toEqual([]);
  });
});

describe("the search for words", () => {
  test("sees comments and texts, and no names of the code", () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the code of a template
    const source = 'const told = "is told"; // anew\n/* nobody\n * told */ f(`told ${told} anew`);\n';
    expect(avoidedIn(proseOf(source)).map((sentence) => sentence.split(";")[0])).toEqual([
      'line 1: "told"',
      'line 1: "anew"',
      'line 2: "nobody"',
      'line 3: "told"',
      'line 3: "told"',
      'line 3: "anew"',
    ]);
  });

  test("sees names of the code of tests, those in templates too, and no comments and texts", () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the code of a template
    const source = 'const told = "is told"; // anew\nf(`told ${anew}`); /* told */';
    expect(avoidedIn(codeOf(source)).map((sentence) => sentence.split(";")[0])).toEqual([
      'line 1: "told"',
      'line 2: "anew"',
    ]);
  });

  test("sees comments, texts and parts of names in Python and in the shell", () => {
    const source = 'is_told = "anew"  # nobody\n';
    const found = avoidedIn(partsOf(source)).map((sentence) => sentence.split(";")[0]);
    expect(found).toEqual(['line 1: "told"', 'line 1: "anew"', 'line 1: "nobody"']);
  });

  test("sees the parts of names", () => {
    const source = "this.#isTold = PATIENCE_MOST; await fateOf(row); /* told */ const toldly = 1;";
    const found = avoidedIn(namePartsOf(source), NAMES).map((sentence) => sentence.split(";")[0]);
    expect(found).toEqual(['line 1: "Told"', 'line 1: "PATIENCE"', 'line 1: "fate"']);
  });

  test("finds phrases, over the end of a line too, with what to write", () => {
    expect(avoidedIn("Nothing is\nhad, and `taken away` is code.")).toEqual([
      'line 1: "is\nhad"; write the verb: the reader folds it, the server stores it',
    ]);
    expect(avoidedIn("It goes on by itself.", ODD).map((sentence) => sentence.split(";")[0])).toEqual([
      'line 1: "goes on"',
      'line 1: "by itself"',
    ]);
  });

  test("takes an address in a text for no comment, and leaves out code in comments", () => {
    expect(avoidedIn(proseOf('open("http://a/b", told); /** `told` is the column. */'))).toEqual([]);
  });
});
