import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** Where tests of all files of a run ask for a part of something that they share. */
export interface Desk {
  /** Resolves to the address that a test fetches. */
  open(): Promise<string>;
  close(): void;
}

/** `answer` gives the text for each request; what it rejects with is answered 500. */
export function deskOf(answer: () => Promise<string>): Desk {
  const server = createServer((_request, response) => {
    answer().then(
      (text) => response.end(text),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  return {
    open: async () => {
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
