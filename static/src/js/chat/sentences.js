// Whole sentences out of a text that is still growing, for the screen reader. Pure.

const END = /[.!?…]+["'»”’)\]]*(?:\s*\[\d{1,3}\])*(?=\s+[^\s\p{Ll}])|[。！？]+|\n{2,}|\n(?=\s*(?:[-*+]|\d+[.)])\s)/gu;

/** The sentences completed since `from`, and where the unfinished rest begins. */
export function completedSentences(text, from, isWhole = false) {
  const sentences = [];
  let start = from;
  for (const match of text.slice(from).matchAll(END)) {
    const end = from + match.index + match[0].length;
    add(sentences, text.slice(start, end));
    start = end;
  }
  if (isWhole) {
    add(sentences, text.slice(start));
    start = text.length;
  }
  return { sentences, next: start };
}

function add(sentences, raw) {
  const spoken = plain(raw);
  if (/[\p{L}\p{N}]/u.test(spoken)) sentences.push(spoken);
}

/** Markdown and citation marks taken out: what is to be heard. */
export function plain(markdown) {
  return markdown
    .replace(/\[(\d{1,3})\]/g, "")
    .replace(/^\s*(?:#{1,6}|[-*+]|\d+[.)]|>)\s+/gm, "")
    .replace(/[*_`~|]+/g, "")
    .replace(/\s+/g, " ")
    .trim();
}
