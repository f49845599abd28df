// The sources pane: which take part in the next question, retry, remove, add, pages.
import { Problem, get, post, remove } from "../lib/api.js";
import { all, h, icon, one } from "../lib/dom.js";
import { fill, gettext, number } from "../lib/i18n.js";
import { recall, remember } from "../lib/store.js";
import { openAddDialog } from "../components/notebook-dialog.js";
import { toast } from "../components/toast.js";

/** `pane` is filled by the server; `onChange` runs when an update was set off. */
export function createSources(pane, { id, address, onChange }) {
  const memory = `left-out:${id}`;
  const leftOut = new Set(recall(memory, []));
  let page = Number(pane.dataset.page);
  const every = one("[data-every]");

  async function load() {
    const open = one("details[open]", pane);
    const scroll = one("ul", pane)?.scrollTop ?? 0;
    const response = await fetch(`${location.pathname}?part=sources&sources=${page}`, { credentials: "same-origin" }).catch(() => null);
    // A menu in use is not pulled away from under the pointer.
    if (open?.isConnected && open.open) return;
    if (!response?.ok) {
      if (!one(".res", pane)) pane.replaceChildren(failed(load));
      return;
    }
    const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
    pane.replaceChildren(...fresh.body.childNodes);
    one("ul", pane).scrollTop = scroll;
    dress();
  }

  function dress() {
    for (const row of all(".res", pane)) {
      const box = one("[data-part]", row);
      if (!box.disabled) box.checked = !leftOut.has(row.dataset.resource);
    }
    count();
  }

  function count() {
    const list = one("[data-total]", pane);
    const total = Number(list.dataset.total);
    const available = Number(list.dataset.available);
    const away = [...leftOut].length;
    const taking = Math.max(0, available - away);
    one("[data-taking]").textContent = fill(gettext("%(count)s of %(total)s take part in the next question"), { count: number(taking), total: number(total) });
    for (const place of all("[data-source-count]")) place.textContent = number(total);
    for (const place of all("[data-taking-short]")) place.textContent = fill(gettext("%(count)s of %(total)s"), { count: number(taking), total: number(total) });
    every.checked = taking > 0 && away === 0;
    every.indeterminate = taking > 0 && away > 0;
    every.disabled = available === 0;
  }

  function keep() {
    remember(memory, leftOut.size > 0 ? [...leftOut] : null);
    dress();
  }

  pane.addEventListener("change", ({ target }) => {
    if (!target.matches("[data-part]")) return;
    const resource = target.closest(".res").dataset.resource;
    if (target.checked) leftOut.delete(resource);
    else leftOut.add(resource);
    keep();
  });

  every.addEventListener("change", async () => {
    if (every.checked) leftOut.clear();
    else for (const row of await everyRow()) if (takesPart(row)) leftOut.add(row.resource_id);
    keep();
  });

  pane.addEventListener("click", async (event) => {
    const row = event.target.closest(".res");
    const link = event.target.closest("[data-sources-page]");
    if (link) {
      event.preventDefault();
      page = Number(link.dataset.sourcesPage);
      await load();
      one("ul", pane).focus();
    }
    if (event.target.closest("[data-retry]")) await retry(row);
    if (event.target.closest("[data-remove]")) await takeOut(row);
  });

  async function retry(row) {
    closeMenu(row);
    await attempt(async () => { await post(`${address}/sources/${row.dataset.resource}/refresh`); onChange(); });
  }

  async function takeOut(row) {
    const { resource, title } = row.dataset;
    closeMenu(row);
    await attempt(async () => {
      await remove(`${address}/sources/${resource}`);
      await load();
      toast(fill(gettext("“%(title)s” removed from this notebook"), { title }), () => attempt(async () => {
        await post(`${address}/sources`, { resource_ids: [resource] });
        onChange();
      }));
    });
  }

  async function everyRow() {
    const rows = [];
    for (let number_ = 1; ; number_ += 1) {
      const { results, page_size: size, total } = await get(`${address}/sources?page=${number_}`);
      rows.push(...results);
      if (number_ * size >= total) return rows;
    }
  }

  one("[data-add]")?.addEventListener("click", async () => {
    const rows = await everyRow().catch(() => []);
    openAddDialog(rows.map((row) => row.resource_id), () => { load(); onChange(); });
  });

  dress();
  return {
    load,
    /** The ids of the sources to ask, or nothing to ask them all. */
    async chosenIds() {
      if (leftOut.size === 0) return undefined;
      const rows = (await everyRow()).filter((row) => takesPart(row) && !leftOut.has(row.resource_id));
      return rows.flatMap((row) => row.sources.filter(takesPart).map((source) => source.id));
    },
  };
}

const takesPart = (row) => row.state === "available" || row.state === "stale";

function closeMenu(row) {
  const menu = one("details", row);
  menu.open = false;
  one("summary", menu).focus();
}

async function attempt(act) {
  try {
    await act();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    toast(error.sentence);
  }
}

const failed = (again) => h("div", { class: "empty" }, icon("warn", { size: 32 }), h("h3", {}, gettext("The sources did not load")), h("p", {}, gettext("The connection dropped. What you chose is kept.")), h("button", { class: "btn", type: "button", onclick: again }, icon("refresh"), gettext("Try again")));
