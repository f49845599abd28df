// The library: uploads, pasted links, filters that apply at once, and the selection.
import { createLinks } from "../components/links.js";
import { openCreateDialog } from "../components/notebook-dialog.js";
import { createSelection } from "../components/selection.js";
import { toast } from "../components/toast.js";
import { createUploader } from "../components/uploader.js";
import { all, one } from "../lib/dom.js";
import { fill, gettext, ngettext, number } from "../lib/i18n.js";

const uploads = one("[data-uploads]");
if (uploads) {
  createUploader(uploads, { onFinish: () => location.reload() });
  for (const button of all("[data-choose-files]")) button.addEventListener("click", () => one("[data-files]", uploads).click());
  createLinks(one("#links-dialog"), () => location.reload());
}

const filters = one("[data-filters]");
for (const menu of all("[data-facet-menu]")) {
  menu.addEventListener("change", () => { menu.dataset.changed = ""; });
  menu.addEventListener("toggle", () => { if (!menu.open && "changed" in menu.dataset) filters.requestSubmit(); });
}

const bar = one("[data-selection]");
if (bar) installSelection();

function installSelection() {
  const kept = "quadern:selection";
  const boxes = all("[data-select]");
  const every = one("[data-all]");
  const selection = createSelection(show);

  for (const { id, title } of restore(kept)) selection.set(id, title, true);
  for (const box of boxes) {
    box.addEventListener("change", () => take(box, box.checked));
  }
  every.addEventListener("change", () => { for (const box of boxes) if (!box.disabled) take(box, every.checked); });
  one("[data-clear]", bar).addEventListener("click", () => selection.clear());
  one("[data-new-notebook]", bar).addEventListener("click", () => openCreateDialog(selection.entries()));
  show();

  function take(box, on) {
    if (!selection.set(box.dataset.select, titleOf(box), on)) toast(gettext("A notebook takes up to 1,000 records."));
  }

  function show() {
    const here = boxes.filter((box) => selection.has(box.dataset.select));
    for (const box of boxes) box.checked = selection.has(box.dataset.select);
    every.checked = here.length > 0 && here.length === boxes.filter((box) => !box.disabled).length;
    every.indeterminate = here.length > 0 && !every.checked;
    bar.hidden = selection.size === 0;
    one("[data-count]", bar).textContent = fill(ngettext("%(count)s selected", "%(count)s selected", selection.size), { count: number(selection.size) });
    const away = selection.size - here.length;
    one("[data-elsewhere]", bar).textContent = away ? fill(gettext("%(count)s not on this page"), { count: number(away) }) : "";
    sessionStorage.setItem(kept, JSON.stringify(selection.entries()));
  }
}

const titleOf = (box) => one("a.t", box.closest("tr")).textContent;

function restore(name) {
  try {
    return JSON.parse(sessionStorage.getItem(name)) ?? [];
  } catch {
    return [];
  }
}
