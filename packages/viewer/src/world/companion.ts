import type { BlockSkins, SkinPictures } from "../blocks/skins.ts";
import type { Locator } from "../protocol.ts";

/** A file that shows the world of a recording: how it is recognized, read and drawn, whatever its kind. */
export interface CompanionKind {
  readonly id: string;
  /** What such a file is called in sentences: "road net (OpenDRIVE)". */
  readonly name: string;
  /** Of names, with the dot, in lower case. */
  readonly endings: readonly string[];
  /** Of folders, with the slash, and of zips of them, for what is a folder beside the recording; `simtape view` finds those. */
  readonly folders?: readonly string[];
  /** Whether one is called as the map that a recording names, too, and is looked for on servers of others. */
  readonly isOfMaps?: boolean;
  /** Endings of files that it may need beside it: those that were dropped with it are its own. */
  readonly parts?: readonly string[];
  /** How it is read as a whole; null: it is read piece by piece, as it comes or as it is looked at. */
  readonly whole: WholeReading | null;
  /** How it is read as it comes, where little of much is kept. */
  readonly stream?: Reading<StreamReader>;
  /** The colours of its parts, loaded on use. */
  paints(): Promise<Paints>;
}

/** How a companion is read as a whole. */
export type WholeReading = Reading<CompanionReader>;

/** How a companion is read, in a worker of its own. */
export interface Reading<R> {
  /** Longer files are refused before they are read, bytes. */
  readonly mostBytes: number;
  /** Whether a file that begins with these bytes, some hundred of them, is one: what its name claims may be wrong. */
  recognizes(first: Uint8Array): boolean;
  /** What reads it, loaded on use. */
  reader(): Promise<R>;
}

/** A companion that was read, as far as it could be. */
export interface Companion {
  readonly name: string;
  readonly place: Locator;
  readonly kind: CompanionKind;
  readonly scenery: Scenery;
  readonly paints: Paints;
}

/** Reads the bytes of a whole file. What is wrong with the file is in the findings; an error that it throws becomes one. */
export type CompanionReader = (bytes: Uint8Array, beside: Beside) => Scenery | Promise<Scenery>;

/**
 * Reads a file whose bytes come in pieces, for a recording that is `around` these places, degrees north and east; none: it has
 * none on the earth. Findings are as those of `CompanionReader`.
 */
export type StreamReader = (
  pieces: AsyncIterable<Uint8Array>,
  around: readonly (readonly [latitude: number, longitude: number])[],
) => Promise<Scenery>;

/** The bytes of a file beside a companion, by its name; rejects with `Error`, in words, where there is none, or it is too long. */
export type Beside = (name: string) => Promise<Uint8Array>;

/** One thing that is wrong or doubtful in a companion. */
export interface CompanionFinding {
  readonly severity: "damage" | "warning" | "note";
  /** `not-well-formed`, `too-large`, `unknown-geometry`, … */
  readonly code: string;
  /** What and where: "road 12: …". */
  readonly message: string;
}

/**
 * What a companion shows: meshes in the standard axes of the recording's world, right-handed, z up, metres. Arrays belong
 * to who gets them.
 */
export interface Scenery {
  readonly findings: readonly CompanionFinding[];
  /** In words, for the description of the picture: "38 roads, 8 junctions"; empty: nothing is drawn. */
  readonly description: string;
  /** What the file says of itself, by name. */
  readonly facts: readonly (readonly [name: string, text: string])[];
  readonly parts: readonly SceneryPart[];
  /** Bodies with colours of their own. */
  readonly bodies?: readonly PlacedBody[];
  /** What things of the recording look like. */
  readonly models?: readonly ThingModel[];
  /** What its robots look like. */
  readonly robots?: readonly Robot[];
  /** What its molecules are made of. */
  readonly molecules?: readonly Molecule[];
  /** Textures of blocks. */
  readonly skins?: { readonly blocks: BlockSkins; readonly pictures: SkinPictures };
  /** What the coordinates of all parts are relative to, so that they fit into 32 bits. */
  readonly middle: readonly [number, number, number];
  /** Height of the ground around and below it, metres in the world; null: it says nothing of a ground. */
  readonly ground: number | null;
  /** Whether places are degrees north, degrees east and metres above the ellipsoid, normals east, north and up. */
  readonly isGeodetic?: boolean;
  /** Whether all of it lies on the terrain of another companion, where there is some; most ground around it is bare. */
  readonly isDraped?: boolean;
  /** Heights that others lie on. */
  readonly relief?: Relief;
  /** Runways, for the map. */
  readonly strips?: readonly Strip[];
}

/** Heights on the earth in rows from the north, joined by triangles whose long side goes from north-east to south-west. */
export interface Relief {
  readonly width: number;
  readonly height: number;
  /** Row by row, metres; NaN: not known. */
  readonly heights: Float32Array;
  /** Place of the first, degrees, and degrees from each to the next. */
  readonly north: number;
  readonly west: number;
  readonly step: readonly [south: number, east: number];
}

