/** Whether only this machine can reach an address to listen on. */
export function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|::1)$/i.test(host);
}

/** An address that a client of this machine can use: a wildcard address is none. */
export function reachable(host: string, port: number): string {
  if (host === "0.0.0.0" || host === "::") return `127.0.0.1:${port}`;
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}
