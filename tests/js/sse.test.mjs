import assert from "node:assert/strict";
import { test } from "node:test";
import { createParser, frameOf, readFrames } from "../../static/src/js/lib/sse.js";

const stream = 'id: 1\nevent: delta\ndata: {"text":"Déu vos guard 👩‍👩‍👧 [1]"}\n\n: still here\n\nid: 2\r\nevent: done\r\ndata: {"state":"completed"}\r\n\r\n';
const wanted = [
  { seq: 1, type: "delta", data: { text: "Déu vos guard 👩‍👩‍👧 [1]" } },
  { seq: 2, type: "done", data: { state: "completed" } },
];

function framesOf(pieces) {
  const frames = [];
  const parser = createParser((event) => frames.push(frameOf(event)));
  for (const piece of pieces) parser.push(piece);
  return frames;
}

test("a stream cut at any place gives the same frames", () => {
  for (let cut = 0; cut <= stream.length; cut += 1) {
    assert.deepEqual(framesOf([stream.slice(0, cut), stream.slice(cut)]), wanted);
  }
});

test("a stream of single characters gives the same frames", () => {
  assert.deepEqual(framesOf([...stream]), wanted);
});

test("bytes cut inside a character give the same frames", async () => {
  const bytes = new TextEncoder().encode(stream);
  for (let cut = 1; cut < bytes.length; cut += 1) {
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(bytes.slice(0, cut));
        controller.enqueue(bytes.slice(cut));
        controller.close();
      },
    });
    const frames = [];
    await readFrames(new Response(body), (frame) => frames.push(frame), 1000);
    assert.deepEqual(frames, wanted);
  }
});

test("a stream that falls silent is given up", async () => {
  let cancelled = false;
  const body = new ReadableStream({
    start(controller) { controller.enqueue(new TextEncoder().encode(stream.slice(0, 60))); },
    cancel() { cancelled = true; },
  });
  await readFrames(new Response(body), () => {}, 20);
  assert.ok(cancelled);
});

test("several data lines are one text, a broken one is no frame", () => {
  const events = [];
  createParser((event) => events.push(event)).push("data: a\ndata: b\n\ndata: {broken\n\n");
  assert.equal(events[0].data, "a\nb");
  assert.equal(frameOf(events[1]), null);
});

test("an unfinished event is not told", () => {
  assert.deepEqual(framesOf([stream.slice(0, stream.indexOf("\n\n"))]), []);
});
