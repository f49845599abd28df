import assert from "node:assert/strict";
import { test } from "node:test";
import { emptyTurn, isFinal, reduce, sourcesOf } from "../../static/src/js/chat/reducer.js";

const citation = (n, at) => ({ n, marker: [at, at + 3], sentence: [0, at], chunk_id: 10 + n });
const frames = [
  { seq: 1, type: "acl_meta", data: { decision: "answer", reason: "ok" } },
  { seq: 2, type: "phase", data: { phase: "reading", label: "Reading 2 passages" } },
  { seq: 3, type: "delta", data: { text: "The dike holds" } },
  { seq: 4, type: "delta", data: { text: ".[1]" } },
  { seq: 5, type: "citation", data: citation(1, 15) },
  { seq: 6, type: "acl_meta", data: { decision: "answer", reason: "ok", tokens_used: {} } },
  { seq: 7, type: "done", data: { state: "completed" } },
];
const play = (list, from = emptyTurn()) => list.reduce(reduce, from);

test("frames give the text, the citation, the last meta and the final state", () => {
  const turn = play(frames);
  assert.equal(turn.text, "The dike holds.[1]");
  assert.deepEqual(turn.citations, [citation(1, 15)]);
  assert.deepEqual(turn.meta, frames[5].data);
  assert.equal(turn.state, "completed");
  assert.equal(turn.phase, null);
  assert.equal(turn.last_seq, 7);
  assert.ok(isFinal(turn));
});

test("a turn joined at any frame ends the same as one followed from the start", () => {
  const whole = play(frames);
  for (let cut = 0; cut <= frames.length; cut += 1) {
    assert.deepEqual(play(frames.slice(cut), play(frames.slice(0, cut))), whole);
  }
});

test("frames told twice count once, wherever the second telling begins", () => {
  const whole = play(frames);
  for (let cut = 0; cut < frames.length; cut += 1) {
    assert.deepEqual(play([...frames, ...frames.slice(cut)]), whole);
  }
});

test("the first frame turns a queued turn into a streaming one", () => {
  assert.equal(play(frames.slice(0, 1)).state, "streaming");
});

test("a reset voids text, citations and error, and keeps the question", () => {
  const turn = reduce(play(frames.slice(0, 5), emptyTurn({ question: "Does it hold?" })), { seq: 6, type: "reset", data: { cause: "failover" } });
  assert.equal(turn.text, "");
  assert.deepEqual(turn.citations, []);
  assert.equal(turn.question, "Does it hold?");
});

test("a frame of an unknown type is passed over but counted", () => {
  const turn = reduce(play(frames.slice(0, 3)), { seq: 4, type: "proposal", data: {} });
  assert.equal(turn.text, "The dike holds");
  assert.equal(turn.last_seq, 4);
});

test("an error frame is kept with its sentence", () => {
  const error = { code: "provider_error", sentence: "The model did not answer.", retryable: true };
  const turn = play([{ seq: 1, type: "error", data: error }, { seq: 2, type: "done", data: { state: "failed" } }]);
  assert.deepEqual(turn.error, error);
  assert.equal(turn.state, "failed");
});

test("a frame without a number changes nothing", () => {
  const turn = play(frames.slice(0, 3));
  assert.equal(reduce(turn, { seq: Number.NaN, type: "delta", data: { text: "x" } }), turn);
});

test("each number is listed once, by number", () => {
  const citations = [citation(2, 5), citation(1, 9), citation(2, 20)];
  assert.deepEqual(sourcesOf({ citations }).map(({ n, marker }) => [n, marker[0]]), [[1, 9], [2, 5]]);
});
