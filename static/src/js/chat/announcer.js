// Says an answer to screen readers sentence by sentence, while the page itself stays silent.
import { fill, gettext, ngettext } from "../lib/i18n.js";
import { completedSentences } from "./sentences.js";
import { isFinal, sourcesOf } from "./reducer.js";

/** An announcer that writes into a polite live region. */
export function createAnnouncer(region) {
  let spoken = 0;
  let text = "";

  return {
    start(turn) {
      text = turn.text;
      spoken = turn.text.length;
    },
    update(turn) {
      if (!turn.text.startsWith(text)) spoken = 0;
      text = turn.text;
      const { sentences, next } = completedSentences(text, spoken, isFinal(turn));
      spoken = next;
      const said = [...sentences, isFinal(turn) ? ending(turn) : ""].filter(Boolean);
      if (said.length > 0) region.textContent = said.join(" ");
    },
  };
}

function ending(turn) {
  if (turn.error) return turn.error.sentence;
  if (turn.state === "stopped") return gettext("Answer stopped.");
  if (turn.state !== "completed") return gettext("The answer broke off.");
  const count = sourcesOf(turn).length;
  return fill(ngettext("Answer complete, %(count)s source.", "Answer complete, %(count)s sources.", count), { count });
}
