import type { ITabRenderer, TabPartInitParameters } from "dockview";

/** The tab of a panel. A click on its sign closes the panel; by keyboard, Delete does so on the tab itself. */
export class Tab implements ITabRenderer {
  readonly element: HTMLElement = document.createElement("div");

  constructor() {
    this.element.className = "dv-default-tab";
  }

  init({ title, api }: TabPartInitParameters): void {
    const [name, sign] = [document.createElement("span"), document.createElement("span")];
    name.className = "dv-default-tab-content";
    name.textContent = title;
    sign.className = "dv-default-tab-action";
    // No button: a tab has nothing in it that has a focus of its own.
    sign.setAttribute("aria-hidden", "true");
    sign.title = `Close ${title} (Delete)`;
    sign.textContent = "✕";
    // A press on it does not begin to drag the tab.
    sign.addEventListener("pointerdown", (event) => event.preventDefault());
    sign.addEventListener("click", (event) => {
      event.preventDefault();
      api.close();
    });
    this.element.append(name, sign);
  }
}
