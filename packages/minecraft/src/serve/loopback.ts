/** Whether an address to listen on is reached from this machine alone. */
export function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|::1)$/i.test(host);
}

/** An address that a client of this machine takes: one that stands for all is none. */
export function reachable(host: string, port: number): string {
  if (host === "0.0.0.0" || host === "::") return `127.0.0.1:${port}`;
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}
