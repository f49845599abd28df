// Dialogs: the first field has the focus, Escape and the scrim close, the opener gets focus back.
import { all, h, one } from "../lib/dom.js";
import { gettext } from "../lib/i18n.js";

/** Opens a dialog of the page and arranges its closing. */
export function openDialog(dialog) {
  if (dialog.open) return;
  const opener = document.activeElement;
  prepare(dialog);
  dialog.showModal();
  (one("[autofocus], input:not([type=hidden]), textarea, button.btn--solid", dialog) ?? dialog).focus();
  dialog.addEventListener("close", () => opener?.focus?.(), { once: true });
}

const prepared = new WeakSet();

function prepare(dialog) {
  if (prepared.has(dialog)) return;
  prepared.add(dialog);
  for (const button of all("[data-close]", dialog)) button.addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog && isOutside(dialog, event)) dialog.close();
  });
}

function isOutside(dialog, { clientX, clientY }) {
  const box = dialog.getBoundingClientRect();
  return clientX < box.left || clientX > box.right || clientY < box.top || clientY > box.bottom;
}

/** Asks before a destructive act; resolves to whether the person meant it. */
export function confirmAct({ title, text, action }) {
  return new Promise((resolve) => {
    const dialog = h(
      "dialog",
      { class: "dialog dialog--sm", "aria-labelledby": "confirm-title", "aria-describedby": "confirm-text" },
      h("div", { class: "dialog__head" }, h("h2", { id: "confirm-title" }, title)),
      h("div", { class: "dialog__body" }, h("p", { class: "ink-2", id: "confirm-text" }, text)),
      h(
        "div",
        { class: "dialog__foot" },
        h("button", { class: "btn btn--quiet end", type: "button", autofocus: true, onclick: () => dialog.close("no") }, gettext("Keep it")),
        h("button", { class: "btn btn--danger", type: "button", onclick: () => dialog.close("yes") }, action),
      ),
    );
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes");
    });
    document.body.append(dialog);
    openDialog(dialog);
  });
}
