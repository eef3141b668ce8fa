/**
 * What the messages of a FlightGear tape decode to, by channel. Continuous tapes may have further items: each is a
 * channel of its own, whose payloads stay bytes.
 */
export interface FlightGearChannels {
  readonly signals: Signals;
  readonly multiplayer: MultiplayerPacket;
  readonly "extra-properties": ExtraProperties;
}

/**
 * Every recorded property by its path, zero indices left out: `/engines/engine[1]/rpm`. Which there are, and of which
 * type, the tape says; those of type bool are booleans, all others numbers in the unit of the property (`unitOf`).
 */
export type Signals = { readonly [property: string]: number | boolean };

/** Properties beside the signals that were changed or removed since the frame before. */
export interface ExtraProperties {
  /** In the order of the tape. Values are texts, whatever the property's type. */
  readonly changes: readonly (readonly [path: string, value: string])[];
  /** Paths. */
  readonly removals: readonly string[];
}

/** What came from another aircraft, as it came: a packet that is no position is a `PacketHead` alone. */
export type MultiplayerPacket = PositionPacket | PacketHead | UnreadPacket;

/** Bytes that are no packet of this protocol. */
export interface UnreadPacket {
  readonly unread: Uint8Array;
}

/** What each packet begins with (spec §5.1). */
export interface PacketHead {
  /** 7 is a position. */
  readonly messageId: number;
  readonly callsign: string;
  /** Nautical miles from which others are asked for. */
  readonly range: number;
  /** The body of a packet that is no position; of one that is, what stands behind an unknown property. */
  readonly unread?: Uint8Array;
}

/** Where an aircraft is and how it moves (spec §5.2). */
export interface PositionPacket extends PacketHead {
  /** Path of the 3D model. */
  readonly model: string;
  readonly protocol: 1 | 2;
  /** Seconds of the sender's protocol clock. */
  readonly time: number;
  /** Seconds. */
  readonly lag: number;
  /** x, y, z in m, earth-centred and earth-fixed. */
  readonly position: Float64Array;
  /** Rotation vector from the earth-fixed axes to those of the body, rad. */
  readonly orientation: Float32Array;
  /** Along the axes of the body, m/s. */
  readonly velocity: Float32Array;
  /** About the axes of the body, rad/s. */
  readonly angularVelocity: Float32Array;
  /** Along the axes of the body, m/s². */
  readonly acceleration: Float32Array;
  /** About the axes of the body, rad/s². */
  readonly angularAcceleration: Float32Array;
  /** By their paths below the aircraft's own node. */
  readonly properties: { readonly [path: string]: number | boolean | string };
  /** Not there when empty. */
  readonly chat?: string;
}
