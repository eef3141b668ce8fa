/** A packet of the state `play` that a server sends, with names and layout of minecraft-data. */
export type Packet = readonly [name: string, params: object];
