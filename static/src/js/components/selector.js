// The list of records in the dialogs: search, facets, pages, and a selection that outlives them.
import { Problem, get } from "../lib/api.js";
import { afterPause, all, h, icon, one } from "../lib/dom.js";
import { fill, gettext, ngettext, number } from "../lib/i18n.js";
import { MOST, createSelection } from "./selection.js";

const PAGE = 50;
const MOST_PER_REQUEST = 200;
const SHOWN_VALUES = 4;
const FACETS = ["kind", "author", "tag"];

/** Works the selector inside a dialog. */
export function createSelector(dialog) {
  const state = { q: "", page: 1, facets: { kind: new Set(), author: new Set(), tag: new Set() }, wide: new Set(), onlyChosen: false, last: null };
  let excluded = new Set();
  const picks = one("[data-picks]", dialog);
  const selection = createSelection(() => tell());
  let request = new AbortController();

  const query = (page, size) => {
    const params = new URLSearchParams({ page, page_size: size });
    if (state.q) params.set("q", state.q);
    for (const name of FACETS) for (const value of state.facets[name]) params.append(name, value);
    return `${dialog.dataset.selector}?${params}`;
  };

  async function load() {
    request.abort();
    request = new AbortController();
    const { signal } = request;
    const timer = setTimeout(() => picks.replaceChildren(skeleton()), 150);
    try {
      state.last = await get(query(state.page, PAGE), { signal });
      show();
    } catch (error) {
      if (error.name === "AbortError") return;
      picks.replaceChildren(failed(load));
    } finally {
      clearTimeout(timer);
    }
  }

  function show() {
    const { results, total, page, hidden_without_sources: hidden } = state.last;
    picks.replaceChildren(...(results.length > 0 ? results.map(row) : [nothing(state.q)]));
    picks.scrollTop = 0;
    const first = results.length > 0 ? (page - 1) * PAGE + 1 : 0;
    one("[data-range]", dialog).textContent = fill(gettext("%(first)s–%(last)s of %(total)s"), { first: number(first), last: number(first + Math.max(0, results.length - 1)), total: number(total) });
    const left = one("[data-left-out]", dialog);
    left.hidden = hidden === 0;
    one("span", left).replaceChildren(h("b", {}, fill(ngettext("%(count)s record left out:", "%(count)s records left out:", hidden), { count: number(hidden) })), ` ${gettext("nothing to read")}`);
    one('[data-page="-1"]', dialog).disabled = page <= 1;
    one('[data-page="1"]', dialog).disabled = page * PAGE >= total;
    const every = one("[data-choose-all]", dialog);
    every.hidden = total === 0;
    every.textContent = fill(gettext("Choose all %(count)s"), { count: number(Math.min(total, MOST)) });
    for (const name of FACETS) showFacet(name, state.last.facets[name]);
    tell();
  }

  function row(record) {
    const off = excluded.has(record.id);
    const box = h("input", { type: "checkbox", disabled: off, dataset: { id: record.id }, onchange: (event) => toggle(record, event.target) });
    box.checked = off || selection.has(record.id);
    return h(
      "li",
      { class: "pickrow" },
      h(
        "label",
        {},
        box,
        icon(record.kind === "web_page" ? "web" : "doc"),
        h("span", { class: "grow" }, h("span", { class: "clip strong", dir: "auto" }, record.title), h("span", { class: "xs ink-3", dir: "auto" }, [record.authors.join(", "), record.year].filter(Boolean).join(" · "))),
        h("span", { class: "xs ink-3 nowrap" }, off ? gettext("already in") : holdings(record.sources)),
      ),
    );
  }

  function toggle(record, box) {
    if (!selection.set(record.id, record.title, box.checked)) {
      box.checked = false;
      wrong(dialog, fill(gettext("A notebook takes up to %(most)s records."), { most: number(MOST) }));
    }
  }

  function showFacet(name, values) {
    const field = one(`[data-facet="${name}"]`, dialog);
    field.hidden = values.length === 0;
    const wide = state.wide.has(name);
    const shown = wide ? values : values.slice(0, SHOWN_VALUES);
    const more = values.length > SHOWN_VALUES && h("button", { class: "link xs", type: "button", onclick: () => { state.wide[wide ? "delete" : "add"](name); showFacet(name, values); } }, wide ? gettext("Fewer") : gettext("All of them"));
    one("[data-values]", field).replaceChildren(...shown.map((value) => facetValue(name, value)), ...(more ? [more] : []));
  }

  function facetValue(name, { value, label, count, is_chosen: isChosen }) {
    const box = h("input", { type: "checkbox", checked: isChosen, onchange: (event) => {
      state.facets[name][event.target.checked ? "add" : "delete"](value);
      state.page = 1;
      load();
    } });
    return h("label", { class: "check sm" }, box, h("span", { class: "grow clip", dir: "auto" }, label), h("span", { class: "num xs ink-3" }, number(count)));
  }

  async function chooseAll() {
    const pages = Math.ceil(Math.min(state.last.total, MOST) / MOST_PER_REQUEST);
    try {
      for (let page = 1; page <= pages; page += 1) {
        const { results } = await get(query(page, MOST_PER_REQUEST));
        for (const record of results) if (!excluded.has(record.id)) selection.set(record.id, record.title, true);
      }
    } catch (error) {
      if (error instanceof Problem) wrong(dialog, error.sentence);
    }
    show();
  }

  function seeChosen() {
    state.onlyChosen = !state.onlyChosen;
    if (!state.onlyChosen) return show();
    picks.replaceChildren(...selection.entries().map(({ id, title }) => {
      const box = h("input", { type: "checkbox", checked: true, dataset: { id }, onchange: (event) => selection.set(id, title, event.target.checked) });
      return h("li", { class: "pickrow" }, h("label", {}, box, h("span", { class: "grow" }, h("span", { class: "clip strong", dir: "auto" }, title))));
    }));
    return tell();
  }

  function tell() {
    const here = new Set((state.last?.results ?? []).map(({ id }) => id));
    const elsewhere = selection.ids().filter((id) => !here.has(id)).length;
    const status = one("[data-chosen]", dialog);
    if (selection.size === 0) status.replaceChildren(h("b", { class: "num" }, gettext("Nothing chosen yet")));
    else {
      const note = [fill(gettext("of up to %(most)s"), { most: number(MOST) }), elsewhere ? fill(gettext("%(count)s not on this page"), { count: number(elsewhere) }) : ""].filter(Boolean).join(" · ");
      status.replaceChildren(h("b", { class: "num" }, fill(ngettext("%(count)s chosen", "%(count)s chosen", selection.size), { count: number(selection.size) })), h("span", { class: "ink-3 sm" }, ` ${note}`));
    }
    const see = one("[data-see-chosen]", dialog);
    see.hidden = selection.size === 0 && !state.onlyChosen;
    see.textContent = state.onlyChosen ? gettext("Back to the list") : fill(gettext("See the %(count)s"), { count: number(selection.size) });
    if (selection.size > 0) wrong(dialog, "");
  }

  one("[data-query]", dialog).addEventListener("input", afterPause((event) => { state.q = event.target.value.trim(); state.page = 1; state.onlyChosen = false; load(); }, 200));
  // Enter in the search must not send the whole form.
  one("[data-query]", dialog).addEventListener("keydown", (event) => { if (event.key === "Enter") event.preventDefault(); });
  for (const button of all("[data-page]", dialog)) button.addEventListener("click", () => { state.page += Number(button.dataset.page); state.onlyChosen = false; load(); });
  one("[data-choose-all]", dialog).addEventListener("click", chooseAll);
  one("[data-see-chosen]", dialog).addEventListener("click", seeChosen);
  const open = one("[data-open-facets]", dialog);
  open.addEventListener("click", () => open.setAttribute("aria-expanded", String(one("[data-facets]", dialog).toggleAttribute("data-open"))));
  return {
    load,
    selection,
    /** Records that are shown but cannot be chosen, being in already. */
    exclude(ids) { excluded = new Set(ids); },
  };
}

