import assert from "node:assert/strict";
import { test } from "node:test";
import { addressesIn } from "../../static/src/js/components/links.js";
import { MOST, createSelection } from "../../static/src/js/components/selection.js";
import { fill } from "../../static/src/js/lib/i18n.js";
import { lengthInPoints, slicePoints } from "../../static/src/js/lib/points.js";
import { uuid } from "../../static/src/js/lib/ids.js";

test("offsets count code points, as the server does", () => {
  const text = "a👩‍👩‍👧b";
  assert.equal(lengthInPoints(text), 7);
  assert.equal(slicePoints(text, 6, 7), "b");
});

test("a sentence is filled by name, unknown names stay", () => {
  assert.equal(fill("%(done)s of %(total)s, %(rest)s", { done: 0, total: 3 }), "0 of 3, %(rest)s");
});

test("a selection takes up to a thousand and says when it is full", () => {
  const selection = createSelection(() => {});
  for (let index = 0; index < MOST; index += 1) assert.ok(selection.set(String(index), "t", true));
  assert.equal(selection.set("one more", "t", true), false);
  assert.ok(selection.set("5", "t", true));
  assert.ok(selection.set("5", "t", false));
  assert.ok(selection.set("one more", "t", true));
  assert.equal(selection.size, MOST);
});

test("pasted text counts as links only when it is nothing else", () => {
  assert.deepEqual(addressesIn(" https://a.example/x\nhttp://b.example "), ["https://a.example/x", "http://b.example"]);
  assert.deepEqual(addressesIn("see https://a.example"), []);
  assert.deepEqual(addressesIn("javascript:alert(1)"), []);
  assert.deepEqual(addressesIn(""), []);
});

test("identifiers are version 4 UUIDs and differ", () => {
  assert.match(uuid(), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.notEqual(uuid(), uuid());
});
