import type { S3Client } from "./s3-client.ts";
import { conditionHeaders, etagOf, keyHeader, type S3Entry } from "./s3-headers.ts";
import { completion, readUploadId } from "./s3-xml.ts";
import type { ByteSink } from "../sink/sink.ts";
import { type PutOptions, StoreError } from "../store/store.ts";
import { conflict, holds } from "../store/store-key.ts";
import { type SinkWork, storeSink } from "../store/store-sink.ts";

/** Parts of one object at most. docs.aws.amazon.com, "Amazon S3 multipart upload limits" */
const MOST_PARTS = 10_000;

/** Bytes of memory that a part begins with. */
const FIRST = 64 * 1024;

/** What a sink needs of its store. */
interface S3Object {
  readonly partSize: number;
  head(): Promise<S3Entry | null>;
  put(bytes: Uint8Array): Promise<string>;
}

/**
 * An object in parts, each sent when the next begins; what fits in one is put at once on close. `writeAt` reaches only
 * what was not sent yet. Nothing survives a crash before `close()`.
 */
export function s3Sink(client: S3Client, key: string, options: PutOptions, object: S3Object): ByteSink {
  return storeSink(`${client.name}/${key}`, new Upload(client, key, options, object), options.signal);
}

class Upload implements SinkWork {
  readonly #client: S3Client;
  readonly #key: string;
  readonly #options: PutOptions;
  readonly #object: S3Object;
  /** Marks the object as this upload's, to know it by when the answer to its completion was lost. */
  readonly #mark: string;
  #id: string | null = null;
  readonly #etags: string[] = [];
  /** The part being filled, and bytes in it. */
  #part = new Uint8Array(FIRST);
  #length = 0;

  constructor(client: S3Client, key: string, options: PutOptions, object: S3Object) {
    this.#client = client;
    this.#key = key;
    this.#options = options;
    this.#object = object;
    this.#mark = options.idempotencyKey ?? crypto.randomUUID();
  }

  async write(offset: number, bytes: Uint8Array): Promise<void> {
    const { partSize } = this.#object;
    let at = offset - this.#etags.length * partSize;
    if (at < 0)
      throw new StoreError(
        "malformed",
        `byte ${offset} was sent already: ${this.#client.name}/${this.#key}`,
        this.#key,
      );
    for (let done = 0; done < bytes.length; ) {
      if (at === partSize) {
        await this.#send();
        at = 0;
      }
      const piece = bytes.subarray(done, done + partSize - at);
      this.#grow(at + piece.length);
      this.#part.set(piece, at);
      at += piece.length;
      done += piece.length;
      this.#length = Math.max(this.#length, at);
    }
  }

  async flush(): Promise<void> {
    // There is nothing between a part in memory and an object: what is not closed is not there.
  }

  async finish(): Promise<void> {
    if (this.#id === null) {
      await this.#object.put(this.#part.subarray(0, this.#length));
      return;
    }
    await this.#send();
    if (await this.#isThereAlready()) return this.discard();
    const { status } = await this.#client.ask({
      method: "POST",
      key: this.#key,
      query: { uploadId: this.#id },
      headers: conditionHeaders(this.#options.condition, '"'),
      body: new TextEncoder().encode(completion(this.#etags)),
      signal: this.#options.signal,
      repeatable: true,
      expected: [404, 409, 412],
    });
    if (status < 300) return;
    // The upload is no more: completed by a try whose answer was lost, or the condition failed.
    const found = await this.#object.head();
    if (found?.idempotencyKey === this.#mark) return;
    const { condition } = this.#options;
    if (condition !== undefined) throw conflict(this.#key, condition, found, this.#client.name);
    throw new StoreError("unavailable", `the upload was lost: ${this.#client.name}/${this.#key}`, this.#key);
  }

  async discard(): Promise<void> {
    if (this.#id === null) return;
    const query = { uploadId: this.#id };
    await this.#client.ask({ method: "DELETE", key: this.#key, query, repeatable: true, expected: [404] });
  }

  /** Throws `conflict` when the condition fails; true when an earlier try of the same change was completed. */
  async #isThereAlready(): Promise<boolean> {
    const { condition, idempotencyKey } = this.#options;
    if (condition === undefined) return false;
    const found = await this.#object.head();
    if (holds(condition, found)) return false;
    if (idempotencyKey !== undefined && found?.idempotencyKey === idempotencyKey) return true;
    throw conflict(this.#key, condition, found, this.#client.name);
  }

  async #send(): Promise<void> {
    if (this.#etags.length === MOST_PARTS)
      throw new StoreError("full", `more than ${MOST_PARTS} parts: ${this.#client.name}/${this.#key}`, this.#key);
    this.#id ??= await this.#begin();
    const { headers } = await this.#client.ask({
      method: "PUT",
      key: this.#key,
      query: { partNumber: `${this.#etags.length + 1}`, uploadId: this.#id },
      body: this.#part.subarray(0, this.#length),
      signal: this.#options.signal,
      repeatable: true,
    });
    this.#etags.push(etagOf(headers, this.#key));
    this.#part = new Uint8Array(FIRST);
    this.#length = 0;
  }

  async #begin(): Promise<string> {
    const { bytes } = await this.#client.ask({
      method: "POST",
      key: this.#key,
      query: { uploads: "" },
      headers: keyHeader(this.#mark),
      signal: this.#options.signal,
      repeatable: false,
    });
    return readUploadId(new TextDecoder().decode(bytes));
  }

  #grow(length: number): void {
    if (length <= this.#part.length) return;
    const grown = new Uint8Array(Math.min(this.#object.partSize, Math.max(length, this.#part.length * 2)));
    grown.set(this.#part.subarray(0, this.#length));
    this.#part = grown;
  }
}
