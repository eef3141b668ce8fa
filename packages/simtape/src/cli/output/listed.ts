import type { SinkBundle } from "../../io/sink/sink.ts";

/** Notes in `files` how many bytes every file has that takes its name; `as` is what it is called instead. */
export function listed(sink: SinkBundle, files: Map<string, number>, as?: string): SinkBundle {
  return {
    name: sink.name,
    open: async (name) => {
      const opened = await sink.open(name);
      const close = opened.close.bind(opened);
      return Object.assign(opened, {
        close: async () => {
          await close();
          files.set(as ?? opened.name, opened.position);
        },
      });
    },
  };
}
