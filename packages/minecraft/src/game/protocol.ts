import protocol from "minecraft-protocol";

// The library is of the older kind of modules: Node finds its names only behind its default.
export const { Client, Server, createDeserializer, createSerializer, createServer } = protocol;
export type { ServerClient } from "minecraft-protocol";
