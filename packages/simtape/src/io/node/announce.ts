import { createSocket } from "node:dgram";
import { networkInterfaces } from "node:os";

/** What is sent again and again. */
export interface Announcement {
  readonly port: number;
  /** Milliseconds between two rounds. */
  readonly every: number;
  /** The datagram for the network in which this machine has `address`. */
  readonly payload: (address: string) => Uint8Array;
  /** Networks: an address of this machine, and where datagrams go. Absent: the broadcast address of each IPv4 network. */
  readonly networks?: readonly { readonly address: string; readonly to: string }[] | undefined;
}

/** Sends a UDP datagram to each network until the returned function is called. A network that refuses is left out. */
export async function announce({ port, every, payload, networks }: Announcement): Promise<() => Promise<void>> {
  const socket = createSocket({ type: "udp4", reuseAddr: true });
  await new Promise<void>((resolve, reject) => {
    socket.once("error", reject);
    socket.bind(0, () => resolve());
  });
  socket.setBroadcast(true);
  socket.on("error", () => undefined);
  const round = (): void => {
    for (const { address, to } of networks ?? broadcasts()) socket.send(payload(address), port, to, () => undefined);
  };
  round();
  const timer = setInterval(round, every);
  timer.unref();
  return () =>
    new Promise((resolve) => {
      clearInterval(timer);
      socket.close(() => resolve());
    });
}

/** IPv4 networks that others share. */
function broadcasts(): { readonly address: string; readonly to: string }[] {
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ family, internal }) => family === "IPv4" && !internal)
    .map(({ address, netmask }) => {
      const parts = netmask.split(".").map(Number);
      const to = address.split(".").map((part, i) => Number(part) | (255 & ~parts[i]!));
      return { address, to: to.join(".") };
    });
}
