import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/** An address that stays when a server goes: passes bytes on to one of several, as a load balancer does. */
export interface Switch {
  readonly address: string;
  readonly port: number;
  /** New connections go there. */
  to(address: string): void;
  /** Breaks all connections. */
  cut(): void;
  close(): Promise<void>;
}

export async function startSwitch(): Promise<Switch> {
  const sockets = new Set<Socket>();
  let target: URL | null = null;
  const server = createServer((socket) => {
    if (target === null) {
      socket.destroy();
      return;
    }
    const other = connect(Number(target.port), target.hostname);
    for (const one of [socket, other]) {
      sockets.add(one);
      one.on("error", () => undefined);
      one.once("close", () => {
        sockets.delete(one);
        socket.destroy();
        other.destroy();
      });
    }
    socket.pipe(other).pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    address: `http://127.0.0.1:${port}`,
    port,
    to: (address) => {
      target = new URL(address);
    },
    cut,
    close: async () => {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
