import { filesBundle, type Location, open, RecordingError } from "../../../src/index.ts";
import { type Summary, summarize } from "./summary.ts";

const element = (id: string): HTMLElement => document.getElementById(id)!;
const result = element("result");
const drop = element("drop");
const address = element("address") as HTMLInputElement;

drop.addEventListener("dragover", (event) => event.preventDefault());
drop.addEventListener("drop", (event) => {
  event.preventDefault();
  const files = [...(event.dataTransfer?.files ?? [])];
  void show(() => filesBundle(files));
});
element("from-url").addEventListener("submit", (event) => {
  event.preventDefault();
  void show(() => new URL(address.value, location.href));
});

async function show(locate: () => Location): Promise<void> {
  result.dataset["phase"] = "reading";
  try {
    await using recording = await open(locate());
    write(await summarize(recording));
    result.dataset["phase"] = "done";
  } catch (error) {
    element("failure").textContent =
      error instanceof RecordingError ? `${error.code}: ${error.message}` : String(error);
    result.dataset["phase"] = "failed";
  }
}

function write(summary: Summary): void {
  const { channels, ...texts } = summary;
  for (const [id, text] of Object.entries(texts)) element(id).textContent = text;
  element("failure").textContent = "";
  const rows = channels.map((cells) => {
    const row = document.createElement("tr");
    for (const text of cells) row.insertCell().textContent = text;
    return row;
  });
  element("channels").replaceChildren(...rows);
}
