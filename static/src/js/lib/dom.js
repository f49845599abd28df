// Small helpers to find and make elements. Nothing here takes markup as text.
export const one = (selector, root = document) => root.querySelector(selector);
export const all = (selector, root = document) => [...root.querySelectorAll(selector)];

/** An element with attributes (`on…` are listeners, `dataset` and `class` as named) and children. */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) setAttribute(element, name, value);
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

function setAttribute(element, name, value) {
  if (value === false || value === null || value === undefined) return;
  if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
  else if (name === "dataset") Object.assign(element.dataset, value);
  else element.setAttribute(name, value === true ? "" : value);
}

const SVG = "http://www.w3.org/2000/svg";

function svg(tag, attributes, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** A decorative icon of the sprite; `flip` turns it round in right-to-left pages. */
export function icon(name, { size = 16, flip = false } = {}) {
  const sprite = document.documentElement.dataset.icons;
  return svg(
    "svg",
    { class: flip ? "ic flip" : "ic", width: size, height: size, "aria-hidden": "true" },
    svg("use", { href: `${sprite}#i-${name}` }),
  );
}

/** Rectangles over a page, in fractions of its width and height. */
export function marks(boxes) {
  const rects = boxes.map(([x0, y0, x1, y1]) =>
    svg("rect", { x: x0, y: y0, width: Math.max(0, x1 - x0), height: Math.max(0, y1 - y0) }),
  );
  return svg(
    "svg",
    { class: "marks", viewBox: "0 0 1 1", preserveAspectRatio: "none", "aria-hidden": "true" },
    ...rects,
  );
}

/** Replaces an element's children only when they differ, so that focus and hover survive. */
export function replaceIfChanged(element, fragment) {
  const next = fragment instanceof DocumentFragment ? [...fragment.childNodes] : [...fragment];
  const holder = h("div", {}, next);
  if (element.innerHTML === holder.innerHTML) return false;
  element.replaceChildren(...holder.childNodes);
  return true;
}

/** Runs `act` at most once per frame, with the last arguments. */
export function perFrame(act) {
  let waiting = false;
  let latest = [];
  return (...args) => {
    latest = args;
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      act(...latest);
    });
  };
}

/** Runs `act` when calls have paused for `pause` milliseconds. */
export function afterPause(act, pause) {
  let timer = 0;
  return (...args) => {
    clearTimeout(timer);
    timer = setTimeout(() => act(...args), pause);
  };
}
