// Says what has just happened, and offers the way back for a while.
import { h, one } from "../lib/dom.js";
import { gettext } from "../lib/i18n.js";

const STAYS = 8000;

/** Shows a sentence; with `undo`, also a button that calls it. */
export function toast(sentence, undo = null) {
  const box = h("div", { class: "toast" }, h("span", { dir: "auto" }, sentence));
  const close = () => box.remove();
  if (undo) {
    box.append(h("button", { class: "btn btn--sm", type: "button", onclick: () => { close(); undo(); } }, gettext("Undo")));
  }
  one("[data-toasts]").append(box);
  let timer = setTimeout(close, STAYS);
  // It waits while somebody reads it or is about to press Undo.
  const hold = () => clearTimeout(timer);
  const letGo = () => { timer = setTimeout(close, STAYS); };
  box.addEventListener("pointerenter", hold);
  box.addEventListener("focusin", hold);
  box.addEventListener("pointerleave", letGo);
  box.addEventListener("focusout", letGo);
}
