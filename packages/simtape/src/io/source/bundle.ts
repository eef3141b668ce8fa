import { blob } from "./blob.ts";
import { memory } from "./memory.ts";
import { decoded } from "./shown-url.ts";
import { type ByteSource, type SourceBundle, SourceError } from "./source.ts";

/** A bundle of one file, `source`. Its name is the last part of the source's, when that looks like a file name. */
export function bundleOf(source: ByteSource): SourceBundle {
  const name = fileNameOf(source.name);
  return {
    name,
    open: (sibling) => Promise.resolve(sibling === undefined || sibling === name ? source : null),
  };
}

/**
 * A bundle of files at hand, such as a user has dropped on a page. The main one is `main`; absent, the first, unless a
 * format that opens it knows one of them as the main file of a folder.
 * A source is handed out as it is, each time; other files are opened again.
 * Throws `RangeError` when there is no file, two have the same name, or none is called `main`.
 */
export function filesBundle(
  files: readonly File[] | ReadonlyMap<string, ByteSource | Blob | Uint8Array>,
  main?: string,
): SourceBundle {
  const byName = new Map<string, ByteSource | Blob | Uint8Array>();
  const entries = files instanceof Map ? files : (files as readonly File[]).map((file) => [file.name, file] as const);
  for (const [name, file] of entries) {
    if (byName.has(name)) throw new RangeError(`two files have the same name: ${name}`);
    byName.set(name, file);
  }
  const first = main ?? byName.keys().next().value;
  if (first === undefined) throw new RangeError("a bundle without files");
  if (!byName.has(first)) throw new RangeError(`no such file in the bundle: ${first}`);
  return {
    name: first,
    ...(main === undefined ? { names: [...byName.keys()] } : {}),
    open: (name = first) => {
      const file = byName.get(name);
      return Promise.resolve(file === undefined ? null : sourceOf(file, name));
    },
  };
}

/** `bundle` with more files beside its main one, in place of those that have their names. */
export function withFiles(bundle: SourceBundle, files: ReadonlyMap<string, Uint8Array>): SourceBundle {
  return {
    ...bundle,
    open: (name) => {
      const file = name === undefined ? undefined : files.get(name);
      return file === undefined ? bundle.open(name) : Promise.resolve(memory(file, name));
    },
  };
}

/** Throws `SourceError` when `name`, perhaps out of a file, would lead out of its folder. */
export function checkFileName(name: string, where: string): void {
  const isPath = name === "" || name === "." || name === ".." || /[/\\\0]/.test(name);
  if (isPath) throw new SourceError("failed", `not the name of a file beside: ${JSON.stringify(name)} in ${where}`);
}

function sourceOf(file: ByteSource | Blob | Uint8Array, name: string): ByteSource {
  if (file instanceof Uint8Array) return memory(file, name);
  return file instanceof Blob ? blob(file) : file;
}

function fileNameOf(name: string): string | null {
  const path = name.includes("://") ? decoded(name.replace(/[?#].*$/, "")) : name;
  const last = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
  return last.includes(".") ? last : null;
}
