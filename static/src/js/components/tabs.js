// Tabs by arrows, Home and End (WAI-ARIA Authoring Practices, tabs with automatic activation).
import { all } from "../lib/dom.js";

/** Calls `choose(name)` when another tab of the list is taken; gives a way to take one by name. */
export function createTabs(list, choose) {
  const tabs = all('[role="tab"]', list);

  function take(tab, { focus = true } = {}) {
    for (const other of tabs) {
      other.setAttribute("aria-selected", String(other === tab));
      other.tabIndex = other === tab ? 0 : -1;
    }
    if (focus) tab.focus();
    choose(tab.dataset.name);
  }

  list.addEventListener("click", (event) => {
    const tab = event.target.closest('[role="tab"]');
    if (tab) take(tab);
  });
  list.addEventListener("keydown", (event) => {
    const next = after(tabs, document.activeElement, event.key, list);
    if (!next) return;
    event.preventDefault();
    take(next);
  });
  return { take: (name) => take(tabs.find((tab) => tab.dataset.name === name) ?? tabs[0], { focus: false }) };
}

function after(tabs, current, key, list) {
  const forward = getComputedStyle(list).direction === "rtl" ? "ArrowLeft" : "ArrowRight";
  const backward = forward === "ArrowRight" ? "ArrowLeft" : "ArrowRight";
  const at = tabs.indexOf(current);
  if (key === "Home") return tabs[0];
  if (key === "End") return tabs.at(-1);
  if (key === forward) return tabs[(at + 1) % tabs.length];
  if (key === backward) return tabs[(at - 1 + tabs.length) % tabs.length];
  return null;
}
