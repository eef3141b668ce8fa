import { LayoutError } from "../../bytes/error.ts";
import { KEYFRAME, type MessageBatch } from "../../model/messages/batch.ts";
import type { Channel, Value } from "../../model/values/value.ts";
import { csvRow, textCell } from "../../export/csv.ts";
import { toJson } from "../../model/values/json.ts";
import { preview } from "./json.ts";
import { paint } from "../run/terminal.ts";
import { jsonText } from "../../model/values/visible.ts";

/** Writes one message as one line, or as one row of CSV with its end. */
export class Rows {
  undecodable = 0;
  readonly #channels: readonly Channel[];
  readonly #names: readonly string[];
  readonly #format: "text" | "ndjson" | "csv";
  readonly #isRaw: boolean;
  readonly #width: number;

  constructor(channels: readonly Channel[], format: "text" | "ndjson" | "csv", isRaw: boolean) {
    this.#channels = channels;
    this.#names = channels.map(({ name }) => jsonText(name));
    this.#format = format;
    this.#isRaw = isRaw;
    this.#width = process.stdout.isTTY === true ? process.stdout.columns : Number.POSITIVE_INFINITY;
  }

  value(batch: MessageBatch, i: number): Value {
    const payload = batch.payload(i);
    if (this.#isRaw) return Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength).toString("base64");
    try {
      return this.#channels[batch.channel[i]!]!.schema.decode(payload, batch.context);
    } catch (error) {
      if (!(error instanceof LayoutError)) throw error;
      this.undecodable++;
      return null;
    }
  }

  row(batch: MessageBatch, i: number): string {
    const value = this.value(batch, i);
    const channel = batch.channel[i]!;
    const time = batch.time[i]!;
    const sequence = batch.sequence[i]!;
    const isKeyframe = (batch.flags[i]! & KEYFRAME) !== 0;
    switch (this.#format) {
      case "ndjson":
        return `{"sequence":${sequence},"time":${time},"channel":${this.#names[channel]},"keyframe":${isKeyframe},"value":${toJson(value)}}`;
      case "csv":
        return csvRow([
          `${sequence}`,
          `${time}`,
          textCell(this.#channels[channel]!.name),
          `${isKeyframe}`,
          typeof value !== "string" ? toJson(value) : this.#isRaw ? value : textCell(value),
        ]);
      case "text": {
        const head = `${(time / 1e9).toFixed(6).padStart(14)} ${this.#channels[channel]!.name}${isKeyframe ? " *" : ""} `;
        return `${paint.dim(head)}${preview(value, Math.max(20, this.#width - head.length))}`;
      }
      default:
        return this.#format satisfies never;
    }
  }
}
