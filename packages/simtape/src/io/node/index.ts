/** What needs Node: files, folders, temporary files, standard input. */

export { type DirectoryOptions, directoryStore } from "./directory-store.ts";
export { fromFile } from "./file.ts";
export { fileSource } from "./file-source.ts";
export { type FileSinkOptions, toFile } from "./file-sink.ts";
export { toGrowingFile } from "./growing-file.ts";
export { fileSpool } from "./spool.ts";
export { type StdinOptions, stdin } from "./stdin.ts";
export type { Link, LinkListener, LinkMessage } from "../sink/link.ts";
export {
  connectLink,
  isLocalPage,
  type LinkOptions,
  type LinkRequest,
  listenForLinks,
  type ListenOptions,
} from "./web-socket.ts";
export { type Announcement, announce } from "./announce.ts";
