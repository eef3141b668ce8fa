import { PCFShadowMap, SRGBColorSpace, WebGLRenderer } from "three";

/** What draws into a canvas. In software, edges are not smooth of themselves. Throws when the browser has no WebGL 2. */
export function rendererOn(canvas: HTMLCanvasElement, isSoftware: boolean): WebGLRenderer {
  const context = contextOf(canvas, { antialias: !isSoftware, alpha: false, powerPreference: "high-performance" });
  if (context === null) throw new Error("this browser offers no WebGL 2; the other panels do without");
  const renderer = new WebGLRenderer({ canvas, context });
  renderer.outputColorSpace = SRGBColorSpace;
  renderer.shadowMap.enabled = true;
  renderer.shadowMap.type = PCFShadowMap;
  return renderer;
}

let isKnown: boolean | null = null;

/** Whether this browser draws without a graphics card. Asked of a context of its own, once. Where there is no browser nothing is drawn. */
export function drawsInSoftware(): boolean {
  if (isKnown !== null) return isKnown;
  if (typeof document === "undefined") return false;
  const context = contextOf(document.createElement("canvas"));
  if (context === null) return false;
  const info = context.getExtension("WEBGL_debug_renderer_info");
  const name: unknown = context.getParameter(info?.UNMASKED_RENDERER_WEBGL ?? context.RENDERER);
  context.getExtension("WEBGL_lose_context")?.loseContext();
  isKnown = /swiftshader|llvmpipe|softpipe|software|basic render/i.test(String(name));
  return isKnown;
}

function contextOf(canvas: HTMLCanvasElement, attributes?: WebGLContextAttributes): WebGL2RenderingContext | null {
  return canvas.getContext("webgl2", attributes);
}
