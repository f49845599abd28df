// On a narrow page the margin is far away: a press on a citation shows its card over the text.
import { h, one } from "../lib/dom.js";
import { gettext } from "../lib/i18n.js";

const WIDE = 736;
const NEAR = 8;
const topOf = (element) => element.getBoundingClientRect().top;

/** Watches the citations of a conversation. Wide pages go on to the card in the margin. */
export function installPopover(log) {
  let open = null;

  log.addEventListener("click", (event) => {
    const tab = event.target.closest("a.cite[data-n]");
    if (!tab) {
      if (open && !open.box.contains(event.target)) close();
      return;
    }
    event.preventDefault();
    const card = log.querySelector(`#${CSS.escape(tab.hash.slice(1))}`);
    if (!card) return;
    if (log.clientWidth >= WIDE) {
      const link = one("a", card);
      link.focus();
      return;
    }
    if (open?.tab === tab) close();
    else show(tab, card);
  });
  log.parentElement.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !open) return;
    event.stopPropagation();
    const { tab } = open;
    close();
    tab.focus();
  });
  log.addEventListener("scroll", () => { if (open && Math.abs(topOf(open.tab) - open.top) > NEAR) close(); }, { passive: true });

  function show(tab, card) {
    close();
    const copy = h("div", { class: "src" }, [...card.cloneNode(true).childNodes]);
    one(".src__ex", copy).classList.remove("lines-2");
    const title = one(".src__t", card).textContent;
    const box = h("div", { class: "pop pop--cite", role: "dialog", "aria-label": title, tabindex: "-1" }, copy, h("button", { class: "link xs", type: "button", onclick: () => { close(); tab.focus(); } }, gettext("Close")));
    log.parentElement.append(box);
    place(box, tab, log.parentElement);
    tab.setAttribute("aria-expanded", "true");
    open = { tab, box, top: topOf(tab) };
    one("a", box).focus({ preventScroll: true });
  }

  function close() {
    open?.box.remove();
    open?.tab.removeAttribute("aria-expanded");
    open = null;
  }
}

/** Under the tab when there is room, else over it; over the text, never between it. */
function place(box, tab, pane) {
  const frame = pane.getBoundingClientRect();
  const spot = tab.getBoundingClientRect();
  const below = spot.bottom - frame.top + 8;
  const fits = below + box.offsetHeight < frame.height;
  box.style.insetBlockStart = `${fits ? below : Math.max(8, spot.top - frame.top - box.offsetHeight - 8)}px`;
  const start = Math.min(Math.max(16, spot.left - frame.left - 24), frame.width - box.offsetWidth - 16);
  box.style.left = `${start}px`;
}
