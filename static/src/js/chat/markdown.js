// Markdown of an answer → safe elements. The one place where model text becomes markup.
import DOMPurify from "dompurify";
import MarkdownIt from "markdown-it";
import { h } from "../lib/dom.js";

const TAGS = ["p", "br", "strong", "em", "s", "ul", "ol", "li", "blockquote", "h4", "table", "thead", "tbody", "tr", "th", "td", "code", "pre", "hr", "a"];
const ADDRESS = /^(?:\/(?![/\\])|https?:\/\/)/i;
// Rare brackets around the number of a citation; being punctuation, they leave emphasis as it was.
const OPEN = "\u2E26";
const CLOSE = "\u2E27";
const MARK = /\u2E26(\d{1,3})\u2E27/;

const markdown = new MarkdownIt({ html: false, linkify: false, typographer: false }).disable(["image", "autolink"]);
markdown.validateLink = (address) => ADDRESS.test(address);
markdown.renderer.rules.heading_open = () => "<h4>";
markdown.renderer.rules.heading_close = () => "</h4>";

/**
 * A document fragment of the text with its citations as tabs. `addresses` are the links the
 * server made; any other stays as words, with its host in view.
 */
export function render(text, citations = [], addresses = new Set()) {
  const fragment = DOMPurify.sanitize(markdown.render(withMarks(text, citations)), {
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ["href", "start"],
    ALLOWED_URI_REGEXP: ADDRESS,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    RETURN_DOM_FRAGMENT: true,
  });
  for (const anchor of [...fragment.querySelectorAll("a")]) settleLink(anchor, addresses);
  for (const cell of fragment.querySelectorAll("th")) cell.setAttribute("scope", "col");
  placeTabs(fragment);
  return fragment;
}

/** The marks that the server told of made recognisable; any other `[n]` stays words. */
function withMarks(text, citations) {
  const points = [...text].map((point) => ({ [OPEN]: "(", [CLOSE]: ")" })[point] ?? point);
  for (const { n, marker } of citations) {
    const [start, end] = marker;
    if (points.slice(start, end).join("") !== `[${n}]`) continue;
    // The tab stands right behind its word: no line may begin with it.
    points.fill("", points[start - 1] === " " ? start - 1 : start, end);
    points[start] = `${OPEN}${n}${CLOSE}`;
  }
  return points.join("");
}

function placeTabs(fragment) {
  const walker = document.createTreeWalker(fragment, NodeFilter.SHOW_TEXT);
  const texts = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) if (MARK.test(node.data)) texts.push(node);
  for (const text of texts) {
    // Splitting with one group gives words and numbers in turn.
    const parts = text.data.split(MARK).map((part, index) => (index % 2 ? tab(part) : part));
    text.replaceWith(...parts.filter((part) => part !== ""));
  }
}

const tab = (n) => h("a", { class: "cite", href: `#cite-${n}` }, n);

function settleLink(anchor, addresses) {
  const address = anchor.getAttribute("href") ?? "";
  const host = hostOf(address);
  const shown = host && !anchor.textContent.includes(host) ? ` (${host})` : "";
  if (!addresses.has(address)) {
    anchor.replaceWith(...anchor.childNodes, shown);
    return;
  }
  anchor.rel = "noopener noreferrer nofollow";
  anchor.append(shown);
}

function hostOf(address) {
  if (!/^https?:/i.test(address)) return "";
  try {
    return new URL(address).hostname;
  } catch {
    return "";
  }
}
