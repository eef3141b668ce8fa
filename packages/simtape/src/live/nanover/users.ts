import { LayoutError } from "../../bytes/error.ts";
import type { MessagePackValue } from "../../codec/messagepack.ts";
import { readPart, readState } from "../../formats/nanover/layout/messagepack.ts";
import { partsOf, stateEntries, valueIn } from "../../formats/nanover/write/entries.ts";
import type { Link, LinkMessage } from "../../io/sink/link.ts";
import type { Command } from "./commands.ts";
import { entryOf } from "./said.ts";
import type { NanoverStage } from "./stage.ts";
import { type CommandItem, commandItems, commandMessage, decodedEntry, isMap, requestEntry } from "./talk.ts";

/** Bytes that all clients together may put into the shared state. */
const ROOM = 64 << 20;
/** Commands that clients may add, and questions to clients that may be open. */
const MOST = 1000;

/** A question that was passed on to the client that answers such commands. */
interface Question {
  readonly asker: Link;
  readonly answerer: Link;
  readonly echo: Uint8Array;
  readonly isList: boolean;
}

/** The clients of a server: what they say, and what they are answered (NanoVer semantics §5.2, §5.3). */
export class Users {
  readonly #stage: NanoverStage;
  readonly #commands: ReadonlyMap<string, Command>;
  /** By connection, once an update has an avatar. */
  readonly #ids = new Map<Link, string>();
  readonly #registered = new Map<string, { readonly by: Link; readonly value: MessagePackValue }>();
  readonly #questions = new Map<number, Question>();
  #asked = 0;
  /** Messages that were none. */
  malformed = 0;

  constructor(stage: NanoverStage, commands: ReadonlyMap<string, Command>) {
    this.#stage = stage;
    this.#commands = commands;
  }

  arrived(link: Link): void {
    link.onMessage = (message) => this.#take(link, message);
    link.onEnd = () => this.#left(link);
    this.#stage.join(link);
  }

  #take(link: Link, message: LinkMessage): void {
    try {
      if (typeof message === "string") throw new LayoutError("malformed", "a text", 0);
      for (const { key, bytes } of partsOf(message)) {
        const value = valueIn(bytes);
        if (value[0] === 0xc0) continue;
        if (key === "state") this.#share(link, message);
        else if (key === "command") {
          const { items, isList } = commandItems(value);
          for (const item of items) this.#command(link, item, isList);
        }
        // frames of clients would be mixed with those of the recording, and are not taken
      }
    } catch (error) {
      if (!(error instanceof LayoutError)) throw error;
      this.malformed++;
    }
  }

  /** Applied without locks, and echoed to all, the sender too. */
  #share(link: Link, message: Uint8Array): void {
    const entries = stateEntries(message, "zip");
    const removals = readPart(message, "state", readState)?.removals ?? [];
    const length = entries.reduce((sum, { bytes }) => sum + bytes.length, 0);
    if (this.#stage.shared.bytes + length > ROOM) {
      link.close(1009, "the shared state is full");
      return;
    }
    if (!this.#ids.has(link)) {
      const avatar = entries.find(({ key }) => key.startsWith("avatar."));
      if (avatar !== undefined) this.#ids.set(link, avatar.key.slice("avatar.".length));
    }
    this.#stage.update(entries, removals);
  }

  #command(link: Link, item: CommandItem, isList: boolean): void {
    if (item.register !== null) {
      const { name, value } = item.register;
      const isOthers = this.#registered.get(name)?.by !== undefined && this.#registered.get(name)!.by !== link;
      if (!this.#commands.has(name) && !isOthers && this.#registered.size < MOST)
        this.#registered.set(name, { by: link, value });
    } else if (item.answer !== null) this.#pass(link, item);
    else if (item.request !== null) void this.#run(link, item, isList);
  }

  async #run(link: Link, { request, echo, rawArguments }: CommandItem, isList: boolean): Promise<void> {
    const answer = (key: "response" | "exception", value: MessagePackValue): void =>
      this.#stage.tell(link, commandMessage([echo, entryOf(key, value).bytes], isList));
    const { name } = request!;
    const registered = this.#registered.get(name);
    if (registered !== undefined && this.#questions.size < MOST) {
      const id = ++this.#asked;
      this.#questions.set(id, { asker: link, answerer: registered.by, echo, isList });
      this.#stage.tell(registered.by, commandMessage([requestEntry(id, name, rawArguments)]));
      return;
    }
    if (name === "commands/list") return answer("response", this.#list());
    const command = this.#commands.get(name);
    // as Python says it, in the words of its KeyError
    if (command === undefined) return answer("exception", `'${name}'`);
    try {
      answer("response", await command.run({ ...command.defaults, ...request!.arguments }));
    } catch (error) {
      answer("exception", error instanceof Error ? error.message : String(error));
    }
  }

  #list(): MessagePackValue {
    const list: { [name: string]: MessagePackValue } = { "commands/list": {} };
    const commands: MessagePackValue[] = [{ name: "commands/list", arguments: {} }];
    for (const [name, { defaults }] of this.#commands) {
      list[name] = defaults;
      commands.push({ name, arguments: defaults });
    }
    for (const [name, { value }] of this.#registered) {
      list[name] = isMap(value) && isMap(value["arguments"] ?? null) ? value["arguments"]! : {};
      commands.push(value);
    }
    return { list, commands };
  }

  /** The answer of a client goes to the one that asked. */
  #pass(link: Link, { request, answer }: CommandItem): void {
    const id = request?.id;
    const question = typeof id === "number" ? this.#questions.get(id) : undefined;
    if (question === undefined || question.answerer !== link) return;
    this.#questions.delete(id as number);
    this.#stage.tell(question.asker, commandMessage([question.echo, answer!.bytes], question.isList));
  }

  /** What a user had in the shared state goes with the user (NanoVer semantics §5.2). */
  #left(link: Link): void {
    this.#stage.leave(link);
    for (const [name, { by }] of [...this.#registered]) if (by === link) this.#registered.delete(name);
    const gone = entryOf("exception", "the client that answers this command has gone").bytes;
    for (const [id, { asker, answerer, echo, isList }] of [...this.#questions]) {
      if (asker !== link && answerer !== link) continue;
      this.#questions.delete(id);
      if (answerer === link && asker !== link) this.#stage.tell(asker, commandMessage([echo, gone], isList));
    }
    const user = this.#ids.get(link);
    this.#ids.delete(link);
    if (user === undefined || user === "") return;
    const removals = [...this.#stage.shared.keys()].filter((key) => key.includes(`.${user}`) || this.#owns(user, key));
    if (removals.length > 0) this.#stage.update([], removals);
  }

  #owns(user: string, key: string): boolean {
    if (!key.startsWith("interaction.")) return false;
    const value = decodedEntry(this.#stage.shared.get(key)!);
    return isMap(value) && value["owner.id"] === user;
  }
}
