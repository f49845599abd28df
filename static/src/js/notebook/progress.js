// The strip of a running update: asked for every 1.5 s while there is one and the tab is seen.
import { Problem, get, post } from "../lib/api.js";
import { h, icon, one } from "../lib/dom.js";
import { fill, gettext, number } from "../lib/i18n.js";
import { toast } from "../components/toast.js";

const POLL = 1500;

/** `place` holds the strip; `onStep(notebook)` runs after each look, the last one included. */
export function createProgress(place, { address, onStep }) {
  let timer = 0;

  async function look() {
    timer = 0;
    if (document.hidden) return later();
    const notebook = await get(address).catch(() => null);
    if (notebook === null) return later();
    show(notebook);
    await onStep(notebook);
    return notebook.progress === null ? undefined : later();
  }

  function later() {
    if (timer === 0) timer = setTimeout(look, POLL);
  }

  function show(notebook) {
    const { progress } = notebook;
    for (const button of document.querySelectorAll("[data-refresh-all]")) button.setAttribute("aria-disabled", String(progress !== null));
    if (progress === null) {
      place.replaceChildren(...(notebook.failure ? [broken(notebook)] : []));
      return;
    }
    const strip = one(".strip:has(progress)", place) ?? build();
    one("[data-what]", strip).replaceChildren(...words(progress, notebook.revision));
    const bar = one("progress", strip);
    bar.max = Math.max(1, progress.total);
    bar.value = progress.done;
    one("[data-count]", strip).textContent = fill(gettext("%(done)s of %(total)s"), { done: number(progress.done), total: number(progress.total) });
    const cancel = one("[data-cancel]", strip);
    cancel.hidden = !progress.can_cancel || progress.is_stopping;
  }

  function build() {
    const strip = h(
      "div",
      { class: "strip", role: "status" },
      icon("refresh"),
      h("span", { class: "grow clip", dataset: { what: "" } }),
      h("progress", { max: 1, value: 0, "aria-label": gettext("Update of this notebook") }),
      h("span", { class: "num nowrap", dataset: { count: "" } }),
      h("button", { class: "btn btn--sm", type: "button", dataset: { cancel: "" } }, gettext("Cancel")),
    );
    place.replaceChildren(strip);
    return strip;
  }

  place.addEventListener("click", async (event) => {
    if (event.target.closest("[data-cancel]")) await attempt(() => post(`${address}/refresh/cancel`));
    if (event.target.closest("[data-refresh]")) await start();
  });
  for (const button of document.querySelectorAll("[data-refresh-all]")) {
    button.addEventListener("click", () => { if (button.getAttribute("aria-disabled") !== "true") start(); });
  }

  async function start() {
    await attempt(() => post(`${address}/refresh`));
    look();
  }

  if (one(".strip progress", place)) later();
  return { watch: look };
}

function words({ item, state, is_stopping: stopping }, revision) {
  const kept = revision && h("span", { class: "ink-2 only-wide" }, ` · ${fill(gettext("answers keep using revision %(number)s until this one is whole"), { number: revision.number })}`);
  return [...doing(item, state, stopping, revision), kept].filter(Boolean);
}

function doing(item, state, stopping, revision) {
  if (stopping) return [gettext("Stopping after this page")];
  if (state === "queued") return [gettext("Waiting its turn")];
  if (!item && !revision) return [gettext("Starting to read")];
  if (!item) return [gettext("Comparing the sources with what was read before")];
  return [`${gettext("Reading")} `, h("b", { dir: "auto" }, item)];
}

const broken = ({ failure, can_manage: mine }) => h("div", { class: "strip strip--wrong", role: "status" }, icon("warn"), h("span", { class: "grow" }, failure), mine && h("button", { class: "btn btn--sm", type: "button", dataset: { refresh: "" } }, gettext("Try again")));

async function attempt(act) {
  try {
    await act();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    toast(error.sentence);
  }
}
