import type { Session } from "../../session.ts";
import { clock } from "../../time.ts";

/** Saves what is drawn first among the panels' pictures, with its name and time written below. */
export async function savePicture(session: Session): Promise<void> {
  const take = session.pictures.values().next().value;
  const name = session.state.value.decks[0]?.place.name ?? "recording";
  if (take === undefined) {
    session.tell("Nothing to take a picture of: show the scene first");
    return;
  }
  const time = clock(session.frame?.time ?? 0);
  const blob = await captioned(take(), `${name}   ${time}`);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = `${name.replace(/\.[^.]*$/, "")}-${time.replaceAll(":", "-")}.png`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  session.tell(`Saved ${link.download}`);
}

function captioned(picture: HTMLCanvasElement, caption: string): Promise<Blob> {
  const canvas = document.createElement("canvas");
  const band = Math.round(28 * devicePixelRatio);
  canvas.width = picture.width;
  canvas.height = picture.height + band;
  const context = canvas.getContext("2d")!;
  const style = getComputedStyle(document.body);
  context.fillStyle = style.backgroundColor;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(picture, 0, 0);
  context.fillStyle = style.color;
  context.font = `${Math.round(13 * devicePixelRatio)}px system-ui, sans-serif`;
  context.textBaseline = "middle";
  context.fillText(caption, band / 2, picture.height + band / 2);
  return new Promise((resolve, reject) => {
    canvas.toBlob(
      (blob) => (blob === null ? reject(new Error("the picture is too large")) : resolve(blob)),
      "image/png",
    );
  });
}
