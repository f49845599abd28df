// Uploads: one request per file, two at a time, each with its progress and its Cancel.
import { csrfToken } from "../lib/api.js";
import { all, h, icon, one } from "../lib/dom.js";
import { fill, gettext, ngettext, number, percent } from "../lib/i18n.js";

const AT_ONCE = 2;

/** Fills the uploads section; `onFinish(count)` runs when the queue is empty and something came in. */
export function createUploader(section, { onFinish }) {
  const state = { waiting: [], running: new Set(), done: 0, failed: 0, total: 0, doneBytes: 0 };
  const parts = {
    card: one("[data-queue]", section),
    list: one("[data-list]", section),
    summary: one("[data-summary]", section),
    cancelAll: one("[data-cancel-all]", section),
  };

  function add(files) {
    for (const file of files) {
      const item = { file, loaded: 0, row: null, request: null };
      item.row = rowOf(item, () => cancel(item));
      parts.list.append(item.row);
      state.waiting.push(item);
      state.total += 1;
    }
    parts.card.hidden = state.total === 0;
    next();
  }

  function next() {
    while (state.running.size < AT_ONCE && state.waiting.length > 0) start(state.waiting.shift());
    tell(parts, state);
    if (state.running.size + state.waiting.length > 0) return;
    parts.cancelAll.hidden = true;
    if (state.done > 0 && state.failed === 0) onFinish(state.done);
  }

  function start(item) {
    parts.cancelAll.hidden = false;
    const limit = Number(section.dataset.limitMb) * 1024 * 1024;
    if (limit && item.file.size > limit) return fail(item, fill(gettext("Larger than %(limit)s MB, the most this server takes."), { limit: number(Number(section.dataset.limitMb)) }));
    state.running.add(item);
    item.request = sendFile(section.dataset.address, item.file, section.dataset.resource, {
      onProgress: (loaded) => { item.loaded = loaded; progress(item); tell(parts, state); },
      onEnd: (problem) => { state.running.delete(item); if (problem) fail(item, problem); else succeed(item); next(); },
    });
    return undefined;
  }

  function succeed(item) {
    state.done += 1;
    state.doneBytes += item.file.size;
    const bar = one("progress", item.row);
    bar.value = bar.max;
    bar.className = "is-done";
    one(".num", item.row).textContent = gettext("Done");
    one(".btn", item.row)?.remove();
  }

  function fail(item, sentence) {
    state.failed += 1;
    const bar = one("progress", item.row);
    bar.className = "is-wrong";
    one(".num", item.row).textContent = "";
    bar.replaceWith(h("p", { class: "wrong" }, sentence));
    next();
  }

  function cancel(item) {
    const finished = !state.running.has(item) && !state.waiting.includes(item);
    state.waiting = state.waiting.filter((other) => other !== item);
    state.running.delete(item);
    item.request?.abort();
    item.row.remove();
    if (!finished) state.total -= 1;
    else if (state.failed > 0) { state.failed -= 1; state.total -= 1; }
    parts.card.hidden = all(".up", parts.list).length === 0;
    next();
  }

  parts.cancelAll.addEventListener("click", () => { for (const item of [...state.waiting, ...state.running]) cancel(item); });
  window.addEventListener("beforeunload", (event) => { if (state.running.size > 0) event.preventDefault(); });
  installDrop(section, add);
  return { add };
}

function rowOf(item, onCancel) {
  const { name } = item.file;
  return h(
    "div",
    { class: "up" },
    icon("doc"),
    h("span", { class: "clip", dir: "auto" }, name),
    h("span", { class: "num" }, gettext("Waiting")),
    h("button", { class: "btn btn--quiet btn--icon btn--sm", type: "button", "aria-label": fill(gettext("Cancel %(name)s"), { name }), onclick: onCancel }, icon("x")),
    h("progress", { max: Math.max(1, item.file.size), value: 0, "aria-label": name }),
  );
}

function progress(item) {
  one("progress", item.row).value = item.loaded;
  const [loaded, size] = [item.loaded, item.file.size].map((bytes) => number(Math.round(bytes / 100_000) / 10));
  one(".num", item.row).textContent = fill(gettext("%(loaded)s of %(size)s MB"), { loaded, size });
}

function tell(parts, state) {
  const left = state.running.size + state.waiting.length;
  if (left > 0) {
    parts.summary.textContent = fill(ngettext("Uploading %(now)s of %(count)s file, %(share)s in all", "Uploading %(now)s of %(count)s files, %(share)s in all", state.total), { now: number(state.running.size), count: number(state.total), share: percent(shareOf(state)) });
  } else {
    parts.summary.textContent = fill(ngettext("%(count)s file uploaded", "%(count)s files uploaded", state.done), { count: state.done })
      + (state.failed ? `, ${fill(ngettext("%(count)s refused", "%(count)s refused", state.failed), { count: state.failed })}` : "");
  }
}

/** How much of all the bytes has gone over, from 0 to 1. */
function shareOf({ waiting, running, doneBytes }) {
  const items = [...waiting, ...running];
  const all = doneBytes + items.reduce((sum, { file }) => sum + file.size, 0);
  return (doneBytes + items.reduce((sum, { loaded }) => sum + loaded, 0)) / Math.max(1, all);
}

/** A multipart request with progress, which fetch cannot tell. */
function sendFile(address, file, resource, { onProgress, onEnd }) {
  const form = new FormData();
  if (resource) form.append("resource", resource);
  form.append("file", file, file.name);
  const request = new XMLHttpRequest();
  request.open("POST", address);
  request.setRequestHeader("X-CSRFToken", csrfToken());
  request.setRequestHeader("Accept", "application/json");
  request.upload.addEventListener("progress", (event) => onProgress(Math.min(event.loaded, file.size)));
  request.addEventListener("load", () => onEnd(request.status < 300 ? null : sentenceOf(request)));
  request.addEventListener("error", () => onEnd(gettext("The connection dropped. Choose the file again to retry.")));
  request.send(form);
  return request;
}

function sentenceOf(request) {
  try {
    const problem = JSON.parse(request.responseText);
    return Object.values(problem.fields ?? {}).flat()[0] ?? problem.detail;
  } catch {
    return gettext("The server did not take this file.");
  }
}

function installDrop(section, add) {
  const zone = one("[data-drop]", section);
  const input = one("[data-files]", section);
  input.addEventListener("change", () => { add(input.files); input.value = ""; });
  // Dropping anywhere on the page counts; a miss must not navigate away.
  document.addEventListener("dragover", (event) => { if (hasFiles(event)) { event.preventDefault(); zone.dataset.over = ""; } });
  document.addEventListener("dragleave", (event) => { if (!event.relatedTarget) delete zone.dataset.over; });
  document.addEventListener("drop", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    delete zone.dataset.over;
    add(event.dataTransfer.files);
  });
}

const hasFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
