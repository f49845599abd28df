// The elements of one turn. Called again for every change; touches only what differs.
import { h, icon, replaceIfChanged } from "../lib/dom.js";
import { fill, gettext, time } from "../lib/i18n.js";
import { render } from "./markdown.js";
import { isFinal, sourcesOf } from "./reducer.js";
import { markSentences } from "./said.js";

/** The article of a turn with the places that updates write to. */
export function createTurnView(turn, { act, heading = "h3" }) {
  const id = `q-${turn.key}`;
  const view = {
    root: h("article", { class: "turn", "aria-labelledby": id, dataset: { turn: turn.key } }),
    before: h("div", {}),
    prose: h("div", { class: "prose", dir: "auto" }),
    after: h("div", {}),
    // Not landmarks: a long conversation would have as many as answers.
    sources: h("div", { class: "srcs", role: "group", "aria-label": gettext("Sources of this answer") }, h("ol", {})),
  };
  const question = h("div", { class: "turn__q" }, byLine(turn), h(heading, { dir: "auto", id }, turn.question));
  view.root.append(question, h("div", { class: "turn__a" }, view.before, view.prose, view.after), view.sources);
  view.act = act;
  return view;
}

function byLine(turn) {
  const isMe = turn.author.is_me;
  return h(
    "p",
    { class: "turn__by" },
    h("span", { class: isMe ? "who who--me" : "who", "aria-hidden": "true" }, turn.author.initials),
    h("span", {}, h("b", { dir: "auto" }, isMe ? gettext("You") : turn.author.name), ` ${gettext("asked")} · `, h("time", { datetime: turn.asked_at }, time(turn.asked_at))),
  );
}

/** Brings the elements up to the turn. */
export function updateTurnView(view, turn) {
  const busy = !isFinal(turn);
  view.root.toggleAttribute("aria-busy", busy);
  if (busy) view.root.setAttribute("aria-busy", "true");
  replaceIfChanged(view.before, beforeAnswer(turn));
  updateProse(view.prose, turn, busy);
  replaceIfChanged(view.after, []);
  view.after.replaceChildren(...afterAnswer(turn, view.act));
  updateSources(view, turn);
}

function beforeAnswer(turn) {
  if (turn.meta?.reason === "insufficient_context" && turn.citations.length + turn.text.length > 0) return [lowGrounding(turn)];
  if (!isFinal(turn) && turn.text === "") return waiting(turn);
  return [];
}

function lowGrounding(turn) {
  const weak = turn.citations.length > 0;
  return h(
    "div",
    { class: "alert", "data-tone": "advisory" },
    icon("warn", { size: 18 }),
    h("p", { class: "alert__t" }, weak ? gettext("Little in these sources speaks to this question") : gettext("Nothing in these sources speaks to this question")),
    h("p", { class: "sm ink-2" }, gettext("Add material, or ask with the words the sources use.")),
  );
}

function waiting(turn) {
  return [
    h("span", { class: "phase" }, h("span", { class: "dots", "aria-hidden": "true" }, h("i"), h("i"), h("i")), turn.phase?.label || gettext("Searching the sources")),
    h("div", { class: "skel pt2", "aria-hidden": "true" }, h("i"), h("i"), h("i")),
  ];
}

function updateProse(prose, turn, busy) {
  const fragment = render(turn.text, turn.citations, new Set(turn.citations.map(({ href }) => href)));
  const holder = h("div", {}, fragment);
  markSentences(holder, turn.text, turn.citations);
  nameCitations(holder, turn);
  for (const pre of holder.querySelectorAll("pre")) frameCode(pre);
  if (busy && turn.text) caretPlace(holder)?.classList.add("caret");
  patchBlocks(prose, holder);
  prose.hidden = turn.text === "";
}

/** Replaces only the blocks that changed: what has been read stays where it is. */
function patchBlocks(prose, holder) {
  const next = [...holder.children];
  next.forEach((block, index) => {
    const old = prose.children[index];
    if (!old) prose.append(block);
    else if (old.outerHTML !== block.outerHTML && withoutLight(old) !== block.outerHTML) old.replaceWith(block);
  });
  while (prose.children.length > next.length) prose.lastElementChild.remove();
  for (const node of [...prose.childNodes]) if (node.nodeType === Node.TEXT_NODE) node.remove();
}

function withoutLight(block) {
  const copy = block.cloneNode(true);
  for (const lit of copy.querySelectorAll(".said")) lit.removeAttribute("class");
  for (const tab of copy.querySelectorAll("[aria-expanded]")) tab.removeAttribute("aria-expanded");
  return copy.outerHTML;
}

function caretPlace(holder) {
  let place = holder.lastElementChild;
  while (place && /^(UL|OL|BLOCKQUOTE)$/.test(place.tagName)) place = place.lastElementChild;
  return place && /^(P|LI|H4)$/.test(place.tagName) ? place : null;
}

function nameCitations(holder, turn) {
  for (const anchor of holder.querySelectorAll("a.cite")) {
    const n = Number(anchor.textContent);
    const citation = turn.citations.find((each) => each.n === n);
    anchor.setAttribute("href", `#${sourceId(turn, n)}`);
    anchor.dataset.n = n;
    anchor.setAttribute("aria-label", fill(gettext("Source %(n)s: %(title)s"), { n, title: citation?.title ?? "" }));
  }
}

const sourceId = (turn, n) => `s-${turn.key}-${n}`;

