// Pasting web addresses: in the dialog, or anywhere on the page outside a field.
import { Problem, post } from "../lib/api.js";
import { all, h, icon, one } from "../lib/dom.js";
import { fill, gettext, ngettext } from "../lib/i18n.js";
import { openDialog } from "./dialog.js";

/** Works the links dialog; `added` runs when at least one address was taken. */
export function createLinks(dialog, added) {
  const text = one("textarea", dialog);
  const refused = one("[data-refused]", dialog);

  for (const button of all("[data-open-links]")) button.addEventListener("click", () => openDialog(dialog));
  document.addEventListener("paste", (event) => {
    if (event.target.closest("input, textarea, [contenteditable]")) return;
    const pasted = event.clipboardData.getData("text");
    if (addressesIn(pasted).length === 0) return;
    text.value = addressesIn(pasted).join("\n");
    openDialog(dialog);
  });
  one("form", dialog).addEventListener("submit", async (event) => {
    event.preventDefault();
    const urls = text.value.split(/\s+/).filter(Boolean);
    if (urls.length === 0) return text.focus();
    return send(urls);
  });

  async function send(urls) {
    const button = one('[type="submit"]', dialog);
    button.disabled = true;
    try {
      const answer = dialog.dataset.resource ? await toRecord(dialog, urls) : await post(dialog.dataset.address, { urls });
      if (answer.refused.length === 0) {
        dialog.close();
        added();
        return;
      }
      text.value = answer.refused.map(({ url }) => url).join("\n");
      refused.replaceChildren(h("p", { class: "sm ink-2" }, summary(answer)), ...answer.refused.map(({ url, detail }) => sentence(`${url}: ${detail}`)));
      if (answer.created.length > 0) dialog.addEventListener("close", added, { once: true });
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      refused.replaceChildren(sentence(error.sentence));
    } finally {
      button.disabled = false;
    }
  }
}

/** One request an address: each of them gets its own reason when it is refused. */
async function toRecord(dialog, urls) {
  const answer = { created: [], refused: [] };
  for (const url of urls) {
    try {
      answer.created.push(await post(dialog.dataset.address, { url }));
    } catch (error) {
      if (!(error instanceof Problem) || error.status >= 500) throw error;
      answer.refused.push({ url, detail: error.sentence });
    }
  }
  return answer;
}

const summary = ({ created }) => (created.length ? fill(ngettext("%(count)s link added, the others were not:", "%(count)s links added, the others were not:", created.length), { count: created.length }) : gettext("No link was added:"));

const sentence = (words) => h("p", { class: "wrong sm" }, icon("warn", { size: 14 }), h("span", { dir: "auto" }, words));

/** The web addresses in a pasted text, when it holds nothing else. */
export function addressesIn(text) {
  const words = text.trim().split(/\s+/).filter(Boolean);
  return words.length > 0 && words.every((word) => /^https?:\/\/\S+$/i.test(word)) ? words : [];
}
