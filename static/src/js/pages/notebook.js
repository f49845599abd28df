// The notebook: three panes that live.
import { createComposer } from "../chat/composer.js";
import { createConversation, isAtEnd } from "../chat/conversation.js";
import { installKeys, keysAreOn, stepCitation, switchKeys } from "../chat/keys.js";
import { installLighting } from "../chat/lighting.js";
import { installPopover } from "../chat/popover.js";
import { createTabs } from "../components/tabs.js";
import { openDialog } from "../components/dialog.js";
import { all, one } from "../lib/dom.js";
import { createProgress } from "../notebook/progress.js";
import { installSettings } from "../notebook/settings.js";
import { createSources } from "../notebook/sources.js";

const root = one("[data-notebook]");
const log = one("[data-log]");
const form = one("[data-composer]");
const stored = JSON.parse(one("[data-conversation]").content.textContent);
const facts = { id: root.dataset.notebook, address: root.dataset.address, canAsk: form !== null };

const sources = createSources(one("[data-sources]"), { ...facts, onChange: () => progress.watch() });
const progress = createProgress(one("[data-progress]"), { ...facts, onStep: onProgress });
installSettings(one("#p-set"), one("[data-title]"), facts);

const conversation = createConversation(log, {
  address: `${facts.address}/conversation`,
  notebookId: facts.id,
  person: { name: root.dataset.personName, initials: root.dataset.personInitials },
  canAsk: () => facts.canAsk && root.dataset.ready === "true",
  shared: root.dataset.shared === "true",
  contextFor: async () => {
    const chosen = await sources.chosenIds();
    return chosen ? { context: { source_ids: chosen } } : {};
  },
  onBusy: (busy) => composer?.setAnswering(busy),
  onLine: (isUp) => { one("[data-unstable]").hidden = isUp; },
  onRefused: refuse,
});
const composer = form && createComposer(form, {
  draftKey: `draft:${facts.id}`,
  onSend: (message) => { refuse(""); return conversation.send(message); },
  onStop: () => conversation.stop(),
});
conversation.start(stored);
installLighting(log);
installPopover(log);

function refuse(sentence) {
  const place = one("[data-refused]");
  if (!place) return;
  place.hidden = sentence === "";
  one("span", place).textContent = sentence;
}

async function onProgress(notebook) {
  await sources.load();
  const ready = String(notebook.chat_ready);
  if (root.dataset.ready === ready) return;
  root.dataset.ready = ready;
  composer?.setReady(notebook.chat_ready);
  for (const note of all("[data-when-ready]")) note.hidden = !notebook.chat_ready;
  for (const note of all("[data-when-not-ready]")) note.hidden = notebook.chat_ready;
}

const panes = one("[data-panes]");
const tabs = createTabs(one("[data-tabs]"), (name) => { panes.dataset.tab = name; });

const toEnd = one("[data-to-end]");
log.addEventListener("scroll", () => { toEnd.hidden = isAtEnd(log); }, { passive: true });
toEnd.addEventListener("click", () => { log.scrollTop = log.scrollHeight; log.focus({ preventScroll: true }); });

const help = one("#keys-dialog");
const single = one("[data-single-keys]", help);
single.checked = keysAreOn();
single.addEventListener("change", () => switchKeys(single.checked));
for (const button of all("[data-show-keys]")) button.addEventListener("click", () => openDialog(help));

installKeys({
  "/": () => { tabs.take("talk"); composer?.focus(); },
  "?": () => openDialog(help),
  gs: () => { tabs.take("sources"); one("#p-src ul[tabindex]")?.focus(); },
  "[": () => stepCitation(log, -1),
  "]": () => stepCitation(log, 1),
  End: () => { log.scrollTop = log.scrollHeight; },
  Escape: () => { if (conversation.isAnswering) conversation.stop(); },
});
