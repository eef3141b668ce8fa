/** Of each script of another origin, the address of what loads it. */
const LOADERS = new Map<string, string>();

/**
 * Starts a worker of the built module at an address. A browser starts none from another origin, where a page of elsewhere
 * shows a player: then a small script of the page's own loads the module.
 */
export function startWorker(address: string): Worker {
  const { href, origin } = new URL(address, import.meta.url);
  return new Worker(origin === location.origin ? href : loaderOf(href), { type: "module" });
}

function loaderOf(href: string): string {
  const made = LOADERS.get(href) ?? URL.createObjectURL(new Blob([`import ${JSON.stringify(href)};`], SCRIPT));
  LOADERS.set(href, made);
  return made;
}

const SCRIPT = { type: "text/javascript" };
