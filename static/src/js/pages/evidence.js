// The evidence viewer: the source at the passage, and the answer it stands for.
import { all, h, one } from "../lib/dom.js";
import { get } from "../lib/api.js";
import { fill, gettext, number } from "../lib/i18n.js";
import { lengthInPoints, slicePoints } from "../lib/points.js";
import { installLighting } from "../chat/lighting.js";
import { shaped } from "../chat/conversation.js";
import { evidenceAddress, createTurnView, updateTurnView } from "../chat/turn-view.js";
import { boxesOf } from "../viewer/boxes.js";
import { openPdf } from "../viewer/pdf.js";

const root = one("[data-evidence]");
const pdf = one("[data-pdf]");
const text = one("[data-text]");
const range = { start: Number(text.dataset.start), end: 0 };
range.end = range.start + lengthInPoints(one("#passage").textContent);
let viewer = null;

const turn = await loadTurn(root.dataset.turn);
if (turn) showAnswer(turn);
if (pdf) await showPdf();
toPassage();

async function loadTurn(id) {
  if (!id) return null;
  const stored = await get(`/api/turns/${encodeURIComponent(id)}`).catch(() => null);
  if (stored === null) one("[data-answer]").replaceChildren(h("p", { class: "ink-2" }, gettext("The answer did not load. The source is here all the same.")));
  return stored === null ? null : shaped(stored);
}

function showAnswer(answer) {
  const view = createTurnView(answer, { heading: "h2", act: { canAsk: () => false, ask() {}, copy() {} } });
  view.sources.classList.add("evsrcs");
  updateTurnView(view, answer);
  one("[data-answer]").replaceChildren(view.root);
  const here = citationHere(answer);
  if (here) {
    narrowTo(here);
    lightUp(view.root, here.n);
  }
  installSteps(answer, here);
  for (const link of all("a.cite[data-n]", view.root)) {
    const citation = answer.citations.find(({ n }) => n === Number(link.dataset.n));
    link.setAttribute("href", evidenceAddress(answer, citation));
  }
  installLighting(view.root);
  const back = one("[data-back]");
  back.hash = `turn-${answer.id}`;
}

function citationHere(answer) {
  const n = Number(root.dataset.n);
  const chunk = Number(root.dataset.chunk);
  return answer.citations.find((each) => each.n === n && each.chunk_id === chunk) ?? answer.citations.find((each) => each.chunk_id === chunk) ?? null;
}

/** From the whole passage to the words that were quoted. */
function narrowTo({ quote }) {
  const mark = one("#passage");
  const whole = mark.textContent;
  const [from, to] = quote;
  if (!(to > from)) return;
  one("[data-chunk-text]").replaceChildren(
    slicePoints(whole, 0, from),
    h("mark", { id: "passage" }, slicePoints(whole, from, to)),
    slicePoints(whole, to),
  );
  range.end = range.start + to;
  range.start += from;
}

function lightUp(view, n) {
  for (const card of all(`.src[data-n="${n}"]`, view)) card.dataset.on = "";
  for (const said of all(`[data-said="${n}"]`, view)) said.classList.add("said");
  for (const tab of all(`.cite[data-n="${n}"]`, view)) tab.setAttribute("aria-expanded", "true");
}

function installSteps(answer, here) {
  const steps = one("[data-steps]");
  const places = answer.citations;
  const at = places.indexOf(here);
  if (at < 0 || places.length < 2) return;
  steps.hidden = false;
  one("[data-position]", steps).textContent = fill(gettext("%(at)s of %(count)s"), { at: number(at + 1), count: number(places.length) });
  const goTo = (step) => location.assign(evidenceAddress(answer, places[at + step]));
  for (const [name, step] of [["previous", -1], ["next", 1]]) {
    const button = one(`[data-${name}]`, steps);
    button.disabled = places[at + step] === undefined;
    button.addEventListener("click", () => goTo(step));
  }
  document.addEventListener("keydown", (event) => {
    if (event.target.closest("input, textarea")) return;
    const step = { "[": -1, "]": 1 }[event.key];
    if (step && places[at + step]) goTo(step);
  });
}

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !event.target.closest("input")) location.assign(one("[data-back]").href);
});

async function showPdf() {
  try {
    viewer = await openPdf(pdf);
    pdf.hidden = false;
    text.hidden = true;
    installPages();
    await turnTo(Number(pdf.dataset.page));
  } catch {
    // The words of the page were on it from the start; only the picture is missing.
    pdf.remove();
    text.hidden = false;
    text.before(h("p", { class: "hint", "data-tone": "advisory" }, h("span", {}, gettext("The PDF could not be drawn here. You see its text."))));
  }
}

async function turnTo(page) {
  const wished = Math.min(viewer.pages, Math.max(1, page || 1));
  const cited = Number(pdf.dataset.page);
  const lines = JSON.parse(pdf.dataset.lines);
  const field = one("[data-page-number]");
  field.value = wished;
  one('[data-turn-page="-1"]').disabled = wished <= 1;
  one('[data-turn-page="1"]').disabled = wished >= viewer.pages;
  await viewer.show(wished, wished === cited ? boxesOf(lines, range.start, range.end) : []);
}

function installPages() {
  const field = one("[data-page-number]");
  one("[data-page-count]").textContent = fill(gettext("of %(count)s"), { count: number(viewer.pages) });
  field.addEventListener("change", () => turnTo(Number(field.value)));
  for (const button of all("[data-turn-page]")) button.addEventListener("click", () => turnTo(Number(field.value) + Number(button.dataset.turnPage)));
  one('[data-zoom="in"]').addEventListener("click", () => { viewer.zoomIn(); turnTo(Number(field.value)); });
  one('[data-zoom="fit"]').addEventListener("click", () => { viewer.fit(); turnTo(Number(field.value)); });
  let width = window.innerWidth;
  window.addEventListener("resize", () => {
    if (window.innerWidth === width) return;
    width = window.innerWidth;
    turnTo(Number(field.value));
  });
}

async function toPassage() {
  if (viewer && Number(pdf.dataset.shown) !== Number(pdf.dataset.page)) await turnTo(Number(pdf.dataset.page));
  const mark = viewer ? one(".marks rect", pdf) : one("#passage");
  mark?.scrollIntoView({ block: "center", behavior: "instant" });
}

one("[data-to-passage]").addEventListener("click", toPassage);
