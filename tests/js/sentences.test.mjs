import assert from "node:assert/strict";
import { test } from "node:test";
import { completedSentences, plain } from "../../static/src/js/chat/sentences.js";

test("only whole sentences are told, the rest waits", () => {
  const { sentences, next } = completedSentences("The dike holds. The water ri", 0);
  assert.deepEqual(sentences, ["The dike holds."]);
  assert.equal("The dike holds. The water ri".slice(next).trim(), "The water ri");
});

test("a text that grows letter by letter is told sentence by sentence, each once", () => {
  const text = "Plou.[1] «Molt!» va dir. El riu puja 0,5 m per hora.\n\n- Primer punt\n- Segon punt";
  const told = [];
  let from = 0;
  for (let end = 1; end <= text.length; end += 1) {
    const { sentences, next } = completedSentences(text.slice(0, end), from, end === text.length);
    told.push(...sentences);
    from = next;
  }
  assert.deepEqual(told, ["Plou.", "«Molt!» va dir.", "El riu puja 0,5 m per hora.", "Primer punt", "Segon punt"]);
});

test("a decimal point ends no sentence", () => {
  assert.deepEqual(completedSentences("It rose 0.5 m", 0).sentences, []);
});

test("marks and Markdown are not spoken", () => {
  assert.equal(plain("## **Three** stations_did_ [2]\n> so"), "Three stationsdid so");
});

test("punctuation alone is not spoken", () => {
  assert.deepEqual(completedSentences("...\n\n", 0).sentences, []);
});
