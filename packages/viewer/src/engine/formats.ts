import { type Format, formatFrom, type FormatModule } from "simtape";

/** Formats by the address of their module; each is loaded once. */
const loading = new Map<string, Promise<Format>>();

/** The formats of modules, which run here with all that this page may do. Rejects when one cannot be loaded, and tries again. */
export function formatsAt(addresses: readonly string[]): Promise<Format[]> {
  return Promise.all(
    addresses.map((address) => {
      const known = loading.get(address) ?? load(address);
      loading.set(address, known);
      known.catch(() => loading.delete(address));
      return known;
    }),
  );
}

async function load(address: string): Promise<Format> {
  return formatFrom((await import(/* @vite-ignore */ address)) as FormatModule, address);
}
