import assert from "node:assert/strict";
import { test } from "node:test";
import { boxesOf } from "../../static/src/js/viewer/boxes.js";

const lines = [
  [0, 10, 0.1, 0.1, 0.9, 0.12],
  [10, 30, 0.1, 0.13, 0.9, 0.15],
  [30, 40, 0.1, 0.16, 0.5, 0.18],
];

test("a range marks every line that it touches, and no other", () => {
  assert.equal(boxesOf(lines, 5, 35).length, 3);
  assert.equal(boxesOf(lines, 10, 30).length, 1);
  assert.deepEqual(boxesOf(lines, 40, 50), []);
});

test("a line that is covered in part is marked in part", () => {
  const [first, , last] = boxesOf(lines, 5, 35);
  assert.ok(Math.abs(first[0] - 0.5) < 1e-9);
  assert.ok(Math.abs(last[2] - 0.3) < 1e-9);
});

test("every box stays inside the page", () => {
  for (const box of boxesOf([[0, 4, -0.2, 0.5, 1.4, 1.2]], 0, 4)) {
    for (const value of box) assert.ok(value >= 0 && value <= 1);
  }
});

test("an empty line is no box", () => {
  assert.deepEqual(boxesOf([[3, 3, 0, 0, 1, 1]], 0, 9), []);
});
