/** What needs Node: files, folders, temporary files, standard input. */

export { type DirectoryOptions, directoryStore } from "./directory-store.ts";
export { fileSource, fromFile } from "./file.ts";
export { type FileSinkOptions, toFile } from "./file-sink.ts";
export { fileSpool } from "./spool.ts";
export { type StdinOptions, stdin } from "./stdin.ts";
