import type { SinkBundle } from "../../io/sink/sink.ts";
import type { TakeBack, Target } from "./target.ts";

/** The same files; what `before` is given last is done when the main one is closed, before it takes its name. */
export function preceded(files: SinkBundle): Pick<Target, "sink" | "before"> {
  let work: () => Promise<TakeBack | undefined> = () => Promise.resolve(undefined);
  const sink: SinkBundle = {
    name: files.name,
    open: async (name) => {
      const opened = await files.open(name);
      if (name !== undefined && name !== files.name) return opened;
      const close = opened.close.bind(opened);
      let closing: Promise<void> | null = null;
      const closeAfter = async (): Promise<void> => {
        const takeBack = await work();
        try {
          await close();
        } catch (error) {
          await takeBack?.();
          throw error;
        }
      };
      return Object.assign(opened, {
        close: () => {
          closing ??= closeAfter();
          return closing;
        },
      });
    },
  };
  return {
    sink,
    before: (next) => {
      work = next;
    },
  };
}
