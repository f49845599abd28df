// The dialogs that make a notebook and that add sources to one.
import { Problem, post } from "../lib/api.js";
import { one } from "../lib/dom.js";
import { gettext } from "../lib/i18n.js";
import { openDialog } from "./dialog.js";
import { createSelector, wrong } from "./selector.js";

/** Opens the create dialog, with records already chosen. */
export function openCreateDialog(chosen = []) {
  const dialog = one("#create-dialog");
  const selector = selectorOf(dialog);
  for (const { id, title } of chosen) selector.selection.set(id, title, true);
  const form = one("form", dialog);
  form.onsubmit = (event) => {
    event.preventDefault();
    create(dialog, form, selector.selection);
  };
  openDialog(dialog);
  selector.load();
}

const selectors = new WeakMap();

function selectorOf(dialog) {
  if (!selectors.has(dialog)) selectors.set(dialog, createSelector(dialog));
  return selectors.get(dialog);
}

async function create(dialog, form, selection) {
  const title = form.elements.title.value.trim();
  if (!title) {
    wrong(dialog, gettext("Give the notebook a title."));
    form.elements.title.focus();
    return;
  }
  if (selection.size === 0) {
    wrong(dialog, gettext("Choose at least one record to read."));
    return;
  }
  await submit(dialog, form, async () => {
    const made = await post(dialog.dataset.submit, {
      title,
      visibility: form.elements.visibility.value,
      conversation_mode: form.elements.conversation_mode.value,
      resource_ids: selection.ids(),
    });
    location.assign(made.href);
  });
}

/** Opens the dialog that adds records to a notebook; `added` runs when they are in. */
export function openAddDialog(excluded, added) {
  const dialog = one("#add-dialog");
  const selector = selectorOf(dialog);
  selector.exclude(excluded);
  selector.selection.clear();
  const form = one("form", dialog);
  form.onsubmit = (event) => {
    event.preventDefault();
    if (selector.selection.size === 0) {
      wrong(dialog, gettext("Choose at least one record to read."));
      return;
    }
    submit(dialog, form, async () => {
      await post(dialog.dataset.submit, { resource_ids: selector.selection.ids() });
      dialog.close();
      added();
    });
  };
  openDialog(dialog);
  selector.load();
}

async function submit(dialog, form, act) {
  const button = one('[type="submit"]', form);
  button.disabled = true;
  button.setAttribute("aria-busy", "true");
  try {
    await act();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    wrong(dialog, error.sentence);
  } finally {
    button.disabled = false;
    button.removeAttribute("aria-busy");
  }
}