function frameCode(pre) {
  const button = h("button", { class: "btn btn--quiet btn--sm", type: "button", dataset: { copyCode: "" } }, icon("copy"), gettext("Copy"));
  const box = h("div", { class: "code" }, h("header", {}, h("span", {}, gettext("Code")), button));
  pre.replaceWith(box);
  pre.tabIndex = 0;
  pre.setAttribute("role", "region");
  pre.setAttribute("aria-label", gettext("Code"));
  box.append(pre);
}

function afterAnswer(turn, act) {
  return [...trouble(turn, act), footer(turn, act)].filter(Boolean);
}

function trouble(turn, act) {
  if (turn.error) return [stopAlert(turn, act)];
  if (turn.state === "interrupted" || (turn.state === "failed" && !turn.error)) return brokenOff(turn, act, gettext("the answer broke off here"), gettext("The text so far is kept."));
  if (turn.state === "stopped") return brokenOff(turn, act, gettext("stopped here"), gettext("You stopped this answer. The text so far is kept."));
  return [];
}

function stopAlert(turn, act) {
  const retry = turn.error.retryable && act.canAsk();
  return h(
    "div",
    { class: "alert", "data-tone": "stop", role: "alert" },
    icon("octagon", { size: 18 }),
    h("p", { class: "alert__t" }, turn.error.sentence),
    h("p", { class: "sm ink-2" }, gettext("Your question is kept.")),
    retry && h("div", { class: "row row--wrap" }, h("button", { class: "btn btn--sm", type: "button", onclick: () => act.ask(turn.question) }, icon("refresh"), gettext("Try again"))),
  );
}

function brokenOff(turn, act, where, kept) {
  return [
    h("div", { class: "fold pt3" }, where),
    h(
      "div",
      { class: "row row--wrap pt3" },
      act.canAsk() && h("button", { class: "btn btn--sm", type: "button", onclick: () => act.ask(turn.question) }, icon("refresh"), gettext("Ask again")),
      h("span", { class: "sm ink-2" }, kept),
    ),
  ];
}

const CONFIDENCE = {
  high: () => badge(gettext("High confidence"), "ok", "check"),
  medium: () => badge(gettext("Medium confidence"), "advisory", "warn"),
  low: () => badge(gettext("Low confidence"), "advisory", "warn"),
};
const POLICY = {
  strict: () => gettext("Rigorous mode"),
  anchored: () => gettext("Didactic mode"),
  hybrid: () => gettext("Hybrid mode"),
};

function footer(turn, act) {
  // The row stands from the first frame, so that its badges move nothing when they come.
  const row = h("div", { class: "turn__foot" });
  if (!turn.meta || !isFinal(turn)) {
    row.append(!isFinal(turn) && turn.text ? h("span", { class: "phase" }, h("span", { class: "dots", "aria-hidden": "true" }, h("i"), h("i"), h("i")), turn.phase?.label || gettext("Answering")) : "");
    return row;
  }
  const { meta } = turn;
  if (meta.reason === "insufficient_context") row.append(badge(gettext("Little to go on"), "advisory", "warn"));
  else if (turn.state === "completed" && meta.decision === "answer" && CONFIDENCE[meta.confidence]) row.append(CONFIDENCE[meta.confidence]());
  if (POLICY[meta.grounding_policy]) row.append(badge(POLICY[meta.grounding_policy]()));
  const [revision] = Object.values(meta.revisions ?? {});
  if (revision) row.append(h("span", { class: "badge badge--line" }, fill(gettext("Revision %(number)s"), { number: revision })));
  if (turn.text) row.append(h("span", { class: "tools" }, h("button", { class: "btn btn--quiet btn--icon btn--sm", type: "button", "aria-label": gettext("Copy answer"), onclick: () => act.copy(turn) }, icon("copy"))));
  return row;
}

function badge(text, tone, sign) {
  return h("span", { class: "badge", "data-tone": tone ?? false }, sign && icon(sign, { size: 13 }), text);
}

function updateSources(view, turn) {
  const list = view.sources.firstElementChild;
  view.sources.setAttribute("aria-label", isFinal(turn) ? gettext("Sources of this answer") : gettext("Sources of this answer, still arriving"));
  sourcesOf(turn).forEach((citation, index) => {
    const id = sourceId(turn, citation.n);
    if (list.children[index]?.id === id) return;
    const card = sourceCard(turn, citation, id);
    if (list.children[index]) list.children[index].replaceWith(card);
    else list.append(card);
  });
  while (list.children.length > sourcesOf(turn).length) list.lastElementChild.remove();
}

/** The margin note of a citation. */
export function sourceCard(turn, citation, id) {
  const href = evidenceAddress(turn, citation);
  return h(
    "li",
    { class: "src", id, dataset: { n: citation.n } },
    h("span", { class: "src__n", "aria-hidden": "true" }, String(citation.n)),
    h("a", { class: "src__t", dir: "auto", href }, citation.title),
    h("span", { class: "src__loc", dir: "auto" }, citation.label || citation.source_label),
    h("p", { class: "src__ex lines-2", dir: "auto" }, quoted(citation.quoted)),
    h("div", { class: "src__do" }, h("a", { href, "aria-label": fill(gettext("Open source %(n)s at the passage"), { n: citation.n }) }, gettext("Open"))),
  );
}

const quoted = (words) => (words ? `“${words.replace(/\s+/g, " ").trim()}”` : "");

/** The viewer's address for a citation of a stored turn. */
export function evidenceAddress(turn, citation) {
  const address = new URL(citation.href, location.origin);
  if (turn.id) {
    address.searchParams.set("turn", turn.id);
    address.searchParams.set("n", citation.n);
  }
  return `${address.pathname}${address.search}`;
}
