import "./snippets.css";
import { useState } from "react";
import { useSession } from "../../hooks.ts";
import { Button } from "../../ui/button.tsx";
import { type Beginning, type Snippet, snippetsOf } from "./embedding.ts";

/** Text for other pages and notebooks, which a button copies. `time`: the moment shown, seconds. */
export function Snippets({
  beginning,
  time,
}: {
  readonly beginning: Omit<Beginning, "at" | "isPlaying">;
  readonly time: number;
}) {
  const [isHere, setHere] = useState(true);
  const [isPlaying, setPlaying] = useState(false);
  const snippets = snippetsOf({ ...beginning, at: isHere ? time : null, isPlaying });
  return (
    <div className="snippets">
      <p>
        <label>
          <input type="checkbox" checked={isHere} onChange={() => setHere(!isHere)} /> from this moment
        </label>
        <label>
          <input type="checkbox" checked={isPlaying} onChange={() => setPlaying(!isPlaying)} /> plays at once
        </label>
      </p>
      {snippets.map((snippet) => (
        <Row key={snippet.title} {...snippet} />
      ))}
    </div>
  );
}

function Row({ title, text }: Snippet) {
  const session = useSession();
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
    } catch {
      session.tell("Cannot copy: select the text, and copy it by hand");
    }
  };
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      <div className="snippets-row">
        <textarea
          className="field"
          readOnly
          rows={3}
          aria-label={title}
          spellCheck={false}
          value={text}
          onFocus={(event) => event.currentTarget.select()}
        />
        <Button label={`Copy ${title}`} onClick={() => void copy()} onBlur={() => setCopied(false)}>
          {isCopied ? "Copied" : "Copy"}
        </Button>
      </div>
    </section>
  );
}
