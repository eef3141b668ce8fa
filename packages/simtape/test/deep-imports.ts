import { posix } from "node:path";

/** The text of files, by their path in the repository with `/` between folders. */
export type Tree = ReadonlyMap<string, string>;

/** An `import { ... } from "..."` of a source. */
export interface NamedImport {
  readonly statement: string;
  readonly isOfTypes: boolean;
  /** As they are written: `a`, `type B`, `c as d`. */
  readonly names: readonly string[];
  /** Path of the source. */
  readonly source: string;
}

/** What a test imports from inside a folder that it is not for. */
export interface DeepImport extends NamedImport {
  readonly test: string;
}

const IMPORT = /^import (type )?\{([^}]*)\} from "(\.[^"]+)";$/gm;
const EXPORT = /^export (type )?\{([^}]*)\}(?: from "(\.[^"]+)")?;$/gm;
const EXPORT_ALL = /^export \* from "(\.[^"]+)";$/gm;
const DECLARATION =
  /^export (?:declare |abstract |async )*(?:const|let|function\*?|class|interface|type|enum) ([\w$]+)/gm;

/** An entry, and what it calls a name. */
export interface PublicName {
  readonly entry: string;
  readonly name: string;
}

/** Where a name is made (`path#name`), and whether it is exported as a type only. */
interface Origin {
  readonly at: string;
  readonly isType: boolean;
}

/** What entries export. */
export class PublicNames {
  readonly #files: Tree;
  readonly #entries: readonly string[];
  readonly #names = new Map<string, ReadonlyMap<string, Origin>>();
  readonly #values = new Map<string, PublicName>();
  readonly #types = new Map<string, PublicName>();

  /** `entries` are paths of sources; of several that export a name, the first one counts. */
  constructor(files: Tree, entries: readonly string[]) {
    this.#files = files;
    this.#entries = entries;
    for (const entry of entries)
      for (const [name, { at, isType }] of this.#namesOf(entry)) {
        if (!this.#types.has(at)) this.#types.set(at, { entry, name });
        if (!isType && !this.#values.has(at)) this.#values.set(at, { entry, name });
      }
  }

  /** Null: no entry exports it, or only its type and that is not enough. */
  of(source: string, name: string, isType: boolean): PublicName | null {
    const origin = this.#namesOf(source).get(name);
    return (origin && (isType ? this.#types : this.#values).get(origin.at)) ?? null;
  }

  /** What a test imports from inside another folder than the one it is for. */
  deepImportsOf(test: string): DeepImport[] {
    return importsOf(test, this.#files.get(test)!)
      .filter(({ source }) => /^packages\/[^/]+\/src\//.test(source))
      .filter(({ source }) => !this.#entries.includes(source) && folderOf(source) !== folderOf(test))
      .map((one) => ({ ...one, test }));
  }

  /** Where each name that a file exports is made. */
  #namesOf(path: string): ReadonlyMap<string, Origin> {
    const known = this.#names.get(path);
    if (known !== undefined) return known;
    const names = new Map<string, Origin>();
    this.#names.set(path, names);
    const text = this.#files.get(path) ?? "";
    const imported = new Map(
      importsOf(path, text).flatMap(({ names, source }) =>
        names.map((written) => [nameOf(written).as, { source, name: nameOf(written).name }] as const),
      ),
    );
    for (const [, name] of text.matchAll(DECLARATION)) names.set(name!, { at: `${path}#${name}`, isType: false });
    for (const [, areTypes, list, from] of text.matchAll(EXPORT))
      for (const { name, as, isType } of listOf(list!).map(nameOf)) {
        const made = from === undefined ? imported.get(name) : { source: posix.join(posix.dirname(path), from), name };
        const origin = made && this.#namesOf(made.source).get(made.name);
        if (origin !== undefined)
          names.set(as, { at: origin.at, isType: areTypes !== undefined || isType || origin.isType });
      }
    for (const [, from] of text.matchAll(EXPORT_ALL))
      for (const [name, origin] of this.#namesOf(posix.join(posix.dirname(path), from!)))
        if (!names.has(name)) names.set(name, origin);
    return names;
  }
}

/** How many imports of tests go into another folder, and a sentence for each name that they could have of an entry. */
export function checkDeepImports(
  files: Tree,
  entries: readonly string[],
): { readonly deep: number; readonly wrong: readonly string[] } {
  const names = new PublicNames(files, entries);
  const tests = [...files.keys()].filter((path) => /^[^/]+\/[^/]+\/test\//.test(path));
  const deep = tests.flatMap((path) => names.deepImportsOf(path));
  const wrong = deep.flatMap(({ test, source, isOfTypes, names: written }) =>
    written.map(nameOf).flatMap(({ name, isType }) => {
      const found = names.of(source, name, isOfTypes || isType);
      return found === null ? [] : [`${test}: ${name} is ${found.name} in ${found.entry}`];
    }),
  );
  return { deep: deep.length, wrong };
}

/** Paths of the sources that packages export: `exports` of each `package.json`, by the path of its folder. */
export function entriesOf(packages: ReadonlyMap<string, Exports>, files: Tree): string[] {
  return [...packages].flatMap(([folder, entries]) =>
    Object.values(entries).flatMap((entry) => {
      if (typeof entry === "string") return [];
      const source = entry.default.replace("./dist/", `${folder}/src/`).replace(/\.js$/, ".ts");
      const [before, after] = source.split("*");
      if (after === undefined) return [source];
      return [...files.keys()].filter(
        (path) =>
          path.startsWith(before!) && path.endsWith(after) && !path.slice(before!.length, -after.length).includes("/"),
      );
    }),
  );
}

/** What a package exports by path; a file that is no module, or has no types, is a text. */
export type Exports = Readonly<Record<string, string | { readonly default: string }>>;

/** The folder of sources, and of tests for them: a format's, else the area; `""` for files beside the areas. */
function folderOf(path: string): string {
  const [, name, , ...rest] = path.split("/");
  return [name, ...rest.slice(0, -1).slice(0, rest[0] === "formats" ? 2 : 1)].join("/");
}

function importsOf(path: string, text: string): NamedImport[] {
  return [...text.matchAll(IMPORT)].map(([statement, isOfTypes, list, from]) => ({
    statement,
    isOfTypes: isOfTypes !== undefined,
    names: listOf(list!),
    source: posix.join(posix.dirname(path), from!),
  }));
}

function listOf(list: string): string[] {
  return list
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

/** `type A as B` is the name `A`, called `B`. */
export function nameOf(written: string): { readonly name: string; readonly as: string; readonly isType: boolean } {
  const isType = /^type (?!as )/.test(written);
  const [name, as] = written.slice(isType ? 5 : 0).split(" as ");
  return { name: name!, as: as ?? name!, isType };
}
