// Which parts of a page to mark. Pure. A line is [start, end, x0, y0, x1, y1]: offsets in the text
// of the page in code points, and its box as fractions of the page from the top left corner.

/** The boxes of the lines that the range covers, cut at its ends in proportion to the characters. */
export function boxesOf(lines, start, end) {
  return lines.flatMap(([from, to, x0, y0, x1, y1]) => {
    const first = Math.max(start, from);
    const last = Math.min(end, to);
    if (last <= first || to <= from) return [];
    const width = (x1 - x0) / (to - from);
    return [[clamp(x0 + (first - from) * width), clamp(y0), clamp(x0 + (last - from) * width), clamp(y1)]];
  });
}

const clamp = (value) => Math.min(1, Math.max(0, value));
