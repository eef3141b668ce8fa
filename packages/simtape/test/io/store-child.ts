/** Adds one to the number in `counter` of a directory store, as often as asked; a line on standard output for each. */
import { directoryStore } from "../../src/io/node/directory-store.ts";
import { StoreError } from "../../src/io/store/store.ts";

const [path, times] = process.argv.slice(2);
const store = directoryStore(path!);

for (let done = 0; done < Number(times); ) {
  const found = await store.get("counter");
  const next = Number(new TextDecoder().decode(found!.bytes)) + 1;
  try {
    await store.put("counter", new TextEncoder().encode(`${next}`), { condition: { etag: found!.etag } });
    process.stdout.write(`${next}\n`);
    done++;
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== "conflict") throw error;
  }
}
