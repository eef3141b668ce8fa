import { Button } from "../ui/button.tsx";

/** Why there is nothing to show, and what can be done about it. */
export function Trouble({ message, onAgain }: { readonly message: string; readonly onAgain?: () => void }) {
  return (
    <div className="site-empty" role="alert">
      <p>{message}</p>
      {onAgain !== undefined && <Button onClick={onAgain}>Try again</Button>}
    </div>
  );
}
