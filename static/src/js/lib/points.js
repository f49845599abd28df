// Offsets on the wire count code points; JavaScript's count UTF-16 units.

/** The part of `text` from code point `start` up to `end`. */
export function slicePoints(text, start, end) {
  return [...text].slice(start, end).join("");
}

/** How many code points a text has. */
export const lengthInPoints = (text) => [...text].length;
