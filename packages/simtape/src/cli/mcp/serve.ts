import { createServer, type IncomingMessage, type Server } from "node:http";
import type { CallToolResult, McpServer } from "@modelcontextprotocol/server";
import { failureOf, UsageError } from "../run/failure.ts";
import { withoutSecrets } from "../run/secrets.ts";
import { checkedText } from "./answer-text.ts";
import type { Given, Recordings, Tool } from "./tool.ts";

/** Milliseconds that a question may take. */
const TIME = 120_000;
/** Questions that are answered at once: each may take a recording's budget. */
const AT_ONCE = 4;

const MISSING =
  "mcp needs packages of their own: npm install @modelcontextprotocol/server@2.4.0 @modelcontextprotocol/node@2.1.2 (with -g where simtape was installed so)";

/** A server of the Model Context Protocol with these tools, for one connection. */
export type Factory = () => McpServer;

/** Throws `UsageError` where the SDK is not installed. */
async function loaded<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw code === "ERR_MODULE_NOT_FOUND" ? new UsageError(MISSING) : error;
  }
}

/** Makes servers that answer from `recordings`, and say what `version` of simtape they are. */
export async function factoryOf(tools: readonly Tool[], recordings: Recordings, version: string): Promise<Factory> {
  const { fromJsonSchema, McpServer } = await loaded(() => import("@modelcontextprotocol/server"));
  const turns = new Turns(AT_ONCE);
  return () => {
    const server = new McpServer({ name: "simtape", version });
    for (const tool of tools) {
      const { name, title, description, properties, required } = tool;
      const inputSchema = fromJsonSchema<Given>({
        ...{ type: "object", properties: { ...properties }, required: [...required] },
        additionalProperties: false,
      });
      const annotations = { readOnlyHint: true, idempotentHint: true, openWorldHint: false };
      server.registerTool(name, { title, description, inputSchema, annotations }, (given, { mcpReq }) =>
        turns.take(() => answered(tool, given, recordings, mcpReq.signal)),
      );
    }
    return server;
  };
}

/** An answer, or why there is none: a program reads it and asks otherwise. */
async function answered(tool: Tool, given: Given, recordings: Recordings, asked: AbortSignal): Promise<CallToolResult> {
  const signal = AbortSignal.any([asked, AbortSignal.timeout(TIME)]);
  try {
    const { text, picture } = await tool.answer(given, recordings, signal);
    const content = [{ type: "text" as const, text: checkedText(text) }];
    if (picture === undefined) return { content };
    const data = Buffer.from(picture).toString("base64");
    return { content: [{ type: "image" as const, data, mimeType: "image/png" }, ...content] };
  } catch (error) {
    const text =
      signal.aborted && !asked.aborted ? `gave up after ${TIME / 1000} s` : withoutSecrets(failureOf(error).message);
    return { content: [{ type: "text" as const, text }], isError: true };
  }
}

/** Lets so many work at once; the others wait their turn. */
class Turns {
  readonly #most: number;
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  async take<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#most) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#running++;
    try {
      return await work();
    } finally {
      this.#running--;
      this.#waiting.shift()?.();
    }
  }
}

/** Serves one program over standard input and output, until it closes them. */
export async function serveStreams(
  factory: Factory,
): Promise<{ close(): Promise<void>; readonly ended: Promise<void> }> {
  const { serveStdio } = await loaded(() => import("@modelcontextprotocol/server/stdio"));
  const ended = new Promise<void>((resolve) => {
    process.stdin.once("end", resolve);
    process.stdin.once("close", resolve);
  });
  const handle = serveStdio(factory);
  return { close: () => handle.close(), ended };
}

/** Serves programs of this machine over HTTP. Rejects with the error of listening. */
export async function serveHttp(
  factory: Factory,
  port: number,
): Promise<{ close(): Promise<void>; readonly url: string }> {
  const { createMcpHandler } = await loaded(() => import("@modelcontextprotocol/server"));
  const { toNodeHandler, localhostHostValidation, localhostOriginValidation } = await loaded(
    () => import("@modelcontextprotocol/node"),
  );
  const handler = createMcpHandler(factory);
  const answer = toNodeHandler(handler);
  // pages of other origins, and names that were made to lead here, have nothing to ask
  const isHost = localhostHostValidation();
  const isOrigin = localhostOriginValidation();
  const server: Server = createServer((request, response) => {
    if (!isHost(request, response) || !isOrigin(request, response)) return;
    // of a request that has arrived, method and address are known
    const arrived = request as IncomingMessage & Parameters<typeof answer>[0];
    if (new URL(arrived.url ?? "/", "http://localhost").pathname === "/mcp") void answer(arrived, response);
    else response.writeHead(404).end("the Model Context Protocol is at /mcp\n");
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  const address = server.address();
  const at = typeof address === "object" && address !== null ? address.port : port;
  return {
    url: `http://127.0.0.1:${at}/mcp`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await handler.close();
    },
  };
}
