import {
  BufferAttribute,
  type BufferGeometry,
  DoubleSide,
  type Material,
  type Mesh,
  type MeshStandardMaterial,
  Texture,
  Vector3,
} from "three";
import { GLTFLoader, type GLTFParser } from "three/addons/loaders/GLTFLoader.js";
import { mergeGeometries, mergeVertices } from "three/addons/utils/BufferGeometryUtils.js";
import type { Solid } from "../companion.ts";

/** Triangles of one file at most. */
const MOST_TRIANGLES = 2_000_000;
/** Pixels along a side of a picture; larger ones are made smaller. */
const MOST_PIXELS = 2048;

/** What a glTF file shows, at rest. */
export interface Shape {
  /** One for each material. */
  readonly solids: readonly Solid[];
  readonly triangles: number;
  /** What of it is not shown, in words. */
  readonly left: readonly string[];
}

/**
 * Reads a glTF file, binary or as JSON with its data inside (glTF 2.0). Rejects with `Error`, in words, for what it cannot
 * read, and for more than two million triangles. Meshes that morph or have bones are as they are at rest.
 */
export async function solidsOf(bytes: Uint8Array): Promise<Shape> {
  const loader = new GLTFLoader();
  loader.register((parser) => {
    parser.loadImageSource = (index) => pictureOf(parser, index);
    return { name: "simtape_pictures" };
  });
  const { scene, animations } = await loader.parseAsync(bytes.slice().buffer as ArrayBuffer, "");
  scene.updateMatrixWorld(true);
  const byMaterial = new Map<Material, BufferGeometry[]>();
  const left = new Set<string>();
  if (animations.length > 0) left.add("animations");
  let triangles = 0;
  scene.traverse((object) => {
    if (isLine(object)) left.add("lines and points");
    if (!isMesh(object)) return;
    const { material } = object;
    const geometry = atRest(object);
    triangles += geometry.getIndex()!.count / 3;
    if (triangles > MOST_TRIANGLES)
      throw new Error(`it has more than ${MOST_TRIANGLES.toLocaleString("en")} triangles`);
    const one = Array.isArray(material) ? material[0]! : material;
    byMaterial.set(one, [...(byMaterial.get(one) ?? []), geometry]);
  });
  return { solids: [...byMaterial].map(([material, parts]) => solidOf(material, parts)), triangles, left: [...left] };
}

/** Pictures lie inside the file: nothing is fetched. */
async function pictureOf(parser: GLTFParser, index: number): Promise<Texture> {
  const { bufferView, mimeType, uri } = (parser.json as { images: Image[] }).images[index]!;
  let blob: Blob;
  if (bufferView !== undefined) {
    const data = (await parser.getDependency("bufferView", bufferView)) as ArrayBuffer;
    blob = new Blob([data], mimeType === undefined ? {} : { type: mimeType });
  } else if (uri?.startsWith("data:") === true) {
    const [head, text] = uri.slice(5).split(",", 2) as [string, string];
    const letters = atob(text);
    blob = new Blob([Uint8Array.from(letters, (letter) => letter.charCodeAt(0))], { type: head.split(";", 1)[0]! });
  } else throw new Error(`its picture ${uri ?? index} lies in a file of its own: store it inside (.glb)`);
  const options: ImageBitmapOptions = { premultiplyAlpha: "none", colorSpaceConversion: "none" };
  const whole = await createImageBitmap(blob, options);
  const part = MOST_PIXELS / Math.max(whole.width, whole.height);
  if (part >= 1) return new Texture(whole);
  const [resizeWidth, resizeHeight] = [whole.width, whole.height].map((side) => Math.max(1, Math.round(side * part)));
  return new Texture(
    await createImageBitmap(whole, { ...options, resizeWidth: resizeWidth!, resizeHeight: resizeHeight! }),
  );
}

interface Image {
  readonly bufferView?: number;
  readonly mimeType?: string;
  readonly uri?: string;
}

/** Its corners where they are in the scene, with an index and normals; nothing else of it but where its picture is. */
function atRest(mesh: Mesh): BufferGeometry {
  const own = mesh.geometry;
  const geometry = own.clone();
  for (const name of Object.keys(geometry.attributes))
    if (!["position", "normal", "uv"].includes(name)) geometry.deleteAttribute(name);
  geometry.morphAttributes = {};
  const corners = own.getAttribute("position");
  const positions = new Float32Array(3 * corners.count);
  // with its bones and weights, where it has some
  for (let i = 0; i < corners.count; i++)
    mesh
      .getVertexPosition(i, POINT)
      .applyMatrix4(mesh.matrixWorld)
      .toArray(positions, 3 * i);
  const normals = own.getAttribute("normal");
  if (normals !== undefined) geometry.applyMatrix4(mesh.matrixWorld);
  geometry.setAttribute("position", new BufferAttribute(positions, 3));
  const indexed = geometry.getIndex() === null ? mergeVertices(geometry) : geometry;
  if (normals === undefined) indexed.computeVertexNormals();
  const uv = indexed.getAttribute("uv");
  const places = new Float32Array(2 * positions.length);
  if (uv !== undefined) for (let i = 0; i < uv.count; i++) places.set([uv.getX(i), uv.getY(i)], 2 * i);
  const count = indexed.getAttribute("position").count;
  indexed.setAttribute("uv", new BufferAttribute(places.slice(0, 2 * count), 2));
  // what mirrors turns faces inside out
  if (mesh.matrixWorld.determinant() < 0) flip(indexed);
  return indexed;
}

function flip(geometry: BufferGeometry): void {
  const index = geometry.getIndex()!;
  for (let i = 0; i < index.count; i += 3) {
    const second = index.getX(i + 1);
    index.setX(i + 1, index.getX(i + 2));
    index.setX(i + 2, second);
  }
}

function solidOf(material: Material, parts: readonly BufferGeometry[]): Solid {
  const geometry = parts.length === 1 ? parts[0]! : mergeGeometries([...parts]);
  const { color, map, opacity, transparent, alphaTest, side } = material as MeshStandardMaterial;
  const picture = map == null ? null : (map.image as ImageBitmap);
  const array = (name: string): Float32Array => Float32Array.from(geometry.getAttribute(name).array);
  return {
    positions: array("position"),
    normals: array("normal"),
    places: picture === null ? null : array("uv"),
    index: Uint32Array.from(geometry.getIndex()!.array),
    color: [color?.r ?? 1, color?.g ?? 1, color?.b ?? 1],
    picture,
    opacity: transparent ? opacity : 1,
    cutoff: alphaTest,
    isDoubleSided: side === DoubleSide,
  };
}

function isMesh(object: object): object is Mesh {
  return "isMesh" in object;
}

function isLine(object: object): boolean {
  return "isLine" in object || "isPoints" in object;
}

const POINT = new Vector3();
