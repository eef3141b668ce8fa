import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileSource, toFile } from "../../io/node/index.ts";
import type { ByteSink, SinkBundle } from "../../io/sink/sink.ts";
import { whenOver } from "../run/ending.ts";
import { UNFINISHED } from "../run/unfinished.ts";

/** Bytes written at once. */
const PIECE = 1 << 20;

/**
 * Files for a place where only the last bytes can be changed, as objects of a store: each is a temporary file, which is
 * written there when it is closed.
 */
export async function spooledSink(to: SinkBundle): Promise<SinkBundle> {
  const folder = await mkdtemp(join(tmpdir(), "simtape-"));
  UNFINISHED.add(folder);
  whenOver(async () => {
    await rm(folder, { recursive: true, force: true });
    UNFINISHED.delete(folder);
  });
  let count = 0;
  return {
    name: to.name,
    open: async (name) => {
      const path = join(folder, `${count++}`);
      const sink = await toFile(path).open();
      const close = sink.close.bind(sink);
      let isClosed = false;
      return Object.assign(sink, {
        close: async () => {
          if (isClosed) return;
          isClosed = true;
          await close();
          await pour(path, await to.open(name));
        },
      });
    },
  };
}

async function pour(path: string, to: ByteSink): Promise<void> {
  const source = fileSource(path);
  try {
    for (;;) {
      const bytes = await source.read(to.position, PIECE);
      if (bytes.length === 0) break;
      await to.write(bytes);
    }
    await to.close();
  } catch (error) {
    await to.abort();
    throw error;
  } finally {
    await source.close();
  }
}
