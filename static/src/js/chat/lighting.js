// Pointing at or focusing a citation lights three things: its tab, its sentence, its card.
import { all } from "../lib/dom.js";

/** Watches a conversation; works for turns that arrive later too. */
export function installLighting(root) {
  const on = (event) => light(root, event.target);
  const off = (event) => {
    if (!event.relatedTarget || !root.contains(event.relatedTarget) || !sameSource(event.target, event.relatedTarget)) darken(root);
  };
  root.addEventListener("pointerover", on);
  root.addEventListener("pointerout", off);
  root.addEventListener("focusin", on);
  root.addEventListener("focusout", off);
}

const sourceOf = (target) => target.closest?.(".cite[data-n], .src[data-n]");
const sameSource = (a, b) => sourceOf(a) !== null && sourceOf(a) === sourceOf(b);

function light(root, target) {
  const source = sourceOf(target);
  if (!source) return;
  darken(root);
  const turn = source.closest(".turn");
  const { n } = source.dataset;
  for (const tab of all(`.cite[data-n="${n}"]`, turn)) tab.setAttribute("aria-expanded", "true");
  for (const said of all(`[data-said="${n}"]`, turn)) said.classList.add("said");
  for (const card of all(`.src[data-n="${n}"]`, turn)) card.dataset.on = "";
}

function darken(root) {
  for (const tab of all(".cite[aria-expanded]", root)) tab.removeAttribute("aria-expanded");
  for (const said of all(".said", root)) said.removeAttribute("class");
  for (const card of all(".src[data-on]", root)) delete card.dataset.on;
}
