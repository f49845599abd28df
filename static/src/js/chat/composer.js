// The composer: grows with its text, Enter sends, Shift+Enter breaks the line, keeps a draft.
import { one } from "../lib/dom.js";
import { gettext } from "../lib/i18n.js";
import { recall, remember } from "../lib/store.js";

/** Works the composer's form; `onSend(text)` resolves to whether the question was taken. */
export function createComposer(form, { draftKey, onSend, onStop }) {
  const text = one("textarea", form);
  const button = one("[data-send]", form);
  const words = one("[data-send-words]", form);
  const state = { answering: false, ready: form.dataset.ready === "true" };

  const draft = recall(draftKey, "");
  if (draft && !text.value) text.value = draft;
  grow(text);

  text.addEventListener("input", () => {
    remember(draftKey, text.value);
    grow(text);
    show();
  });
  text.addEventListener("keydown", (event) => {
    // While an input method composes, Enter chooses its word.
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    if (!state.answering) send();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (state.answering) onStop();
    else send();
  });

  async function send() {
    const message = text.value.trim();
    if (!message || !state.ready) return text.focus();
    text.value = "";
    grow(text);
    if (await onSend(message)) remember(draftKey, "");
    else text.value ||= message;
    grow(text);
    return show();
  }

  function show() {
    form.toggleAttribute("data-answering", state.answering);
    button.disabled = !state.answering && (!state.ready || text.value.trim() === "");
    words.textContent = state.answering ? gettext("Stop") : gettext("Ask");
    one("[data-icon-send]", form).hidden = state.answering;
    one("[data-icon-stop]", form).hidden = !state.answering;
    text.placeholder = state.answering ? gettext("Write the next question; send it when this answer is done") : gettext("Ask these sources");
  }

  show();
  return {
    focus: () => text.focus(),
    setAnswering(on) { state.answering = on; show(); },
    setReady(on) { state.ready = on; show(); },
  };
}

/** For browsers without `field-sizing`, by rows; the page's policy allows no style attribute. */
function grow(text) {
  if (CSS.supports("field-sizing", "content")) return;
  text.rows = Math.min(8, text.value.split("\n").length);
}
