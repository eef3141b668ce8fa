import { open, provideZstd } from "simtape";

globalThis.opened = (address) => open(new URL(address, location.href));
globalThis.provideZstd = provideZstd;
