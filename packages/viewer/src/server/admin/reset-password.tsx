import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";

/** A new password for an account: asked for, then shown once. `onReset` gives undefined when it was refused. */
export function ResetPassword({
  name,
  onReset,
  onClose,
}: {
  readonly name: string;
  readonly onReset: () => Promise<{ readonly password: string } | undefined>;
  readonly onClose: () => void;
}) {
  const [password, setPassword] = useState<string | null>(null);
  const reset = async (): Promise<void> => {
    const made = await onReset();
    if (made === undefined) onClose();
    else setPassword(made.password);
  };
  return (
    <Dialog title={`New password for ${name}`} onClose={onClose}>
      {password === null ? (
        <>
          <p>
            The password of {name} stops working, and all browsers in which {name} is signed in are signed out.
          </p>
          <div className="form-line">
            <Button kind="main" onClick={() => void reset()}>
              Make a new one
            </Button>
            <Button onClick={onClose}>Change nothing</Button>
          </div>
        </>
      ) : (
        <>
          <p role="status">
            Shown this once:{" "}
            <input
              className="field token-field"
              readOnly
              aria-label="The password"
              value={password}
              onFocus={(event) => event.currentTarget.select()}
            />
          </p>
          <p>{name} changes it under “Your account”.</p>
          <Button kind="main" onClick={onClose}>
            Done
          </Button>
        </>
      )}
    </Dialog>
  );
}
