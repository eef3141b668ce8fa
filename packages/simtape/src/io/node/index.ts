/** What needs Node: files, temporary files, standard input. */

export { fileSource, fromFile } from "./file.ts";
export { toFile } from "./file-sink.ts";
export { fileSpool } from "./spool.ts";
export { type StdinOptions, stdin } from "./stdin.ts";
