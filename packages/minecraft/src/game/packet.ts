/** A packet of the state `play` that a server sends, as minecraft-data names and lays it out. */
export type Packet = readonly [name: string, params: object];
