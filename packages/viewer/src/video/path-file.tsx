import { useState } from "react";
import { useSession, useViewer } from "../hooks.ts";
import { Button } from "../ui/button.tsx";
import { type CameraPath, readPath } from "./path.ts";
import { changePath } from "./path-changes.ts";

/** Characters of a file at most: more is no camera path. */
const LIMIT = 1 << 20;
/** Milliseconds that a browser may take to begin a download. */
const GRACE = 60_000;

/** A path as JSON: to the clipboard, into a file, out of one. */
export function PathFile({ path }: { readonly path: CameraPath }) {
  const session = useSession();
  const name = useViewer(({ decks }) => decks[0]?.place.name) ?? "recording";
  const [fault, setFault] = useState<string | null>(null);
  const isEmpty = path.keyframes.length === 0;
  const load = async (file: File): Promise<void> => {
    try {
      if (file.size > LIMIT) throw new Error("the file is too large");
      const read = readPath(JSON.parse(await file.text()));
      changePath(session, read);
      setFault(null);
    } catch (error) {
      setFault(`Not a camera path: ${(error as Error).message}`);
    }
  };
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(textOf(path));
      session.tell("Camera path copied, as JSON");
    } catch {
      session.tell("Cannot copy: this browser does not let the page write to the clipboard");
    }
  };
  return (
    <>
      <Button kind="bare" disabled={isEmpty} onClick={() => void copy()}>
        Copy
      </Button>
      <Button kind="bare" disabled={isEmpty} onClick={() => save(path, `${name.replace(/\.[^.]*$/, "")}.camera.json`)}>
        Download
      </Button>
      <Button kind="bare" label="A camera path from a JSON file" onClick={() => choose((file) => void load(file))}>
        Load …
      </Button>
      {fault !== null && (
        <p role="alert" className="path-fault">
          {fault}
        </p>
      )}
    </>
  );
}

/** One keyframe to a line. */
function textOf({ version, keyframes }: CameraPath): string {
  const lines = keyframes.map((keyframe) => `    ${JSON.stringify(keyframe)}`);
  return `{\n  "version": ${version},\n  "keyframes": [\n${lines.join(",\n")}\n  ]\n}\n`;
}

function save(path: CameraPath, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([textOf(path)], { type: "application/json" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), GRACE);
}

function choose(onFile: (file: File) => void): void {
  const input = document.createElement("input");
  input.type = "file";
  input.accept = ".json,application/json";
  input.addEventListener("change", () => {
    const [file] = input.files ?? [];
    if (file !== undefined) onFile(file);
  });
  input.click();
}
