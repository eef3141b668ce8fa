import { type PropertyNode, propertyNode } from "../../codec/properties.ts";
import { SourceError } from "../../io/source/source.ts";

/** Milliseconds that the simulator may take for an answer: it gives none while it loads an aircraft. */
const TIMEOUT = 30_000;

/** A node as the simulator's web server gives it. */
interface JsonNode {
  readonly name?: unknown;
  readonly index?: unknown;
  readonly type?: unknown;
  readonly value?: unknown;
  readonly children?: unknown;
}

/** A FlightGear that was started with `--httpd=PORT`: its properties and commands. */
export class Simulator {
  /** `http://host:port`, without a slash at the end. */
  readonly address: string;

  constructor(address: string) {
    this.address = address.replace(/\/+$/, "");
  }

  /** The value of a property, numbers with 6 decimals; null if there is none. Rejects with `SourceError`. */
  async get(path: string, signal?: AbortSignal): Promise<string | number | boolean | null> {
    const node = await this.#node(path, signal);
    const value = node?.value;
    return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? value : null;
  }

  /** A node with what is below it, so many levels down; null if there is none. Rejects with `SourceError`. */
  async tree(path: string, depth: number, signal?: AbortSignal): Promise<PropertyNode | null> {
    const node = await this.#node(`${path}?d=${depth}`, signal);
    return node === null ? null : toTree(node, depth);
  }

  async set(path: string, value: string | number | boolean, signal?: AbortSignal): Promise<void> {
    await this.run("property-assign", { property: path, value }, signal);
  }

  /** Runs a command of the simulator. Rejects with `SourceError` if it fails there. */
  async run(
    command: string,
    options: Readonly<Record<string, string | number | boolean>>,
    signal?: AbortSignal,
  ): Promise<void> {
    const children = Object.entries(options).map(([name, value]) => ({ name, value }));
    const answer = await this.#fetch(`/run.cgi?value=${command}`, {
      method: "POST",
      body: JSON.stringify({ name: "", children }),
      signal,
    });
    await answer.arrayBuffer();
    if (!answer.ok) throw new SourceError("failed", `FlightGear at ${this.address} could not ${command}`);
  }

  async #node(path: string, signal?: AbortSignal): Promise<JsonNode | null> {
    const answer = await this.#fetch(`/json${path}`, { signal });
    if (answer.status === 404) return null;
    if (!answer.ok) throw new SourceError("failed", `${this.address} answers ${answer.status} for ${path}`);
    try {
      return (await answer.json()) as JsonNode;
    } catch (cause) {
      throw new SourceError("failed", `${this.address} is no FlightGear: its answer is no JSON`, { cause });
    }
  }

  async #fetch(
    path: string,
    options: { method?: string; body?: string; signal?: AbortSignal | undefined },
  ): Promise<Response> {
    const { signal, ...rest } = options;
    const limit = AbortSignal.timeout(TIMEOUT);
    try {
      return await fetch(this.address + path, {
        ...rest,
        signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
      });
    } catch (cause) {
      signal?.throwIfAborted();
      throw new SourceError("failed", `no FlightGear at ${this.address}: was it started with --httpd=PORT?`, { cause });
    }
  }
}

function toTree(node: JsonNode, depth: number): PropertyNode {
  const children = Array.isArray(node.children) && depth > 0 ? (node.children as JsonNode[]) : [];
  const { name, value } = node;
  const isPlain = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
  return propertyNode(typeof name === "string" ? name : "", {
    index: typeof node.index === "number" ? node.index : 0,
    type: typeof node.type === "string" ? node.type : "",
    value: isPlain ? String(value) : "",
    children: children.map((child) => toTree(child, depth - 1)),
  });
}
