// Single keys of the conversation. They rest while somebody types, and can be switched off.
import { all, one } from "../lib/dom.js";
import { recall, remember } from "../lib/store.js";

const SWITCH = "single-keys";

export const keysAreOn = () => recall(SWITCH, true);
export const switchKeys = (on) => remember(SWITCH, on);

/** `acts` maps `/`, `?`, `gs`, `[`, `]`, `End` and `Escape` to functions. */
export function installKeys(acts) {
  let before = "";
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !one("dialog[open], details[data-menu][open]")) return acts.Escape();
    const typing = event.target.closest("input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable], dialog");
    if (typing || event.ctrlKey || event.metaKey || event.altKey || !keysAreOn()) return undefined;
    const act = acts[before + event.key.toLowerCase()] ?? acts[event.key];
    before = event.key.toLowerCase() === "g" ? "g" : "";
    if (!act) return undefined;
    event.preventDefault();
    return act();
  });
}

/** Moves the focus to the citation before or after the one that has it. */
export function stepCitation(root, by) {
  const tabs = all("a.cite[data-n]", root);
  if (tabs.length === 0) return;
  const at = tabs.indexOf(document.activeElement);
  const next = at < 0 ? (by > 0 ? 0 : tabs.length - 1) : Math.min(tabs.length - 1, Math.max(0, at + by));
  tabs[next].focus();
}
