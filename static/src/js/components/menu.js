// Menus are <details>: they open without script. Here they learn to close and to follow arrows.
import { all, one } from "../lib/dom.js";

const ITEMS = ".menu :is(a, button, input)";

export function installMenus() {
  document.addEventListener("click", (event) => closeOthers(event.target));
  document.addEventListener("focusin", (event) => closeOthers(event.target));
  document.addEventListener("keydown", onKey);
}

function closeOthers(target) {
  for (const menu of all("details[data-menu][open]")) if (!menu.contains(target)) menu.open = false;
}

function onKey(event) {
  const menu = event.target.closest?.("details[data-menu]");
  if (!menu) return;
  if (event.key === "Escape" && menu.open) {
    event.stopPropagation();
    menu.open = false;
    one("summary", menu).focus();
  }
  if (event.key === "ArrowDown" || event.key === "ArrowUp") step(event, menu, event.key === "ArrowDown" ? 1 : -1);
}

function step(event, menu, by) {
  const items = all(ITEMS, menu).filter((item) => !item.disabled);
  if (items.length === 0 || (event.target.matches("summary") && !menu.open && by < 0)) return;
  event.preventDefault();
  menu.open = true;
  const at = items.indexOf(document.activeElement);
  const next = at < 0 && by < 0 ? items.length - 1 : (at + by + items.length) % items.length;
  items[next].focus();
}
