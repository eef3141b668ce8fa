import protocol from "minecraft-protocol";

// The library is a CommonJS module: Node finds its names only in its default export.
export const { Client, Server, createDeserializer, createSerializer, createServer } = protocol;
export type { ServerClient } from "minecraft-protocol";
