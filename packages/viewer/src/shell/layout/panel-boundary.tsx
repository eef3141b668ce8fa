import { Component, type ReactNode } from "react";

interface Props {
  readonly title: string;
  readonly children: ReactNode;
}

/** A panel that fails takes nothing else with it. */
export class PanelBoundary extends Component<Props, { readonly error: Error | null }> {
  override state: { readonly error: Error | null } = { error: null };

  static getDerivedStateFromError(error: Error): { readonly error: Error } {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    return (
      <div className="panel-note" role="alert">
        <p>
          {this.props.title} cannot be shown: {error.message}
        </p>
        <button type="button" onClick={() => this.setState({ error: null })}>
          Try again
        </button>
      </div>
    );
  }
}