/** A runway from end to end, degrees north and east. */
export interface Strip {
  /** Of its airport. */
  readonly name: string;
  readonly ends: readonly [readonly [number, number], readonly [number, number]];
}

/** Triangles of one paint: one draw call. */
export interface SceneryPart {
  /** Its name in `Paints`. */
  readonly paint: string;
  /** Three numbers a corner, in metres from `middle`. */
  readonly positions: Float32Array;
  /** Three numbers a corner, as long as `positions`. */
  readonly normals: Float32Array;
  /** Three a triangle, counter-clockwise seen from its front. */
  readonly index: Uint32Array;
}

/** Triangles with a colour of their own, as glTF has them: metres, right-handed, y up. */
export interface Solid {
  /** Three numbers a corner. */
  readonly positions: Float32Array;
  /** As long as `positions`. */
  readonly normals: Float32Array;
  /** Two numbers a corner, where it has a picture. */
  readonly places: Float32Array | null;
  readonly index: Uint32Array;
  /** Red, green and blue, linear, 0 to 1; multiplied with the picture. */
  readonly color: readonly [number, number, number];
  readonly picture: ImageBitmap | null;
  /** 1: nothing is seen through it. */
  readonly opacity: number;
  /** Parts of the picture that are less opaque are left out; 0: none. */
  readonly cutoff: number;
  readonly isDoubleSided: boolean;
}

/** Solids at a place in the world. */
export interface PlacedBody {
  readonly solids: readonly Solid[];
  /** Metres in the axes of a scenery, or degrees north, degrees east and metres above the ellipsoid. */
  readonly at: readonly [number, number, number];
  /** Whether `at` is on the earth. */
  readonly isGeodetic: boolean;
  /** Degrees, anticlockwise from above. */
  readonly turn: number;
  readonly scale: number;
}

/** What some things look like. */
export interface ThingModel {
  /** A glob: it is compared with the set of a thing and its id, its label or its kind, as `vehicles/24`, `vehicles/hero`. */
  readonly things: string;
  readonly solids: readonly Solid[];
  readonly scale: number;
  /** Degrees that it is turned about the vertical, anticlockwise from above; 0: what is +z in its file looks ahead. */
  readonly turn: number;
  /** Metres that it is moved ahead, to the left and up. */
  readonly offset: readonly [ahead: number, left: number, up: number];
}

/** What atoms are, in the order in which a recording has their places. */
export interface Molecule {
  /** Names of atoms, without spaces around. */
  readonly labels: readonly string[];
  /** Atomic numbers; 0: not known. */
  readonly elements: Uint32Array;
  /** Of each atom. */
  readonly residues: Uint32Array;
  readonly residueNames: readonly string[];
  /** Number in the sequence, with an insertion code behind it where it has one. */
  readonly residueIds: readonly string[];
  /** Of each residue. */
  readonly residueChains: Uint32Array;
  readonly chainNames: readonly string[];
  /** Two atoms for each bond. */
  readonly bonds: Uint32Array;
  /** B factor of each atom, Å²; NaN: not known. Null: there are none. */
  readonly factors: Float32Array | null;
}

/** A robot at rest: links, which joints hold together. Parents stand before their children; the first has none. */
export interface Robot {
  readonly name: string;
  readonly links: readonly RobotLink[];
}

export interface RobotLink {
  readonly name: string;
  /** In its own axes, metres, with z up. */
  readonly solids: readonly Solid[];
  /** What holds it; null: it is the first. */
  readonly joint: RobotJoint | null;
}

export interface RobotJoint {
  readonly name: string;
  /** Where the link that holds it is in `Robot.links`. */
  readonly parent: number;
  readonly kind: "fixed" | "turning" | "sliding";
  /** Of its link in the axes of the one that holds it, where its position is 0: metres, and a quaternion x, y, z, w. */
  readonly at: readonly [number, number, number];
  readonly turn: readonly [number, number, number, number];
  /** Of length 1, in the axes of its link: it turns about it, or slides along it. */
  readonly axis: readonly [number, number, number];
  /** Its position follows from that of another: that of the joint of a link, times `factor`, and `offset`. */
  readonly mimics: { readonly link: number; readonly factor: number; readonly offset: number } | null;
}

/** How a part looks. */
export interface Paint {
  /** Of CSS. */
  readonly light: string;
  readonly dark: string;
  /** Parts that lie in one plane cover those with a lower layer; 0: it stands in space. */
  readonly layer: number;
  /** Whether it throws a shadow. */
  readonly isTall?: boolean;
  /** A set of the recording: while it has things, they are drawn, and this is not. */
  readonly unless?: string;
}

export type Paints = Readonly<Record<string, Paint>>;

/** Nothing to draw, and why. */
export function refused(code: string, message: string): Scenery {
  return { ...NOTHING, findings: [{ severity: "damage", code, message }] };
}

/** Of what is read piece by piece. */
export const NOTHING: Scenery = {
  findings: [],
  description: "",
  facts: [],
  parts: [],
  middle: [0, 0, 0],
  ground: null,
};
