// Frames of a turn → what is shown of it. Pure: the same frames give the same turn, live or replayed.
const FINAL = new Set(["completed", "stopped", "failed", "interrupted"]);

/** A turn of which nothing has arrived. */
export function emptyTurn(facts = {}) {
  return {
    id: "", question: "", author: null, asked_at: "", state: "queued",
    phase: null, text: "", citations: [], meta: null, error: null, last_seq: 0,
    ...facts,
  };
}

export const isFinal = (turn) => FINAL.has(turn.state);

/** The turn after a frame. A frame seen before, or of a kind unknown here, changes nothing else. */
export function reduce(turn, frame) {
  if (!(frame.seq > turn.last_seq)) return turn;
  const step = STEPS[frame.type];
  const next = step ? step(turn, frame.data) : turn;
  return { ...next, last_seq: frame.seq };
}

const streaming = (turn) => (turn.state === "queued" ? { ...turn, state: "streaming" } : turn);

const STEPS = {
  acl_meta: (turn, data) => ({ ...streaming(turn), meta: data }),
  phase: (turn, data) => ({ ...streaming(turn), phase: data }),
  delta: (turn, data) => ({ ...streaming(turn), text: turn.text + (data.text ?? "") }),
  citation: (turn, data) => ({ ...turn, citations: [...turn.citations, data] }),
  reset: (turn) => ({ ...turn, text: "", citations: [], error: null }),
  error: (turn, data) => ({ ...turn, error: data }),
  done: (turn, data) => ({ ...turn, phase: null, state: data.state ?? "completed" }),
};

/** The sources to list beside an answer: the first citation of each number, by number. */
export function sourcesOf(turn) {
  const seen = new Set();
  const first = turn.citations.filter(({ n }) => !seen.has(n) && seen.add(n));
  return first.sort((a, b) => a.n - b.n);
}
