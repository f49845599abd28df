// The sentence that a citation stands for, found again in the rendered answer.
import { slicePoints } from "../lib/points.js";
import { plain } from "./sentences.js";

/** Wraps the sentence of each citation in spans that can be lit; cuts no word, moves nothing. */
export function markSentences(prose, text, citations) {
  for (const citation of citations) {
    const sentence = plain(slicePoints(text, ...citation.sentence));
    if (sentence) wrap(prose, sentence, citation.n);
  }
}

function wrap(prose, sentence, n) {
  for (const block of prose.querySelectorAll("p, li, td, h4")) {
    const map = textOf(block);
    const at = map.text.indexOf(sentence);
    if (at < 0) continue;
    for (const piece of piecesOf(map, at, at + sentence.length)) surround(piece, n);
    return;
  }
}

/** The words of a block with spaces folded, and the node and offset of every character. */
function textOf(block) {
  const walker = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
  let text = "";
  const places = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (node.parentElement.closest(".cite") || node.parentElement.closest("p, li, td, h4") !== block) continue;
    for (let offset = 0; offset < node.data.length; offset += 1) {
      const character = /\s/.test(node.data[offset]) ? " " : node.data[offset];
      if (character === " " && text.endsWith(" ")) continue;
      text += character;
      places.push({ node, offset });
    }
  }
  return { text, places };
}

function piecesOf({ places }, start, end) {
  const pieces = [];
  for (const { node, offset } of places.slice(start, end)) {
    const last = pieces.at(-1);
    if (last?.node === node) last.end = offset + 1;
    else pieces.push({ node, start: offset, end: offset + 1 });
  }
  return pieces.reverse();
}

function surround({ node, start, end }, n) {
  const span = document.createElement("span");
  span.dataset.said = n;
  const range = document.createRange();
  range.setStart(node, start);
  range.setEnd(node, end);
  range.surroundContents(span);
}
