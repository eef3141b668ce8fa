import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, rmdir, stat, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import { makeFolders } from "../../io/node/folders.ts";
import { EXIT, UsageError } from "../run/failure.ts";
import { allFormats } from "../input/formats.ts";
import { toJson } from "../../model/values/json.ts";
import { Output } from "../run/terminal.ts";

/** The package that is copied, with this word wherever the name of the format goes. */
const TEMPLATE = fileURLToPath(new URL("../../../template/", import.meta.url));
const WORD = /newformat/g;
/** Files that have another name in the template: npm and Node take those names for what they say of simtape itself. */
const RENAMED: ReadonlyMap<string, string> = new Map([
  ["gitignore", ".gitignore"],
  ["package.template.json", "package.json"],
]);

/** What was built of the template in this repository. */
const APART = new Set(["dist", "node_modules"]);
const LONGEST = 40;

export function addFormat(program: Command): void {
  program
    .command("format")
    .summary("a package for a format of your own")
    .description("Formats of other packages: see docs/kit.md.")
    .command("new")
    .description(
      "Makes a package for a format of your own: layout, reader, state, tests and a sample. It passes its tests from the beginning; change it step by step.",
    )
    .argument("<name>", "id of the format and extension of its files: a-z, 0-9 and -, a letter first")
    .option("--folder <folder>", "where to make it; absent: format-NAME")
    .option("--json", "one JSON object")
    .addHelpText("after", "\nExample:\n  $ simtape format new sonar\n  $ cd format-sonar && npm install && npm test")
    .action(async (name: string, options: { readonly folder?: string; readonly json?: boolean }) => {
      checkName(name);
      const folder = options.folder ?? `format-${name}`;
      const files = await makePackage(name, folder);
      const out = new Output();
      if (options.json === true) await out.line(toJson({ format: name, folder, files }));
      else {
        await out.lines(files.map((file) => join(folder, file)));
        await out.line(`Next: cd ${folder} && npm install && npm test; its README.md says what to change.`);
      }
      await out.flush();
      process.exitCode = EXIT.done;
    });
}

/** Throws `UsageError` for a name that no format can have. */
function checkName(name: string): void {
  const shown = JSON.stringify(name);
  if (!/^[a-z][a-z\d]*(-[a-z\d]+)*$/.test(name))
    throw new UsageError(
      `the name of a format has a-z, 0-9 and single - between them, and begins with a letter: ${shown}`,
    );
  if (name.length > LONGEST) throw new UsageError(`the name of a format has ${LONGEST} characters at most: ${shown}`);
  if (allFormats().some(({ id }) => id === name)) throw new UsageError(`there is a format ${shown} already`);
}

/** Gives the paths of the files that it made, in the folder. The folder is there with all of them, or not at all. */
async function makePackage(name: string, folder: string): Promise<readonly string[]> {
  const target = resolve(folder);
  await checkFree(target, folder);
  await makeFolders(dirname(target));
  const version = await ownVersion();
  const half = await mkdtemp(`${target}.`);
  try {
    const files: string[] = [];
    for (const path of await templateFiles()) {
      const made = RENAMED.get(path) ?? path;
      const text = (await readFile(join(TEMPLATE, path), "utf8")).replace(WORD, name);
      await mkdir(dirname(join(half, made)), { recursive: true });
      await writeFile(join(half, made), made === "package.json" ? withVersion(text, version) : text);
      files.push(made);
    }
    // An empty folder gives way; one that is not empty any more does not.
    await rmdir(target).catch(() => undefined);
    await rename(half, target);
    await chmod(target, 0o777 & ~process.umask());
    return files;
  } catch (error) {
    await rm(half, { recursive: true, force: true });
    throw error;
  }
}

/** Throws `UsageError` where something is there. */
async function checkFree(target: string, shown: string): Promise<void> {
  const found = await stat(target).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return null;
    throw error;
  });
  if (found === null) return;
  if (!found.isDirectory()) throw new UsageError(`there is a file already: ${shown}`);
  if ((await readdir(target)).length > 0) throw new UsageError(`there is something in the folder already: ${shown}`);
}

async function templateFiles(): Promise<readonly string[]> {
  const entries = await readdir(TEMPLATE, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return files
    .map((path) => path.slice(TEMPLATE.length).replaceAll("\\", "/"))
    .filter((path) => !APART.has(path.split("/")[0]!))
    .sort();
}

/** The simtape that makes it is the one that it is made for. */
function withVersion(text: string, version: string): string {
  return text.replace(/("simtape": )"[^"]*"/g, `$1"${version}"`);
}

async function ownVersion(): Promise<string> {
  const text = await readFile(new URL("../../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
