/** How an inline picture is drawn: what a style sheet says of it does not reach a picture that stands alone. */
const INLINED = [
  "color",
  "fill",
  "stroke",
  "stroke-width",
  "opacity",
  "font-size",
  "font-weight",
  "font-family",
  "text-anchor",
  "dominant-baseline",
] as const;

/** Pixels that a mark of a bar is wide, as scene.css says; one of nothing lies between two. */
const MARK = 6;

/**
 * Paints what lies over a scene onto a picture of it: boxes, borders, text and inline SVG below `host`, which is laid
 * out at the place of the picture. No canvases, no images. `host` may be out of sight.
 */
export async function paintOver(context: CanvasRenderingContext2D, host: HTMLElement): Promise<void> {
  const { left, top, width } = host.getBoundingClientRect();
  const svgs: SVGSVGElement[] = [];
  context.save();
  const ratio = context.canvas.width / width;
  context.scale(ratio, ratio);
  context.translate(-left, -top);
  paint(context, host, svgs);
  for (const svg of svgs) {
    const box = svg.getBoundingClientRect();
    if (box.width > 0) context.drawImage(await imageOf(svg, box, ratio), box.left, box.top, box.width, box.height);
  }
  context.restore();
}

function paint(context: CanvasRenderingContext2D, element: Element, svgs: SVGSVGElement[]): void {
  const style = getComputedStyle(element);
  if (style.display === "none" || style.visibility === "hidden" || style.opacity === "0") return;
  const before = context.globalAlpha;
  context.globalAlpha = before * Number(style.opacity);
  if (style.display !== "contents") paintBox(context, element.getBoundingClientRect(), style);
  if (element instanceof SVGSVGElement) {
    svgs.push(element);
  } else {
    for (const child of element.childNodes) {
      if (child instanceof Text) paintText(context, child, style);
      else if (child instanceof Element && !(child instanceof HTMLCanvasElement)) paint(context, child, svgs);
    }
  }
  context.globalAlpha = before;
}

function paintBox(context: CanvasRenderingContext2D, box: DOMRect, style: CSSStyleDeclaration): void {
  const { left, top, width, height } = box;
  if (width === 0 || height === 0) return;
  const radius = style.borderTopLeftRadius.endsWith("%")
    ? (Math.min(width, height) * Number.parseFloat(style.borderTopLeftRadius)) / 100
    : Number.parseFloat(style.borderTopLeftRadius) || 0;
  context.fillStyle = style.backgroundColor;
  context.beginPath();
  if (style.maskImage === "none") context.roundRect(left, top, width, height, radius);
  else for (let at = 0; at < width; at += MARK + 1) context.rect(left + at, top, MARK, height);
  context.fill();
  if (style.backgroundImage !== "none") paintPart(context, box, style);
  const sides = (["Top", "Right", "Bottom", "Left"] as const).map((side) => ({
    wide: style[`border${side}Style`] === "none" ? 0 : Number.parseFloat(style[`border${side}Width`]),
    color: style[`border${side}Color`],
  }));
  const [first] = sides;
  if (sides.every(({ wide, color }) => wide === first!.wide && color === first!.color)) {
    if (first!.wide === 0) return;
    context.lineWidth = first!.wide;
    context.strokeStyle = first!.color;
    context.beginPath();
    context.roundRect(left + first!.wide / 2, top + first!.wide / 2, width - first!.wide, height - first!.wide, radius);
    context.stroke();
    return;
  }
  const [above, right, below, aside] = sides.map(({ wide }) => wide) as [number, number, number, number];
  const rects = [
    [left, top, width, above],
    [left + width - right, top, right, height],
    [left, top + height - below, width, below],
    [left, top, aside, height],
  ] as const;
  for (const [i, rect] of rects.entries()) {
    context.fillStyle = sides[i]!.color;
    context.fillRect(...rect);
  }
}

/** What is filled of a bar: its path is there already. */
function paintPart(
  context: CanvasRenderingContext2D,
  { left, top, height }: DOMRect,
  style: CSSStyleDeclaration,
): void {
  context.save();
  context.clip();
  context.fillStyle = style.getPropertyValue("--bar");
  context.fillRect(left, top, Number.parseFloat(style.backgroundSize), height);
  context.restore();
}

function paintText(context: CanvasRenderingContext2D, node: Text, style: CSSStyleDeclaration): void {
  const text = node.data.trim();
  if (text === "") return;
  const range = document.createRange();
  range.selectNodeContents(node);
  const { left, top, width, height } = range.getBoundingClientRect();
  context.font = `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
  context.fillStyle = style.color;
  context.textBaseline = "middle";
  context.fontKerning = "normal";
  // A canvas has no digits of one width: a number is as wide as the page has it.
  context.fillText(text, left, top + height / 2, width + 1);
}

async function imageOf(svg: SVGSVGElement, { width, height }: DOMRect, ratio: number): Promise<HTMLImageElement> {
  const clone = svg.cloneNode(true) as SVGSVGElement;
  const [from, to] = [
    [svg, ...svg.querySelectorAll("*")],
    [clone, ...clone.querySelectorAll("*")],
  ];
  for (const [i, element] of from.entries()) {
    const style = getComputedStyle(element);
    // what was not said on the element itself may have been said by a style sheet
    for (const name of INLINED) to[i]!.setAttribute(name, style.getPropertyValue(name));
  }
  clone.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  clone.setAttribute("width", String(Math.ceil(width * ratio)));
  clone.setAttribute("height", String(Math.ceil(height * ratio)));
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(clone))}`;
  await image.decode();
  return image;
}