/** What a record holds, in words. */
export function holdings(sources) {
  const pages = sources.filter(({ kind }) => kind === "url").length;
  const files = sources.length - pages;
  return [
    files && fill(ngettext("%(count)s file", "%(count)s files", files), { count: number(files) }),
    pages && fill(ngettext("%(count)s page", "%(count)s pages", pages), { count: number(pages) }),
  ].filter(Boolean).join(", ");
}

/** Shows or takes away the sentence at the foot of a dialog. */
export function wrong(dialog, sentence) {
  const place = one("[data-wrong]", dialog);
  place.textContent = sentence;
  place.hidden = sentence === "";
}

const skeleton = () => h("li", { class: "pad4" }, h("span", { class: "vh" }, gettext("Loading the records")), h("div", { class: "skel", "aria-hidden": "true" }, h("i"), h("i"), h("i")));

const nothing = (q) => h("li", { class: "empty" }, icon("search", { size: 32 }), h("h3", {}, q ? gettext("Nothing matches") : gettext("Nothing to choose from")), h("p", {}, q ? gettext("Try fewer words, or other filters.") : gettext("Bring documents or links to the library first.")));

const failed = (again) => h("li", { class: "empty" }, icon("warn", { size: 32 }), h("h3", {}, gettext("The records did not load")), h("p", {}, gettext("What you chose is kept.")), h("button", { class: "btn", type: "button", onclick: again }, icon("refresh"), gettext("Try again")));
