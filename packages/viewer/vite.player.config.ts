import { defineConfig } from "vite";
import { shared } from "./vite.config.ts";

/** The element `<simtape-player>`, a module for other pages: beside the built page, whose worker it shares. */
export default defineConfig({
  ...shared,
  publicDir: false,
  build: {
    ...shared.build,
    emptyOutDir: false,
    // Nothing is written into the head of a page of others.
    modulePreload: false,
    rolldownOptions: {
      ...shared.build.rolldownOptions,
      input: { player: new URL("src/player/player.ts", import.meta.url).pathname },
      preserveEntrySignatures: "exports-only",
      output: {
        entryFileNames: "[name].js",
        chunkFileNames: "assets/player-[name]-[hash].js",
        assetFileNames: "assets/[name]-[hash][extname]",
      },
    },
  },
});
